/** Owns making one module of the edge Worker for local use, with the esbuild that packs scripts. */

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ENTRY = fileURLToPath(new URL("../worker.ts", import.meta.url));

/** What is put in the place of a package's own module; wrangler.toml says the same of a deploy. */
export const EDGE_ALIAS: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server/_shims": fileURLToPath(new URL("../mcp/platform.ts", import.meta.url)),
};

let built: string | null = null;

/** The edge Worker as one ES module. Built once per process: Ctrl-C at a terminal ends esbuild's own process, and a platform may be needed after it. */
export async function buildEdge(): Promise<string> {
  built ??= await bundle();
  return built;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*", "node:*"],
    alias: EDGE_ALIAS,
    logLevel: "silent",
  });
  const [output] = outputFiles;
  if (!output) {
    throw new Error("esbuild made no output for the edge Worker");
  }
  return output.text;
}
