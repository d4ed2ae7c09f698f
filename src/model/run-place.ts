/** Owns what the local front of the runner and the pool of its processes tell each other about runs. Plain data; the rule is in src/deploy/runner-pool.ts. */
import type { RunLimitName, RunLimits } from "./run.ts";

/** Where a run has begun before the pool was told of it. */
export interface BegunAt {
  readonly process: number;
  /** How long ago, milliseconds. */
  readonly ago_ms: number;
}

/** What the front tells of one run. */
export type PlaceMessage =
  /**
   * It wants a process; sent again, with the same id, after it was lost. With `at` it has begun in one already, and stays there if that is up.
   * Of a run that is over before it was told, nothing is.
   */
  | ({ readonly event: "begin"; readonly id: string; readonly at?: BegunAt } & Pick<RunLimits, "timeout_ms" | "cpu_ms">)
  /** It is not over yet: asks to be told should the pool give it up. */
  | { readonly event: "wait"; readonly id: string }
  /** It has asked for something just now: its process is slow perhaps, but not blocked. */
  | { readonly event: "alive"; readonly id: string }
  /** Its process is not there any more. */
  | { readonly event: "gone"; readonly id: string }
  /** Its own clock has stopped it: asks whether others have had its time. */
  | { readonly event: "stopped"; readonly id: string }
  | { readonly event: "end"; readonly id: string };

/** The answer to `begin`. */
export type Place =
  /** `next` is where a run that comes now would go, if that is another one; null while that is to be asked. */
  | { readonly process: number; readonly next?: number | null }
  | { readonly busy: true; readonly retry_after_ms: number }
  | { readonly given_up: string }
  /** It has begun where no process is, or in one that is not there any more. */
  | { readonly nowhere: true };

/** The answer to `wait`, `gone` and `stopped`: what became of the run. */
export type Fate =
  /** This very run is why its process is ended. */
  | { readonly stopped: RunLimitName; readonly after_ms: number }
  /** Another run is; this one may begin again if it has done nothing outside. */
  | { readonly lost: string }
  | { readonly over: true };
