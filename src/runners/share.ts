/** Owns which JavaScript runs share an isolate, as the operator decides; never who an actor is. */
import { digestOf } from "../model/digest.ts";
import type { Isolation } from "../model/run.ts";
import type { ScriptJob } from "../model/runner.ts";

/** The setting that counts for a tenant. */
export type IsolationFor = (tenant: string) => Isolation;

/** What `RunRequest.share` says of a job; undefined: its isolate is its own. */
export async function shareOf(
  { isolation: tenant, actor = null }: Pick<ScriptJob, "isolation" | "actor">,
  isolationFor: IsolationFor,
): Promise<string | undefined> {
  const isolation = isolationFor(tenant);
  if (isolation === "tenant") {
    return "tenant";
  }
  // Nobody vouches for an actor that no verified JWT names: such a run is by itself.
  return isolation === "actor" && actor !== null
    ? `actor:${await digestOf(new TextEncoder().encode(actor))}`
    : undefined;
}
