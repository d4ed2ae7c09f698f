/**
 * Owns sending a run to the runner Worker over a service binding. Holds what the sandbox must not: how to read the skill's files, and the
 * rules of the network. Never runs anything here.
 */
import { RpcTarget } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import {
  RUN_PROTOCOL,
  type RunHost,
  type RunnerService,
  type RunRefusal,
  type RunRequest,
  type RunResult,
} from "../model/run.ts";
import type { ScriptJob, ScriptRunner } from "../model/runner.ts";
import { type Egress, type RunNetwork, refusedResponse } from "./egress.ts";
import { type IsolationFor, shareOf } from "./share.ts";

/** How much longer than a run's own limit its answer may take: waiting for a place, starting, sending files. */
const GRACE_MS = 30_000;

/** How long a runner that went down is asked again, and how often: starting anew takes it about a second. */
const RETRY_MS = 6_000;
const RETRY_PAUSE_MS = 200;

/** How often a run that was lost through another one is sent again. */
const MOST_REPEATS = 2;

/** The setting's own default. */
const ALONE: IsolationFor = () => "run";

/**
 * Makes a runner of a binding to the runner Worker. Without an egress its scripts have no network.
 * @param isolationFor what JavaScript runs of a tenant share an isolate with; default: nothing
 */
export function createServiceBindingRunner(
  runner: RunnerService,
  egress: Egress | null = null,
  isolationFor: IsolationFor = ALONE,
): ScriptRunner {
  return {
    async run(job) {
      const caller = { skill: job.skill.name, tenant: job.isolation };
      const network = egress?.(caller, job.limits) ?? NO_NETWORK;
      const answer = await send(runner, toRequest(job, network, await shareOf(job, isolationFor)), job, network);
      if ("refused" in answer) {
        throw refusal(answer);
      }
      return answer;
    },
  };
}

const NO_NETWORK: RunNetwork = { used: false, loopbackPorts: [], fetch: async () => refusedResponse() };

async function send(
  runner: RunnerService,
  request: RunRequest,
  job: ScriptJob,
  network: RunNetwork,
): Promise<RunResult | RunRefusal> {
  const answer: unknown = await ask(runner, request, job, network);
  // The runner deploys apart: what it answers is not known until it is looked at.
  if (typeof answer !== "object" || answer === null || !("refused" in answer || "exit_code" in answer)) {
    throw new SkillsError("runner-failed", "Cannot run the script: the runner's answer is no run");
  }
  return answer as RunResult | RunRefusal;
}

/**
 * Asks until the runner answers. One that went down meanwhile is asked again under the same id, so that it can tell which run it was that
 * brought it down. A run that has used the network is not repeated: what it did outside would be done twice.
 */
async function ask(runner: RunnerService, request: RunRequest, job: ScriptJob, network: RunNetwork): Promise<unknown> {
  const host = new JobHost(job, network);
  let giveUpAt: number | null = null;
  for (let repeats = 0; ; ) {
    try {
      const answer: unknown = await inTime(runner.run(request, host), request.limits.timeout_ms + GRACE_MS);
      if (!isLost(answer) || network.used || repeats++ >= MOST_REPEATS) {
        return answer;
      }
    } catch (cause) {
      giveUpAt ??= Date.now() + RETRY_MS;
      if (network.used && !wasThrownThere(cause)) {
        const words = "it was lost after it had used the network, so it is not run again by itself";
        throw new SkillsError("runner-lost", `Cannot tell how the script ended: ${words}`, { cause });
      }
      if (wasThrownThere(cause) || Date.now() >= giveUpAt) {
        throw new SkillsError("runner-failed", "Cannot run the script: the runner did not answer", { cause });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
  }
}

function isLost(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "refused" in answer && answer.refused === "runner-lost";
}

/** Tells an error that the runner's own code threw from a runner that is not there: only the second may be there again soon. */
function wasThrownThere(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "remote" in cause && cause.remote === true;
}

function refusal({ refused, message, retry_after_ms }: RunRefusal): SkillsError {
  const wait = retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms };
  return new SkillsError(refused, message, wait);
}

function toRequest(job: ScriptJob, { loopbackPorts }: RunNetwork, share: string | undefined): RunRequest {
  const { skill, script, argv, stdin, files, limits, isolation, traceparent = null } = job;
  const own = [skill.manifest, ...skill.files];
  const file = own.find((item) => item.path === script.path);
  if (script.runtime === null || file === undefined) {
    throw new SkillsError(
      "script-not-runnable",
      `Cannot run "${script.path}": ${script.reason ?? "it is no file of the skill"}`,
    );
  }
  return {
    protocol: RUN_PROTOCOL,
    id: crypto.randomUUID(),
    isolation,
    ...(share === undefined ? {} : { share }),
    skill: { name: skill.name, digest: skill.digest },
    script: { path: script.path, runtime: script.runtime, digest: file.digest, compiled: script.compiled },
    argv,
    stdin,
    skill_files: own.map(({ path, digest, size }) => ({ path, digest, size })),
    ...(skill.packages === undefined ? {} : { packages: skill.packages }),
    programs: skill.scripts.flatMap(({ path, compiled }) => (compiled === null ? [] : [{ path, compiled }])),
    files,
    limits,
    ...(loopbackPorts.length === 0 ? {} : { loopback_ports: loopbackPorts }),
    ...(traceparent === null ? {} : { traceparent }),
  };
}

/** What one run may reach outside the sandbox: the files of its skill, and what its network lets through. */
class JobHost extends RpcTarget implements RunHost {
  readonly #job: ScriptJob;
  readonly #network: RunNetwork;

  constructor(job: ScriptJob, network: RunNetwork) {
    super();
    this.#job = job;
    this.#network = network;
  }

  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]> {
    return this.#job.readFiles(digests);
  }

  fetch(request: Request): Promise<Response> {
    return this.#network.fetch(request);
  }
}
