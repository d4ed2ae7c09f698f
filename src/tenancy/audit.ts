/**
 * Owns what is written down of the use of skills: one line of the log and one data point for each load, read, run, change and decision.
 * Never arguments, input or output of a call, and never a token: its id.
 */

import type { AuditEventName } from "./audit-events.ts";

/** What happened, to what, through whom. */
export interface AuditEvent {
  readonly event: AuditEventName;
  /** Of the token. */
  readonly tenant: string;
  /** The tenant that the operator looked after; null for the token's own. */
  readonly for_tenant: string | null;
  /** Id of the token. */
  readonly token: string;
  readonly agent: string | null;
  readonly session: string | null;
  readonly skill: string | null;
  readonly digest: string | null;
  /** The resource, script, approval, token, bundle, recalled digest, secret's name or tenant. */
  readonly item: string | null;
  /** `ok`, `pending`, or the code of what went wrong. */
  readonly outcome: string;
  /** Exit code of a run. */
  readonly exit_code: number | null;
  readonly duration_ms: number | null;
  readonly request_id: string;
  /** Of W3C Trace Context, as the caller sent it. */
  readonly trace_id: string | null;
}

/** Takes events. */
export type Audit = (event: AuditEvent) => void;

/** Makes what writes to the log and, where there is one, to a dataset: indexed by tenant, times and exit code as numbers. */
export function createAudit(log: (line: string) => void, dataset: AnalyticsEngineDataset | null): Audit {
  return (event) => {
    // Put together as text: a copy of the event would cost as much as writing it.
    log(`{"level":"info","message":"audit",${JSON.stringify(event).slice(1)}`);
    const { event: name, tenant, skill, digest, item, outcome, for_tenant, duration_ms, exit_code } = event;
    dataset?.writeDataPoint({
      indexes: [tenant],
      blobs: [name, tenant, skill, digest, item, outcome, for_tenant],
      doubles: [duration_ms ?? 0, exit_code ?? -1],
    });
  };
}
