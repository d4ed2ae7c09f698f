/** Owns the runner Worker's doors: the run service for the edge, a health check for everyone; never storage, tokens or secrets. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { RunHost, RunnerService, RunRefusal, RunRequest, RunResult } from "../model/run.ts";
import type { Loader } from "./children.ts";
import { runOnce } from "./runner.ts";
import type { Watch } from "./watch.ts";

interface Env {
  readonly LOADER: Loader;
  /** Only where a local supervisor runs the Worker. */
  readonly WATCH?: Watch;
}

/** The run service; reached through a service binding with `entrypoint = "Runner"`. */
export class Runner extends WorkerEntrypoint<Env> implements RunnerService {
  run(request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
    return runOnce({ loader: this.env.LOADER, watch: this.env.WATCH }, request, host);
  }

  /** Answers at once. A supervisor that gets no answer in time has a runner that spins and restarts it. */
  ping(): string {
    return "pong";
  }
}

export default {
  fetch(request: Request): Response {
    const healthy = new URL(request.url).pathname === "/healthz";
    return healthy ? Response.json({ ok: true }) : new Response(null, { status: 404 });
  },
};
