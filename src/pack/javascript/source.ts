/** Owns preparing one source file for bundling: what kind of module it is, and the constants Node gives each file; never resolves imports. */
import { posix } from "node:path";
import { parse } from "acorn";
import { type Loader, type OnLoadResult, transform } from "esbuild";
import { type Asked, askedBy } from "./asked.ts";
import { NO_REQUIRE } from "./instrument.ts";

export interface ModuleFile {
  /** Absolute, as it will be when it runs. */
  readonly path: string;
  readonly text: string;
  readonly loader: Loader;
  readonly main: "main" | "other";
  /** What package.json says. */
  readonly module: "module" | "unsaid";
  /** Told what it asks for when it runs. */
  readonly onAsked: (asked: Asked) => void;
}

/** The file as esbuild gets it. Lines stay where they are: what is added goes on the first line. */
export async function moduleSource(file: ModuleFile): Promise<OnLoadResult> {
  const text = file.text.replace(/^#![^\n]*/, "");
  const plain = file.loader === "js" ? text : await asJavaScript(file, text);
  if (plain === null) {
    // esbuild reports what is wrong, with its place.
    return { contents: text, loader: file.loader };
  }
  const kind = kindOf(file, plain);
  const asked = askedBy(plain, kind);
  file.onAsked(asked);
  const contents =
    kind === "module"
      ? moduleHead(file, asked.text) + (await withoutRequire(file, asked.text))
      : commonHead(file, asked.text);
  return { contents, loader: "js" };
}

async function asJavaScript(
  file: ModuleFile,
  text: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  try {
    const result = await transform(text, {
      loader: file.loader,
      define,
      target: "es2024",
      charset: "utf8",
      sourcemap: "inline",
      sourcesContent: false,
      sourcefile: `skill:${file.path}`,
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: false, jsx: "react" } },
    });
    return result.code;
  } catch {
    return null;
  }
}

/** `.mjs` and what only parses as a module are modules; `.cjs` never is. */
function kindOf(file: ModuleFile, text: string): "module" | "common" {
  const extension = posix.extname(file.path);
  if (extension === ".mjs" || extension === ".mts") {
    return "module";
  }
  if (extension === ".cjs" || extension === ".cts") {
    return "common";
  }
  if (file.module === "module" && parses(text, "module")) {
    return "module";
  }
  return parses(text, "script") ? "common" : "module";
}

function parses(text: string, sourceType: "script" | "module"): boolean {
  try {
    parse(text, {
      ecmaVersion: "latest",
      sourceType,
      allowReturnOutsideFunction: sourceType === "script",
      allowHashBang: true,
    });
    return true;
  } catch {
    return false;
  }
}

/** `import.meta` as a whole, for scripts that take it apart themselves. */
const META =
  "__es_meta = { __proto__: null, dirname: __es_dirname, filename: __es_filename, main: __es_is_main, resolve: __es_resolve, url: __es_url }";

function moduleHead(file: ModuleFile, text: string): string {
  const directory = posix.dirname(file.path);
  const values = {
    __es_url: `file://${encodeURI(file.path).replaceAll("#", "%23").replaceAll("?", "%3F")}`,
    __es_dirname: directory,
    __es_filename: file.path,
    __es_is_main: file.main === "main",
  };
  const constants = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const path = JSON.stringify(file.path);
  const late = text.includes("__es_import(") ? `__es_import = __es.importer(${path}), ` : "";
  return `const ${constants.join(", ")}, __es_resolve = __es.resolver(${path}), ${late}${META}; `;
}

/** Whether a script's first word is the directive. */
function isStrict(text: string): boolean {
  const before = /\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\//y;
  let at = 0;
  while (before.test(text)) {
    at = before.lastIndex;
  }
  return /^(["'])use strict\1/.test(text.slice(at, at + 12));
}

function commonHead(file: ModuleFile, text: string): string {
  const main = file.main === "main" ? "__es.main(module)" : "__es.mainModule";
  const strict = isStrict(text) ? '"use strict"; ' : "";
  const constants = {
    __filename: JSON.stringify(file.path),
    __dirname: JSON.stringify(posix.dirname(file.path)),
    __es_main: main,
    __es_require_resolve: `__es.requireResolver(${JSON.stringify(file.path)})`,
    __es_require_cache: "{}",
    ...(text.includes("__es_require(") ? { __es_require: `__es.requireFrom(${JSON.stringify(file.path)})` } : {}),
    ...(text.includes("__es_import(") ? { __es_import: `__es.importer(${JSON.stringify(file.path)})` } : {}),
  };
  const head = Object.entries(constants).map(([name, value]) => `${name} = ${value}`);
  // `var`, so that a script may declare the same names itself, and an export, so that the file is CommonJS even when it exports nothing.
  return `${strict}module.exports; var ${head.join(", ")}; ${text}`;
}

/**
 * In a module there is no `require` unless it makes one: using it has to fail as in Node.js. esbuild knows which uses are free; what
 * it puts in their place is led to the sandbox once the script is in one piece.
 */
async function withoutRequire(file: ModuleFile, text: string): Promise<string> {
  if (!/\brequire\b|\\u/.test(text)) {
    return text;
  }
  return (await asJavaScript({ ...file, loader: "js" }, text, { require: NO_REQUIRE })) ?? text;
}
