/** Owns what a program inside the box is started with; never runs one. */
import type { Sink } from "../output.ts";
import type { Machine } from "./machine.ts";

/** One program: words, surroundings, streams. */
export interface Process {
  readonly machine: Machine;
  /** Words after the program's name. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly stdout: Sink;
  readonly stderr: Sink;
}
