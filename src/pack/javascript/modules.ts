/** Owns how imports of a script lead to the skill's own files, to the sandbox's modules, or to an error that waits; never reads the disk. */
import { posix } from "node:path";
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild";
import { NODE_MODULES } from "../../model/sandbox-table.ts";
import { moduleSource } from "./source.ts";

/** A script and what it may import. */
export interface JavaScriptSource {
  /** Path of the script, relative to the skill's root. */
  readonly path: string;
  /** All files of the skill by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Where the skill lies when its scripts run. */
const ROOT = "/skill";

const LOADERS: Readonly<Record<string, Loader>> = {
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx",
  ".json": "json",
  ".txt": "text",
  ".md": "text",
  ".html": "text",
  ".css": "text",
  ".sql": "text",
  ".csv": "text",
  ".yaml": "text",
  ".yml": "text",
};

const EXTENSIONS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json"];
/** TypeScript writes `./x.js` and means `./x.ts`. */
const TYPESCRIPT: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};

/** The module that starts the script. */
export function entryModule(path: string): string {
  return `import ${JSON.stringify(`${ROOT}/${path}`)};`;
}

/** An esbuild plugin that knows nothing but the skill's files. */
export function skillModules(source: JavaScriptSource): Plugin {
  return {
    name: "skill",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolve(source, args));
      build.onLoad({ filter: /.*/, namespace: "skill" }, ({ path }) => load(source, path));
      build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({
        contents: `module.exports = __es.builtin(${JSON.stringify(path)});`,
      }));
      build.onLoad({ filter: /.*/, namespace: "missing" }, ({ path }) => {
        const [specifier, kind, importer] = JSON.parse(path) as [string, string, string];
        const args = [specifier, kind, importer].map((text) => JSON.stringify(text)).join(", ");
        return { contents: `throw __es.missing(${args}); module.exports = {};` };
      });
    },
  };
}

function resolve(source: JavaScriptSource, args: OnResolveArgs): OnResolveResult {
  const name = args.path.replace(/^node:/, "");
  if (NODE_MODULES.has(name)) {
    return { path: name, namespace: "node" };
  }
  if (args.path.startsWith(".") || args.path.startsWith("/")) {
    const from = args.namespace === "skill" ? posix.dirname(args.importer) : "/";
    const found = find(source, posix.resolve(from, args.path));
    if (found !== null) {
      return { path: found, namespace: "skill" };
    }
  }
  const kind = args.kind === "require-call" ? "require" : "import";
  return { path: JSON.stringify([args.path, kind, args.importer]), namespace: "missing" };
}

function find(source: JavaScriptSource, path: string): string | null {
  const extension = posix.extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const candidates = [
    ...EXTENSIONS.map((end) => path + end),
    ...(TYPESCRIPT[extension] ?? []).map((end) => stem + end),
    ...EXTENSIONS.slice(1).map((end) => `${path}/index${end}`),
  ];
  return candidates.find((candidate) => source.files.has(inSkill(candidate))) ?? null;
}

function load(source: JavaScriptSource, path: string): OnLoadResult | Promise<OnLoadResult> {
  const bytes = source.files.get(inSkill(path));
  const loader =
    path === `${ROOT}/${source.path}` ? (LOADERS[posix.extname(path)] ?? "js") : LOADERS[posix.extname(path)];
  const text = new TextDecoder().decode(bytes).replace(/^\uFEFF/, "");
  if (loader === undefined) {
    return { contents: `throw new Error(${JSON.stringify(`${path} is no module`)}); module.exports = {};` };
  }
  if (loader === "json" || loader === "text") {
    return { contents: text, loader };
  }
  const main = path === `${ROOT}/${source.path}` ? "main" : "other";
  return moduleSource({ path, text, loader, main, module: packageType(source, path) });
}

/** What the nearest package.json says about `.js` files. */
function packageType(source: JavaScriptSource, path: string): "module" | "unsaid" {
  for (let dir = posix.dirname(path); dir.startsWith(ROOT); dir = posix.dirname(dir)) {
    const bytes = source.files.get(inSkill(`${dir}/package.json`));
    if (bytes !== undefined) {
      return /"type"\s*:\s*"module"/.test(new TextDecoder().decode(bytes)) ? "module" : "unsaid";
    }
  }
  return "unsaid";
}

function inSkill(path: string): string {
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
}
