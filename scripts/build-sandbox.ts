/** Owns building what the runner Worker loads into its children (src/sandbox/generated/); never runs any of it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { patchCPython } from "./sandbox-patches.ts";
import { withLibrary } from "./sandbox-python.ts";
import { patchJustBash } from "./shell-patches.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const SANDBOX = join(ROOT, "src/sandbox");
const OUT = join(SANDBOX, "generated");
const JUST_BASH = join(ROOT, "node_modules/just-bash");
/** The build of sql.js whose imports and exports have their own names; its JavaScript is not used. */
const SQLITE = join(ROOT, "node_modules/sql.js/dist/sql-wasm-debug.wasm");
const CPYTHON = join(JUST_BASH, "vendor/cpython-emscripten");

/** Builds everything; the same input gives the same bytes. */
export async function buildSandbox(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const wasm = await withLibrary(CPYTHON, join(SANDBOX, "python/site"));
  const sqlite = readFileSync(SQLITE);
  const box = JSON.stringify(await boxModules());
  const modules = await javaScriptModules();
  const javascript = JSON.stringify({ version: versionOf(JSON.stringify(modules)), modules });
  const parts = { "box.txt": box, "javascript.txt": javascript, "python.wasm": wasm, "sqlite.wasm": sqlite };
  for (const [name, bytes] of Object.entries(parts)) {
    put(name, bytes);
  }
  // Of what the box is made of: children of JavaScript have a version of their own.
  put("version.txt", versionOf(box, wasm, sqlite));
  const generated = Object.keys(parts).concat("version.txt");
  const runner = await bundle(
    "worker.ts",
    generated.map((name) => `./generated/${name}`),
  );
  put("front.js", await bundle("local-front.ts", []));
  // For who packs: whether the shell will read a script.
  put("shell-syntax.js", await bundle("shell/syntax.ts", []));
  put("runner.js", runner.replaceAll(/(["'])\.\/generated\//g, "$1./"));
}

/** A short name of what children are made of: the same as long as that is the same. */
function versionOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(createHash("sha256").update(part).digest());
  }
  return hash.digest("hex").slice(0, 16);
}

/** Writes a file whole or not at all, and not when it is there already: others may be reading it. */
function put(name: string, content: Uint8Array | string): void {
  const path = join(OUT, name);
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) {
    return;
  }
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, bytes);
  renameSync(part, path);
}

/** What every JavaScript child is made of beside its script: modules as the loader takes them. */
async function javaScriptModules(): Promise<Record<string, string | { readonly cjs: string }>> {
  return {
    "runtime.js": await bundle("javascript/child.ts", ["./load.js"], "esm", "short"),
    // Only `require` loads a module at once and not before it is needed.
    "load.js": { cjs: "module.exports = (name) => require(name);" },
    "run-files.js": { cjs: await bundle("javascript/run-files.ts", ["./load.js"], "cjs") },
    "late.js": { cjs: await bundle("javascript/runtime/late.ts", ["./load.js"], "cjs") },
    "network.js": { cjs: await bundle("javascript/runtime/network.ts", ["./load.js"], "cjs") },
    "platform.js": { cjs: await bundle("javascript/runtime/platform.ts", ["./load.js"], "cjs") },
    "parse-args.js": { cjs: await bundle("javascript/runtime/parse-args.ts", ["./load.js"], "cjs") },
  };
}

/** What the child for Python and shell is made of: what is not needed at once is a module of its own. */
async function boxModules(): Promise<Record<string, string>> {
  const names = JSON.stringify(await commandNames());
  const { outputFiles } = await build({
    ...optionsOf("box/box.ts", ["./python.wasm", "./sqlite.wasm"], names),
    splitting: true,
    chunkNames: "[name]-[hash]",
    outdir: OUT,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text]));
}

/** The shell itself tells them. */
async function commandNames(): Promise<readonly string[]> {
  const code = await bundle("shell/names.ts", []);
  const { names } = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  return names;
}

async function bundle(
  entry: string,
  external: readonly string[],
  format: "esm" | "cjs" = "esm",
  names: "kept" | "short" = "kept",
): Promise<string> {
  const { outputFiles } = await build({
    ...optionsOf(entry, external),
    format,
    minifyIdentifiers: names === "short",
  });
  return outputFiles[0]?.text ?? "";
}

/** @param commandNames JSON of the names of the shell's commands, for what asks for them */
function optionsOf(entry: string, external: readonly string[], commandNames = "[]") {
  return {
    entryPoints: [join(SANDBOX, entry)],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    plugins: [provide(external, commandNames)],
    logLevel: "warning",
  } as const satisfies BuildOptions;
}

/** Gives the bundle its patched parts, and leaves what becomes a module of its own to the loader. */
function provide(external: readonly string[], commandNames: string): Plugin {
  return {
    name: "sandbox",
    setup(build) {
      build.onResolve({ filter: /\.(txt|wasm|bin)$|\/load\.js$/ }, ({ path }) => {
        const own = `./${path.split("/").slice(-1)[0]}`;
        const name = external.includes(path) ? path : own;
        return external.includes(name) ? { path: name, external: true } : null;
      });
      build.onResolve({ filter: /^sandbox:cpython$/ }, () => ({ path: "cpython", namespace: "sandbox" }));
      build.onLoad({ filter: /.*/, namespace: "sandbox" }, () => ({
        contents: patchCPython(readFileSync(join(CPYTHON, "python.cjs"), "utf8")),
        loader: "js",
        resolveDir: join(SANDBOX, "python"),
      }));
      build.onResolve({ filter: /^sandbox:command-names$/ }, () => ({ path: "command-names", namespace: "names" }));
      build.onLoad({ filter: /.*/, namespace: "names" }, () => ({ contents: commandNames, loader: "json" }));
      build.onResolve({ filter: /^sandbox:hooks$/ }, () => ({ path: join(SANDBOX, "shell/hooks.ts") }));
      build.onResolve({ filter: /^(?:just-bash\/browser|sandbox:just-bash)$/ }, () => ({
        path: join(JUST_BASH, "dist/bundle/browser.js"),
      }));
      build.onLoad({ filter: /just-bash\/dist\/bundle\/browser\.js$/ }, ({ path }) => ({
        contents: patchJustBash(readFileSync(path, "utf8")),
        loader: "js",
      }));
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = performance.now();
  await buildSandbox();
  console.error(`sandbox built in ${Math.round(performance.now() - started)} ms`);
}
