/** Owns preparing one source file for bundling: what kind of module it is, and the constants Node gives each file; never resolves imports. */
import { posix } from "node:path";
import { type Node, parse } from "acorn";
import { type Loader, type OnLoadResult, transform } from "esbuild";
import { walkNodes } from "./walk.ts";

export interface ModuleFile {
  /** Absolute, as it will be when it runs. */
  readonly path: string;
  readonly text: string;
  readonly loader: Loader;
  readonly main: "main" | "other";
  /** What package.json says. */
  readonly module: "module" | "unsaid";
}

/** The file as esbuild gets it. Lines stay where they are: what is added goes on the first line. */
export async function moduleSource(file: ModuleFile): Promise<OnLoadResult> {
  const text = file.text.replace(/^#![^\n]*/, "");
  const plain = file.loader === "js" ? text : await asJavaScript(file, text);
  if (plain === null) {
    // esbuild reports what is wrong, with its place.
    return { contents: text, loader: file.loader };
  }
  const isModule = kindOf(file, plain) === "module";
  const contents = isModule ? moduleHead(file) + withoutRequire(plain) : commonHead(file, plain);
  return { contents, loader: "js" };
}

async function asJavaScript(file: ModuleFile, text: string): Promise<string | null> {
  try {
    const result = await transform(text, {
      loader: file.loader,
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

function moduleHead(file: ModuleFile): string {
  const directory = posix.dirname(file.path);
  const values = {
    __es_url: `file://${encodeURI(file.path).replaceAll("#", "%23").replaceAll("?", "%3F")}`,
    __es_dirname: directory,
    __es_filename: file.path,
    __es_is_main: file.main === "main",
  };
  const constants = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return `const ${constants.join(", ")}, __es_resolve = __es.resolver(${JSON.stringify(file.path)}); `;
}

function commonHead(file: ModuleFile, text: string): string {
  const main = file.main === "main" ? "__es.main(module)" : "__es.mainModule";
  const strict = /^\s*(?:(?:\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)\s*)*(["'])use strict\1/.test(text) ? '"use strict"; ' : "";
  const constants = {
    __filename: JSON.stringify(file.path),
    __dirname: JSON.stringify(posix.dirname(file.path)),
    __es_main: main,
    __es_require_resolve: `__es.requireResolver(${JSON.stringify(file.path)})`,
    __es_require_cache: "{}",
  };
  const head = Object.entries(constants).map(([name, value]) => `${name} = ${value}`);
  // `var`, so that a script may declare the same names itself, and an export, so that the file is CommonJS even when it exports nothing.
  return `${strict}module.exports; var ${head.join(", ")}; ${text}`;
}

/** In a module there is no `require` unless it makes one: calling it has to fail as in Node.js. */
function withoutRequire(text: string): string {
  if (
    !/\brequire\b/.test(text) ||
    /\b(?:const|let|var|function|class)\s+require\b|\bimport\b[^;]*\brequire\b[^;]*\bfrom\b/.test(text)
  ) {
    return text;
  }
  const places: number[] = [];
  try {
    const tree = parse(text, { ecmaVersion: "latest", sourceType: "module" });
    walkNodes(tree, (node, parent, key) => {
      if (isFreeName(node, parent, key)) {
        places.push(node.start);
      }
    });
  } catch {
    return text;
  }
  return places.reduceRight(
    (code, at) => `${code.slice(0, at)}__es_no_require${code.slice(at + "require".length)}`,
    text,
  );
}

function isFreeName(node: Node, parent: Node | null, key: string): boolean {
  if (node.type !== "Identifier" || (node as { name?: string }).name !== "require") {
    return false;
  }
  const inName =
    parent?.type === "MemberExpression" ? key === "property" : parent?.type === "Property" && key === "key";
  return !(inName && (parent as { computed?: boolean } | null)?.computed !== true);
}
