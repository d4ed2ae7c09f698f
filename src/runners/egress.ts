/**
 * Owns the network of runs on the edge's side: each request of a script is judged by the operator's rules, gets the operator's secret,
 * and its answer is bounded and blanked. Redirects are never followed here: a script's client asks for the next hop, which is judged anew.
 */
import { readBounded } from "../model/bounded-body.ts";
import type { EgressRule, EgressStub } from "../model/egress.ts";
import { SkillsError } from "../model/errors.ts";
import type { RunLimits } from "../model/run.ts";
import { Blanker, secretsIn } from "./egress-blank.ts";
import { incomingHeaders, outgoingHeaders } from "./egress-headers.ts";
import { type EgressCaller, judge, loopbackPortsFor } from "./egress-rules.ts";

/** What the network of runs is made of. */
export interface EgressParts {
  readonly rules: readonly EgressRule[];
  /** Hosts of the service, as `ownHostOf` spells them; looked at with each request. */
  readonly own: ReadonlySet<string>;
  /** A secret by tenant and name; null when there is none. Asked with each request, so that a new one counts at once. */
  readonly secretOf: (tenant: string, name: string) => Promise<string | null>;
  /** Asks the outside. */
  readonly send: (request: Request) => Promise<Response>;
  /** Told of what was refused, for the operator's log; never of a secret. */
  readonly onRefused?: (facts: EgressRefusal) => void;
}

export interface EgressRefusal extends EgressCaller {
  readonly method: string;
  readonly origin: string;
  readonly reason: string;
}

/** What the network of a run is bounded by. */
export type EgressLimits = Pick<RunLimits, "timeout_ms" | "network_calls" | "network_bytes">;

/** Of one request or answer, which is held in memory while it passes; bytes. */
const MOST_BODY_BYTES = 8 * 1024 * 1024;

/** How many refusals of a run are told, and letters of their origins and methods. */
const MOST_TOLD = 20;
const MOST_ORIGIN = 300;
const MOST_METHOD = 32;

/** The network of one run. */
export interface RunNetwork {
  /** True once something was sent: what it did outside is not to be done twice. */
  readonly used: boolean;
  /** Ports of this machine that rules name. */
  readonly loopbackPorts: readonly number[];
  fetch(request: Request): Promise<Response>;
}

/** Makes the networks of runs. */
export type Egress = (caller: EgressCaller, limits: EgressLimits) => RunNetwork;

const NO_BODY = new Set([101, 204, 205, 304]);
const SENT_WITHOUT_BODY = new Set(["GET", "HEAD"]);

export function createEgress(parts: EgressParts): Egress {
  return (caller, limits) => new Network(parts, caller, limits);
}

/** Answers what must not be reached; the sandbox makes a refused connection of it. */
export function refusedResponse(): Response {
  return new Response("refused\n", { status: 403, headers: { "x-egress": "refused" } });
}

/** Thrown where a request does not go out or its answer does not come back; the message is for the log. */
class Refused extends Error {}

class Network implements RunNetwork {
  used = false;
  readonly loopbackPorts: readonly number[];
  readonly #parts: EgressParts;
  readonly #caller: EgressCaller;
  readonly #limits: EgressLimits;
  #calls = 0;
  #bytes = 0;
  #refusals = 0;

  constructor(parts: EgressParts, caller: EgressCaller, limits: EgressLimits) {
    this.#parts = parts;
    this.#caller = caller;
    this.#limits = limits;
    this.loopbackPorts = loopbackPortsFor(parts.rules, caller);
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    try {
      return await this.#pass(request, url);
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw new SkillsError("runner-failed", `Cannot reach ${url.origin}`, { cause: error });
      }
      this.#tell(request.method, url, error.message);
      return refusedResponse();
    }
  }

  /** A script has no end of requests and of letters for a host: the log has one. */
  #tell(method: string, url: URL, why: string): void {
    if (++this.#refusals <= MOST_TOLD) {
      const reason = this.#refusals < MOST_TOLD ? why : `${why}; what else is refused to this run is not told`;
      const origin = url.origin.slice(0, MOST_ORIGIN);
      this.#parts.onRefused?.({ ...this.#caller, method: method.slice(0, MOST_METHOD), origin, reason });
    }
  }

  async #pass(request: Request, url: URL): Promise<Response> {
    const method = request.method.toUpperCase();
    const verdict = judge(this.#parts.rules, this.#parts.own, this.#caller, method, url);
    if ("refused" in verdict) {
      throw new Refused(verdict.refused);
    }
    if (++this.#calls > this.#limits.network_calls) {
      throw new Refused("the run has used up its calls");
    }
    const secret = await this.#secretFor(verdict.rule);
    const body = SENT_WITHOUT_BODY.has(method) ? null : await this.#read(request.body);
    url.username = "";
    url.password = "";
    url.hash = "";
    this.used = true;
    const answer = await this.#parts.send(
      new Request(url, {
        method,
        headers: outgoingHeaders(request.headers, secret),
        redirect: "manual",
        signal: AbortSignal.timeout(this.#limits.timeout_ms),
        ...(body === null ? {} : { body }),
      }),
    );
    return await this.#answer(answer, secret === null ? null : new Blanker(secret.all));
  }

  async #secretFor({ secret }: EgressRule): Promise<{ header: string; value: string; all: string[] } | null> {
    if (secret === undefined) {
      return null;
    }
    const name = JSON.stringify(secret.name);
    const bare = await this.#parts.secretOf(this.#caller.tenant, secret.name).catch((error: unknown) => {
      throw new Refused(`the secret ${name} cannot be used: ${error instanceof Error ? error.message : error}`);
    });
    if (bare === null) {
      throw new Refused(`the secret ${name} is not there`);
    }
    const value = (secret.prefix ?? "") + bare;
    return { header: secret.header ?? "authorization", value, all: secretsIn(value, bare) };
  }

  async #answer(answer: Response, blanker: Blanker | null): Promise<Response> {
    const encoding = answer.headers.get("content-encoding") ?? "identity";
    // What the platform decodes, in this very spelling; it leaves anything else as it is.
    if (blanker !== null && !/^(?:identity|gzip|br)$/.test(encoding)) {
      await answer.body?.cancel();
      throw new Refused(`an answer in the encoding ${JSON.stringify(encoding)} cannot be looked through`);
    }
    const bytes = await this.#read(answer.body);
    blanker?.bytes(bytes);
    const headers = incomingHeaders(answer.headers, blanker === null ? null : (text) => blanker.text(text));
    const { status } = answer;
    const statusText = blanker === null ? answer.statusText : blanker.text(answer.statusText);
    return new Response(NO_BODY.has(status) ? null : bytes, { status, statusText, headers });
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await readBounded(body, MOST_BODY_BYTES, (more) => this.#count(more));
    if (bytes === null) {
      throw new Refused("a body is larger than what the run may send or get");
    }
    return bytes;
  }

  /** Whether so many bytes more have room beside all that is read just now. */
  #count(more: number): boolean {
    const fits = this.#bytes + more <= this.#limits.network_bytes;
    this.#bytes += fits ? more : 0;
    return fits;
  }
}

/** A stand-in for the outside that answers what it was told to, by whole URL. What it was not told of it refuses. */
export function stubSender(stub: ReadonlyMap<string, EgressStub>): EgressParts["send"] {
  return async ({ url }) => {
    const answer = stub.get(url) ?? stub.get("*");
    if (answer === undefined) {
      throw new Refused("the stand-in for the outside has no answer to it");
    }
    const { status, headers = {}, body } = answer;
    return new Response(NO_BODY.has(status) ? null : body, { status, headers });
  };
}
