/** Owns asking another service over HTTP: bounded in bytes and time, with words that name no credential. Never interprets what comes back. */
import { joinBytes } from "../model/bytes.ts";
import { SkillsError } from "../model/errors.ts";
import type { AgentSkillsSourceContext } from "../model/skill.ts";

/** What `fetch` is; a Worker's service binding has one too. */
export type Fetch = (request: Request) => Promise<Response>;

/** How another service is asked. */
export interface FetchOptions {
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** How long one answer may take, milliseconds; default 10 s. */
  readonly timeoutMs?: number;
  /** How many bytes one answer may have; default 25 MiB. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 25 * 1024 * 1024;

/** Sends a request; throws `storage-unavailable` when there is no answer in time. */
export async function send(
  url: URL,
  init: RequestInit,
  options: FetchOptions,
  context: Pick<AgentSkillsSourceContext, "signal">,
): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = context.signal === null ? timeout : AbortSignal.any([context.signal, timeout]);
  const call = options.fetch ?? ((request) => fetch(request));
  try {
    return await call(new Request(url, { ...init, signal }));
  } catch (cause) {
    context.signal?.throwIfAborted();
    throw new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: it does not answer`, { cause });
  }
}

/** The bytes of an answer; throws `storage-unavailable` for more than are allowed. */
export async function bytesOfAnswer(response: Response, url: URL, options: FetchOptions): Promise<Uint8Array> {
  const limit = options.maxBytes ?? MAX_BYTES;
  const parts: Uint8Array[] = [];
  let size = 0;
  const body: ReadableStream<Uint8Array> | null = response.body;
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
      size += part.value.byteLength;
      if (size > limit) {
        await reader?.cancel();
        throw new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: it has more than ${limit} bytes`);
      }
      parts.push(part.value);
    }
  } catch (cause) {
    throw SkillsError.is(cause)
      ? cause
      : new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: its answer broke off`, { cause });
  }
  return joinBytes(parts);
}

/** The JSON of an answer; throws `storage-unavailable` for what is none. */
export async function jsonOfAnswer(response: Response, url: URL, options: FetchOptions): Promise<unknown> {
  const bytes = await bytesOfAnswer(response, url, options);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: it is not JSON`, { cause });
  }
}

/** An address without what may be secret in it. */
export function placeOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
