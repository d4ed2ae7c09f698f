/** Owns asking wrangler for the token of `wrangler login`, so that who is logged in there needs no other credentials. Never keeps it. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { CommandContext } from "./command.ts";

const run = promisify(execFile);
/** It may have to renew the token first. */
const TIMEOUT_MS = 30_000;

/** The token, renewed if it had run out; null when nobody is logged in. */
export async function wranglerToken({
  cwd,
  env,
  signal,
}: Pick<CommandContext, "cwd" | "env"> & Partial<Pick<CommandContext, "signal">>): Promise<string | null> {
  const wrangler = join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
  const options = { cwd, env: { ...env, WRANGLER_SEND_METRICS: "false" }, signal, timeout: TIMEOUT_MS };
  try {
    const { stdout } = await run(process.execPath, [wrangler, "auth", "token", "--json"], options);
    const { token } = JSON.parse(stdout) as { token?: unknown };
    return typeof token === "string" ? token : null;
  } catch {
    // It says "Not logged in" and exits with 1.
    return null;
  }
}
