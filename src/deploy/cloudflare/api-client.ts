/** Owns how the official client of Cloudflare's API is called: as whom, with our patience, and with errors in our words. */
import { APIError } from "cloudflare/error";
import { createClient } from "cloudflare/tree-shakable";
import { SkillsError } from "../../model/errors.ts";
import { type Patience, sendPatiently } from "./patience.ts";

/** Whose account, and how. */
export interface ApiAccess {
  /** An API token, or the token of `wrangler login`. */
  readonly apiToken: string;
  readonly accountId: string;
  readonly baseUrl: string;
  readonly patience: Patience;
}

/** What is called, in words for people. */
export interface ApiPart {
  /** `KV`, `R2`. */
  readonly name: string;
  /** The permission that its calls need. */
  readonly permission: string;
  /** What a 404 means that is not about a key. */
  missing(told: string): { readonly message: string; readonly hint: string };
}

/** A client for one part of the API. */
export function apiClient({ apiToken, baseUrl, patience }: ApiAccess, { name }: ApiPart) {
  return createClient({
    apiToken,
    // What the environment says is for other programs.
    apiKey: null,
    apiEmail: null,
    userServiceKey: null,
    baseURL: baseUrl,
    resources: [],
    logLevel: "off",
    // Both are ours.
    maxRetries: 0,
    timeout: 2 ** 31 - 1,
    fetch: (url, init) => patientFetch(`reach Cloudflare's ${name}`, String(url), init, patience),
  });
}

/** Calls; an error comes in our words. */
export async function called<T>(part: ApiPart, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw inOurWords(error, part);
  }
}

/** Tells a key that is not there from a namespace or bucket that is not. */
export function hasCode(error: unknown, code: number): boolean {
  return error instanceof APIError && (error.errors ?? []).some((one) => one.code === code);
}

function inOurWords(error: unknown, { name, permission, missing }: ApiPart): unknown {
  const cause = error instanceof Error ? error.cause : null;
  if (SkillsError.is(cause)) {
    return cause;
  }
  if (!(error instanceof APIError)) {
    return error;
  }
  const { status, errors } = error;
  const told = (errors ?? []).map(({ message }) => message).join("; ") || `status ${status}`;
  if (status === 401 || status === 403) {
    return new SkillsError(
      "credentials-invalid",
      `Cloudflare refuses the API token for this account's ${name}: ${told}`,
      {
        cause: error,
        hint: `the token needs Account › ${permission} › Edit in the account of CLOUDFLARE_ACCOUNT_ID`,
      },
    );
  }
  if (status === 404) {
    const { message, hint } = missing(told);
    return new SkillsError("storage-unavailable", message, { cause: error, hint });
  }
  return new SkillsError("storage-unavailable", `Cloudflare's ${name} answered: ${told}`, { cause: error });
}

async function patientFetch(
  what: string,
  url: string,
  init: RequestInit | undefined,
  patience: Patience,
): Promise<Response> {
  const send = (signal: AbortSignal) => fetch(url, { ...init, signal });
  const { status, headers, body } = await sendPatiently(what, send, patience);
  return new Response(status === 204 ? null : (body as Uint8Array<ArrayBuffer>), { status, headers: plain(headers) });
}

/** The body has been decoded already. */
function plain(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("content-encoding");
  copy.delete("content-length");
  return copy;
}
