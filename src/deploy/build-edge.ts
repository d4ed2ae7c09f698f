/** Owns making one module of the edge Worker for local use, with the esbuild that packs scripts. */

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ENTRY = fileURLToPath(new URL("../worker.ts", import.meta.url));

/** The edge Worker as one ES module. */
export async function buildEdge(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  const [output] = outputFiles;
  if (!output) {
    throw new Error("esbuild made no output for the edge Worker");
  }
  return output.text;
}
