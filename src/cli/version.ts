/** Owns the version of this program, as its package states it. */
import { readFileSync } from "node:fs";

/** The version, without a `v`. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
