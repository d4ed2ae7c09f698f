/** Owns fetching from a site that offers skills: bounded in bytes and in time, http and https only. Never sends a credential. */
import { SkillsError } from "../../model/errors.ts";

/** How long one answer may take. */
const TIMEOUT_MS = 10_000;

/** The bytes at a URL, redirects followed; null when nothing is there. Throws `source-unavailable`, or `source-invalid` for more than `limit` bytes. */
export async function fetchSite(
  url: URL,
  limit: number,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Uint8Array | null> {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new SkillsError("source-invalid", `Cannot fetch "${url.href}": only http and https are fetched`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new SkillsError("source-invalid", `Cannot fetch from "${url.host}": the address holds a password`);
  }
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, timeout]), credentials: "omit" });
    if (response.status === 404 || response.status === 410) {
      await response.body?.cancel();
      return null;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new SkillsError("source-unavailable", `"${url.href}" answers ${response.status}`, {
        hint: "try again later, or open the address in a browser",
      });
    }
    return await readBody(response, limit, url);
  } catch (error) {
    signal.throwIfAborted();
    if (SkillsError.is(error)) {
      throw error;
    }
    throw new SkillsError("source-unavailable", `"${url.href}" cannot be reached: ${reasonOf(error)}`, {
      cause: error,
      hint: "check the address and the network",
    });
  }
}

async function readBody(response: Response, limit: number, url: URL): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) {
      throw new SkillsError("source-invalid", `"${url.href}" has more than the ${limit} bytes that are read`);
    }
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
