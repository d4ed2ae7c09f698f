/**
 * Owns sending a run to a function elsewhere by the script function protocol (CONTRACT.md §3): signed, without redirects, its answer bounded
 * and looked at. Never tells the caller where the function is or what it answered instead of a run; the error's cause has that for the log.
 */
import { readBounded } from "../model/bounded-body.ts";
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import type { RunResult } from "../model/run.ts";
import type { ScriptJob, ScriptRunner } from "../model/runner.ts";
import { SIGNATURE_HEADER, signatureOf } from "../model/signature.ts";
import { isPrivateHost } from "./egress-address.ts";
import { runOf } from "./function-answer.ts";
import { type FunctionSends, functionRequestOf } from "./function-request.ts";

/** Where a function is, and how it is asked. */
export interface HttpFunctionOptions {
  /** HTTPS; plain HTTP only to a private address. */
  readonly url: string;
  /** What both sides sign with. Asked with each run, so that a new one counts at once; null when there is none. */
  readonly secret: string | (() => Promise<string | null>);
  /** Default `skill`: everything goes with a run. `call` for a function that has the skills. */
  readonly sends?: FunctionSends;
  /** How much longer than a run's own limit its answer may take, milliseconds; default 10 s. */
  readonly graceMs?: number;
  /** Bytes of an answer; default 32 MiB. */
  readonly answerBytes?: number;
  /** Default: the platform's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

const GRACE_MS = 10_000;
const ANSWER_BYTES = 32 * 1024 * 1024;

/** How often a function that could not be connected to is tried again, and how long after. */
const RETRIES = 2;
const RETRY_PAUSE_MS = 200;

/** With these nothing was sent. Only Node tells; a Worker is not told how far a request came, so there each is sent once. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/**
 * Makes a runner of a function. It runs whatever the function has an interpreter for, so scripts that the sandbox lacks something for run too.
 * Throws `config-invalid` for an address that no script should be sent to.
 *
 * @example
 * createHttpFunctionRunner({ url: "https://functions.example.com/run", secret: process.env.FUNCTION_SECRET });
 */
export function createHttpFunctionRunner(options: HttpFunctionOptions): ScriptRunner {
  const url = addressOf(options.url);
  return {
    reasonAgainst: () => null,
    countRunnable: (_skill, { scripts }) => scripts,
    async run(job) {
      try {
        return await ask(url, job, options);
      } catch (cause) {
        // What could not be read here was not the function's fault.
        if (SkillsError.is(cause)) {
          throw cause;
        }
        throw failed(url, cause);
      }
    },
  };
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isGood = url?.protocol === "https:" || (url?.protocol === "http:" && isPrivateHost(url.hostname));
  if (url === null || !isGood || url.username !== "" || url.password !== "") {
    throw new SkillsError(
      "config-invalid",
      "Cannot use a function's address: HTTPS is needed, or HTTP to a private address, without user and password",
    );
  }
  return url;
}

async function ask(url: URL, job: ScriptJob, options: HttpFunctionOptions): Promise<RunResult> {
  const { sends = "skill", graceMs = GRACE_MS } = options;
  const key = await keyOf(options);
  const body = JSON.stringify(await functionRequestOf(job, sends));
  const ms = job.limits.timeout_ms + graceMs;
  const over = AbortSignal.timeout(ms);
  const signal = job.signal === null ? over : AbortSignal.any([job.signal, over]);
  const { traceparent = null } = job;
  return inTime(exchange(url, { body, key, signal, traceparent }, job, options), ms);
}

async function keyOf({ secret }: HttpFunctionOptions): Promise<string> {
  const key =
    typeof secret === "string"
      ? secret
      : await secret().catch((cause: unknown) => {
          throw new Error(`its secret cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause });
        });
  if (key === null || key === "") {
    throw new Error("its secret is not there");
  }
  return key;
}

interface Message {
  readonly body: string;
  readonly key: string;
  readonly signal: AbortSignal;
  /** What the run is part of; null outside of a trace. */
  readonly traceparent: string | null;
}

async function exchange(url: URL, message: Message, job: ScriptJob, options: HttpFunctionOptions): Promise<RunResult> {
  const response = await post(url, message, options.fetch ?? ((request) => fetch(request)));
  if (response.status !== 200) {
    // Whoever sends may not care: it is not waited for.
    response.body?.cancel().catch(() => undefined);
    throw new Error(`it answered ${response.status}`);
  }
  const most = options.answerBytes ?? ANSWER_BYTES;
  const bytes = await readBounded(response.body, most);
  if (bytes === null) {
    throw new Error(`its answer is over ${most} bytes`);
  }
  return runOf(new TextDecoder().decode(bytes), job.limits);
}

/** Sends it; once more, under the same id, where nothing can have come through. */
async function post(
  url: URL,
  { body, key, signal, traceparent }: Message,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  for (let left = RETRIES; ; left--) {
    try {
      const headers = {
        "Content-Type": "application/json",
        [SIGNATURE_HEADER]: await signatureOf(key, body, Date.now()),
        ...(traceparent === null ? {} : { traceparent }),
      };
      return await send(new Request(url, { method: "POST", headers, body, redirect: "manual", signal }));
    } catch (error) {
      if (left === 0 || signal.aborted || !wasNotConnected(error)) {
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
  }
}

function wasNotConnected(error: unknown): boolean {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return (typeof code === "string" && NOT_CONNECTED.has(code)) || wasNotConnected(cause);
}

/** For the caller no more than that it failed; for the log where and why. The query of an address may be a key. */
function failed(url: URL, cause: unknown): SkillsError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SkillsError("runner-failed", "Cannot run the script: the function that runs it gave no run", {
    cause: new Error(`${url.origin}${url.pathname}: ${why}`, { cause }),
  });
}
