import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type BuildResult, build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { EDGE_ALIAS } from "../../src/deploy/build-edge.ts";
import { REPOSITORY } from "./support/source-files.ts";

/**
 * Minified, as wrangler deploys it (wrangler.toml). With tenants, approvals, MCP and deploys in it 400 kB are allowed; the first Worker, which only
 * served skills, had 250. The MCP server package alone is a third; it is evaluated with the first MCP request.
 */
const MAX_GZIP_BYTES = 300_000;

/** What the edge Worker has no use for; a public twin of this project loaded its shell at start-up only to list skills, and crashed. */
const FOREIGN =
  /^src\/(?:sandbox|pack|deploy|cli|node|skills|testing)\/|\/(?:just-bash|esbuild|acorn|commander|miniflare|wrangler|pyodide|ai|client)\//;

let built: BuildResult<{ metafile: true; write: false }>;

beforeAll(async () => {
  built = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: ["src/worker.ts"],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*", "node:*"],
    alias: EDGE_ALIAS,
    logLevel: "silent",
  });
});

describe("worker.ts as one module", () => {
  it(`is at most ${MAX_GZIP_BYTES / 1_000} kB after gzip`, () => {
    const bytes = gzipSync(built.outputFiles[0]?.contents ?? new Uint8Array()).byteLength;
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  });

  it("holds nothing of the sandbox, the shell, the Python build or the Node side", () => {
    expect(Object.keys(built.metafile.inputs).filter((path) => FOREIGN.test(path))).toEqual([]);
  });

  it("is deployed with the same modules in place of others", () => {
    const toml = readFileSync(`${REPOSITORY}wrangler.toml`, "utf8");
    const [, table = ""] = /^\[alias\]\n((?:".*\n)*)/m.exec(toml) ?? [];
    const told = [...table.matchAll(/^"(.*)" = "\.\/(.*)"$/gm)].map(([, name, path]) => [name, `${REPOSITORY}${path}`]);
    expect(Object.fromEntries(told)).toEqual(EDGE_ALIAS);
  });

  it("needs no module of Node", () => {
    const imports = Object.values(built.metafile.outputs).flatMap((output) => output.imports.map((item) => item.path));
    expect([...new Set(imports)]).toEqual(["cloudflare:workers"]);
  });
});
