/** Owns what a way of running is given for one run; plain data and capabilities, never code. */
import type { RunHost, RunLimitName, RunRequest } from "../model/run.ts";
import type { Loader } from "./children.ts";

/** What a way of running gets. */
export interface RunOrder {
  readonly loader: Loader;
  readonly request: RunRequest;
  readonly host: RunHost;
  /** When the wall clock ends the run, milliseconds since 1970. */
  readonly deadline: number;
  /** Which of the caller's isolates it may use. */
  readonly slot: number;
  /** Which of the caller's boxes has room for the programs of the run. */
  readonly boxSlot: () => number;
  /** Whether the run has done anything that another attempt would do twice: asked the network, or started a program. */
  readonly acts: { any: boolean };
  /** The first limit that a program of the run hit in another isolate than the run's own. */
  readonly noted: { limit: RunLimitName | null };
}
