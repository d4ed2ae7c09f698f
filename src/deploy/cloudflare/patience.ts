/** Owns sending one request until it is answered: time limits, tries again after 429, 5xx and dropped connections, as long as it was asked to wait. */
import { setTimeout as delay } from "node:timers/promises";
import { SkillsError } from "../../model/errors.ts";
import { UNCONNECTED_TRIES, whyUnconnected } from "../unconnected.ts";

export const CLOUDFLARE_API = "https://api.cloudflare.com/client/v4";

/** How long to try. Clock and chance are parameters. */
export interface Patience {
  /** Tries of one request, the first among them. */
  readonly tries: number;
  /** Of one try, milliseconds. */
  readonly timeoutMs: number;
  /** The first pause, doubled with each; milliseconds. */
  readonly pauseMs: number;
  /** No pause of our own is longer; what `Retry-After` asks for may be. */
  readonly longestPauseMs: number;
  /** Beyond this a `Retry-After` is not waited for. Cloudflare blocks for 5 minutes at most. */
  readonly longestAskedMs: number;
  sleep(ms: number): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  /** Told of pauses that people should know of. */
  readonly onPause?: (ms: number, why: string) => void;
}

export const DEFAULT_PATIENCE: Patience = {
  tries: 8,
  timeoutMs: 60_000,
  pauseMs: 500,
  longestPauseMs: 20_000,
  longestAskedMs: 310_000,
  sleep: (ms) => delay(ms),
  random: Math.random,
};

/** An answer, all of it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Whether an earlier try of it may have been carried out, although nobody said so. */
  readonly isUncertain: boolean;
}

/** Sends until there is an answer other than 429 and 5xx. Throws `storage-unavailable` when there is none in the end. */
export async function sendPatiently(
  what: string,
  send: (signal: AbortSignal) => Promise<Response>,
  patience: Patience,
): Promise<Answer> {
  let isUncertain = false;
  let reason = "";
  let { tries } = patience;
  for (let attempt = 0; attempt < tries; attempt++) {
    let askedMs: number | null = null;
    try {
      const response = await send(AbortSignal.timeout(patience.timeoutMs));
      const body = new Uint8Array(await response.arrayBuffer());
      const { status, headers } = response;
      if (status !== 429 && status < 500) {
        return { status, headers, body, isUncertain };
      }
      isUncertain ||= status !== 429;
      reason = `it answered ${status}`;
      askedMs = retryAfter(headers);
    } catch (error) {
      const unconnected = whyUnconnected(error);
      isUncertain ||= unconnected === null;
      tries = unconnected === null ? patience.tries : Math.min(UNCONNECTED_TRIES, patience.tries);
      reason = unconnected ?? reasonOf(error);
    }
    if (askedMs !== null && askedMs > patience.longestAskedMs) {
      reason = `${reason}, and asks to wait ${Math.ceil(askedMs / 1000)} s`;
      break;
    }
    if (attempt < tries - 1) {
      const ms = askedMs ?? ownPause(attempt, patience);
      patience.onPause?.(ms, `${what}: ${reason}`);
      await patience.sleep(ms);
    }
  }
  throw new SkillsError("storage-unavailable", `Cannot ${what}: ${reason}`, {
    hint: "deploy again later: what was confirmed is not sent again",
  });
}

/** How long to wait after a try of one's own accord, milliseconds. */
export function ownPause(
  attempt: number,
  { pauseMs, longestPauseMs, random }: Pick<Patience, "pauseMs" | "longestPauseMs" | "random">,
): number {
  const full = Math.min(longestPauseMs, pauseMs * 2 ** attempt);
  // Half of it by chance, so that many who failed together do not come back together.
  return full / 2 + (full / 2) * random();
}

/** Seconds, as Cloudflare sends it; its other form, a date, is counted from now. */
function retryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) {
    return null;
  }
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  if (error.name === "TimeoutError") {
    return "it did not answer in time";
  }
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
