/** Owns what a runner and a local supervisor of its process tell each other about runs; the rule is in src/sandbox/watch.ts. Plain data. */
import type { RunLimitName } from "./run.ts";

/** What the runner tells. */
export type WatchMessage =
  | { readonly event: "begin"; readonly id: string; readonly timeout_ms: number }
  | { readonly event: "end"; readonly id: string };

/** What the supervisor answers to a begin: go on, or "this very run has brought the process down; here is why it is stopped". */
export interface WatchVerdict {
  readonly stopped: RunLimitName | null;
}
