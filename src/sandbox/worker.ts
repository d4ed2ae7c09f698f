/** Owns the runner Worker's doors: the run service for the edge, a health check for everyone; never storage, tokens or secrets. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { RunHost, RunnerService, RunRefusal, RunRequest, RunResult } from "../model/run.ts";
import type { Loader } from "./children.ts";
import { runOnce } from "./runner.ts";

interface Env {
  readonly LOADER: Loader;
}

/** The run service; reached through a service binding with `entrypoint = "Runner"`. */
export class Runner extends WorkerEntrypoint<Env> implements RunnerService {
  run(request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
    return runOnce(this.env.LOADER, request, host);
  }
}

export default {
  fetch(request: Request): Response {
    const healthy = new URL(request.url).pathname === "/healthz";
    return healthy ? Response.json({ ok: true }) : new Response(null, { status: 404 });
  },
};
