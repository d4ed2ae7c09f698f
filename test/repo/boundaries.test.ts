import { describe, expect, it } from "vitest";
import { importedPackage, importedPath, type SourceFile, sourceFiles } from "./support/source-files.ts";

/** DESIGN.md §3: a file imports from its own room and from rooms of a lower rank. */
const RANKS: Readonly<Record<string, number>> = {
  model: 0,
  check: 1,
  bundle: 1,
  skills: 1,
  sources: 2,
  runners: 2,
  pack: 2,
  provider: 3,
  tenancy: 3,
  deploy: 3,
  http: 4,
  mcp: 4,
  console: 4,
  cli: 5,
  // Puts both sides together for hosts of their own: files of a disk behind the provider.
  node: 4,
  testing: 4,
};

/** The two sides, which meet only in model, check and bundle. */
const NODE_SIDE = new Set(["pack", "deploy", "cli"]);
const WORKER_SIDE = new Set(["skills", "sources", "runners", "provider", "tenancy", "http", "mcp", "console"]);

/** Which files may know a package; whatever is not named here may be known everywhere. */
const KNOWN_BY: Readonly<Record<string, RegExp>> = {
  // In the sandbox they are what a script's own imports lead to.
  "node:": /^src\/(?:node|pack|deploy|cli|sandbox)\/|^src\/cli\.ts$/,
  "cloudflare:": /^src\/(?:tenancy|runners|sandbox)\/|^src\/worker\.ts$/,
  hono: /^src\/(?:http|console)\//,
  esbuild: /^src\/pack\/|^src\/deploy\/build-edge\.ts$/,
  "just-bash": /^src\/sandbox\//,
  "sandbox:": /^src\/sandbox\//,
  yaml: /^src\/check\/|^src\/sandbox\/shell\/yq\.ts$/,
  cloudflare: /^src\/deploy\/cloudflare\//,
  aws4fetch: /^src\/deploy\/cloudflare\//,
  commander: /^src\/cli\//,
  miniflare: /^src\/deploy\//,
  wrangler: /^src\/deploy\//,
  "@modelcontextprotocol/server": /^src\/mcp\//,
  "@modelcontextprotocol/client": /^src\/sources\/mcp-/,
  ai: /^src\/provider\/ai-sdk-tools\.ts$/,
};

const files = sourceFiles();

function mayImport(from: SourceFile, path: string): boolean {
  const room = path.split("/")[1] ?? "";
  if (room === from.room) {
    return true;
  }
  if (from.room === "sandbox") {
    return room === "model";
  }
  const isEntry = from.room.endsWith(".ts");
  const crosses =
    (NODE_SIDE.has(from.room) && WORKER_SIDE.has(room)) || (WORKER_SIDE.has(from.room) && NODE_SIDE.has(room));
  const [own = Number.NaN, other = Number.NaN] = [RANKS[from.room], RANKS[room]];
  return room in RANKS && (isEntry || (other < own && !crosses));
}

/** The platform's modules by their scheme, packages by their name. */
function originOf(specifier: string): string | null {
  const scheme = /^(?:node|cloudflare|sandbox):/.exec(specifier)?.[0];
  return scheme ?? importedPackage(specifier);
}

describe("the source files", () => {
  it("are found, and stand in the rooms of DESIGN.md §3", () => {
    const rooms = new Set(files.map((file) => file.room).filter((room) => !room.endsWith(".ts")));
    expect(files.length).toBeGreaterThan(80);
    expect([...rooms].filter((room) => !(room in RANKS) && room !== "sandbox")).toEqual([]);
  });

  it("import from their own room and from lower ranks only, types included", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .map((specifier) => importedPath(file, specifier))
        .filter((path) => path !== null && !mayImport(file, path))
        .map((path) => `${file.path} → ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it("keep packages in the rooms that may know them", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => {
          const rule = KNOWN_BY[originOf(specifier) ?? ""];
          return rule !== undefined && !rule.test(file.path);
        })
        .map((specifier) => `${file.path} → ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have no cycles, types included", () => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      }
      const file = byPath.get(path);
      if (!file || done.has(path) || trail.includes(path)) {
        return;
      }
      for (const specifier of file.imports) {
        visit(importedPath(file, specifier) ?? "", [...trail, path]);
      }
      done.add(path);
    };
    for (const path of byPath.keys()) {
      visit(path, []);
    }
    expect(cycles).toEqual([]);
  });
});
