/** Owns the page of `/docs`: the OpenAPI document written out as HTML, without a script, a font or an image. */

type Json = Readonly<Record<string, unknown>>;

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
code, pre { font: 0.875rem/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 0.25rem; }
section { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: 0.5rem 0; }
h2 { font-size: 1rem; margin: 0.5rem 0; }
h2 b { display: inline-block; min-width: 4.5rem; }
summary { cursor: pointer; }
td, th { text-align: left; vertical-align: top; padding: 0 1rem 0 0; }
`;

/** The page. */
export function docsPage(document: {
  readonly paths: Readonly<Record<string, Json>>;
  readonly components?: unknown;
}): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method, path, operation as Json)),
  );
  const { schemas = {} } = (document.components ?? {}) as { schemas?: Json };
  const shapes = Object.entries(schemas).map(
    ([name, schema]) => `<section id="${escaped(name)}"><h2><code>${escaped(name)}</code></h2>${pre(schema)}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>edge-skills: HTTP</title><style>${STYLE}</style></head>
<body><h1>edge-skills over HTTP</h1>
<p>Send <code>Authorization: Bearer &lt;token&gt;</code>. Errors are <code>application/problem+json</code>. The same as data: <a href="/openapi.json">/openapi.json</a>.</p>
${operations.join("\n")}
<h1>Shapes</h1>
${shapes.join("\n")}
</body></html>
`;
}

function section(method: string, path: string, operation: Json): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const rows = (parameters as readonly Json[]).map(
    ({ name, in: where, description: words = "" }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(where)}</td><td>${escaped(words)}</td></tr>`,
  );
  const table = rows.length > 0 ? `<table>${rows.join("")}</table>` : "";
  const body = requestBody === undefined ? "" : `<details><summary>Body</summary>${pre(requestBody)}</details>`;
  return `<section><h2><b>${escaped(method.toUpperCase())}</b> <code>${escaped(path)}</code></h2>
<p>${escaped(summary)}. ${escaped(description)}</p>${table}${body}<details><summary>Answers</summary>${pre(responses)}</details></section>`;
}

function pre(value: unknown): string {
  return `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
}

function escaped(value: unknown): string {
  return String(value ?? "").replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
