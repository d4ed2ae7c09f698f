/** Owns how imports of a script lead to the skill's own files, its npm packages, the sandbox's modules, or to an error that waits. */
import { join, posix } from "node:path";
import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild";
import { nodeModuleName } from "../../model/sandbox-table.ts";
import type { Asked } from "./asked.ts";
import type { LateModules } from "./late-modules.ts";
import { NPM_DIRECTORY, type NpmPackages } from "./npm-packages.ts";
import { moduleSource } from "./source.ts";

/** A script and what it may import. */
export interface JavaScriptSource {
  /** Path of the script, relative to the skill's root. */
  readonly path: string;
  /** All files of the skill by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What lies beside them in `node_modules`; default: nothing. */
  readonly npm?: NpmPackages | null;
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

/**
 * The module that starts the script.
 * @param late the text of a module that comes before it; null for none
 */
export function entryModule(path: string, late: string | null): string {
  return `${late === null ? "" : `import ${JSON.stringify(LATE)};\n`}import ${JSON.stringify(`${ROOT}/${path}`)};`;
}

const LATE = "sandbox:late";
const ASKED = "asked:";

/** Modules of the skill that a script may ask for when it runs: bytes by absolute path. */
export function scriptModules(source: JavaScriptSource): ReadonlyMap<string, number> {
  const modules = new Map<string, number>();
  for (const [path, bytes] of source.files) {
    const loader = LOADERS[posix.extname(path)];
    if (loader !== undefined && loader !== "text" && path !== source.path && !/\.d\.[cm]?ts$/.test(path)) {
      modules.set(`${ROOT}/${path}`, bytes.length);
    }
  }
  return modules;
}

/**
 * An esbuild plugin that knows nothing but the skill's files and its npm packages.
 * @param late told what files ask for when they run
 * @param lateText the text of the module before the script; null for none
 */
export function skillModules(source: JavaScriptSource, late: LateModules, lateText: string | null): Plugin {
  return {
    name: "skill",
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args) => resolve(source, build, args));
      build.onLoad({ filter: /.*/, namespace: "skill" }, ({ path }) => load(source, path, late));
      build.onLoad({ filter: /.*/, namespace: "late" }, () => ({ contents: lateText ?? "" }));
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

/** Marks what is asked of esbuild's own way of finding packages. */
const OF_PACKAGES = {};

async function resolve(
  source: JavaScriptSource,
  build: PluginBuild,
  args: OnResolveArgs,
): Promise<OnResolveResult | undefined> {
  if (args.pluginData === OF_PACKAGES) {
    return undefined;
  }
  if (args.path === LATE) {
    return { path: LATE, namespace: "late" };
  }
  if (args.namespace === "late" && args.path.startsWith(ASKED)) {
    const [importer, path] = JSON.parse(args.path.slice(ASKED.length)) as [string, string];
    return resolve(source, build, { ...args, path, importer, namespace: "skill" });
  }
  const name = nodeModuleName(args.path);
  if (name !== null) {
    return { path: name, namespace: "node" };
  }
  const isFile = args.path.startsWith(".") || args.path.startsWith("/");
  const found =
    isFile && !liesInPackage(args.importer) ? findFile(source, args) : await findInPackages(source, build, args);
  if (found !== null) {
    return { path: found, namespace: "skill" };
  }
  const kind = args.kind === "require-call" ? "require" : "import";
  return { path: JSON.stringify([args.path, kind, args.importer]), namespace: "missing" };
}

function findFile(source: JavaScriptSource, { path: wanted, namespace, importer }: OnResolveArgs): string | null {
  const path = posix.resolve(namespace === "skill" ? posix.dirname(importer) : "/", wanted);
  const extension = posix.extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const candidates = [
    ...EXTENSIONS.map((end) => path + end),
    ...(TYPESCRIPT[extension] ?? []).map((end) => stem + end),
    ...EXTENSIONS.slice(1).map((end) => `${path}/index${end}`),
  ];
  return candidates.find((candidate) => source.files.has(inSkill(candidate))) ?? null;
}

/** esbuild looks for packages up to the root of the disk; what it finds outside of the skill's own does not count. */
async function findInPackages(
  { npm }: JavaScriptSource,
  build: PluginBuild,
  { path, kind, importer }: OnResolveArgs,
): Promise<string | null> {
  if (!npm || !importer.startsWith(ROOT)) {
    return null;
  }
  const resolveDir = join(npm.root, posix.dirname(inSkill(importer)));
  const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: OF_PACKAGES });
  const own = found.errors.length > 0 ? null : npm.pathOf(found.path);
  return own === null ? null : `${ROOT}/${own}`;
}

function liesInPackage(path: string): boolean {
  return path.split("/").includes(NPM_DIRECTORY);
}

function load(source: JavaScriptSource, path: string, late: LateModules): OnLoadResult | Promise<OnLoadResult> {
  const bytes = bytesOf(source, path);
  const loader =
    path === `${ROOT}/${source.path}` ? (LOADERS[posix.extname(path)] ?? "js") : LOADERS[posix.extname(path)];
  const text = new TextDecoder().decode(bytes ?? undefined).replace(/^\uFEFF/, "");
  if (loader === undefined) {
    return { contents: `throw new Error(${JSON.stringify(`${path} is no module`)}); module.exports = {};` };
  }
  if (loader === "json" || loader === "text") {
    return { contents: text, loader };
  }
  const main = path === `${ROOT}/${source.path}` ? "main" : "other";
  const onAsked = ({ named, computed }: Asked) => late.note(path, named, liesInPackage(path) ? new Set() : computed);
  return moduleSource({ path, text, loader, main, module: packageType(source, path), onAsked });
}

/** What the nearest package.json says about `.js` files. */
function packageType(source: JavaScriptSource, path: string): "module" | "unsaid" {
  for (let dir = posix.dirname(path); dir.startsWith(ROOT); dir = posix.dirname(dir)) {
    const bytes = bytesOf(source, `${dir}/package.json`);
    if (bytes !== null) {
      return /"type"\s*:\s*"module"/.test(new TextDecoder().decode(bytes)) ? "module" : "unsaid";
    }
  }
  return "unsaid";
}

function bytesOf({ files, npm }: JavaScriptSource, path: string): Uint8Array | null {
  return files.get(inSkill(path)) ?? npm?.read(inSkill(path)) ?? null;
}

function inSkill(path: string): string {
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
}
