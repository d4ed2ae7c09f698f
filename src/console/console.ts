/**
 * Owns the console over HTTP: which of its files lies at which path, and that a page of it runs its own script only and asks this service
 * only. Never sees a token: the page keeps it, and asks the API with it like any other client.
 */

/** Where the console's files are: the platform's static assets. */
export interface ConsoleAssets {
  fetch(request: Request): Promise<Response>;
}

/** Its files, by the last part of their address; whatever else is below `/console` is the page, which reads its own address. */
const FILES: ReadonlySet<string> = new Set(["console.css", "console.js"]);

const PAGE = "console.html";

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
};

/** Makes what answers `/console` and everything below it. */
export function createConsole(assets: ConsoleAssets): (request: Request) => Promise<Response> {
  return async (request) => {
    const last = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const file = new URL(`/${FILES.has(last) ? last : PAGE}`, request.url);
    const tags = request.headers.get("If-None-Match");
    const found = await assets.fetch(
      new Request(file, { method: request.method, headers: tags === null ? {} : { "If-None-Match": tags } }),
    );
    const response = new Response(found.body, found);
    for (const [name, value] of Object.entries(HEADERS)) {
      response.headers.set(name, value);
    }
    return response;
  };
}
