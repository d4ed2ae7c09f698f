/** Owns asking Cloudflare's API which formats of bundles a deployed edge Worker reads: what its wrangler.toml says stands among its settings. Changes nothing. */
import * as z from "zod/mini";
import type { WorkerAccess } from "./worker-secrets.ts";

/** The variable of wrangler.toml: numbers, by commas. */
export const FORMATS_VARIABLE = "EDGE_SKILLS_BUNDLE_FORMATS";

/** How long an answer may take, milliseconds. */
const ANSWER_MS = 10_000;

const FORMATS = /^\d+(?:\s*,\s*\d+)*$/;

const settingsSchema = z.object({
  result: z.object({ bindings: z.array(z.object({ name: z.string(), text: z.optional(z.string()) })) }),
});

/** The formats; null when nobody tells: no such Worker yet, one of before this was said, a token that may not ask, no answer. */
export async function workerFormats({
  apiToken,
  accountId,
  baseUrl,
  worker,
}: Omit<WorkerAccess, "patience">): Promise<readonly number[] | null> {
  const path = ["accounts", accountId, "workers", "scripts", worker, "settings"].map(encodeURIComponent).join("/");
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/${path}`, {
      headers: { Authorization: `Bearer ${apiToken}` },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const { result } = z.parse(settingsSchema, await response.json());
    const text = result.bindings.find(({ name }) => name === FORMATS_VARIABLE)?.text?.trim() ?? "";
    return FORMATS.test(text) ? text.split(",").map(Number) : null;
  } catch {
    return null;
  }
}
