/** Owns starting the engine of a run when it is first used; never what is asked of it. */
import type { Vfs } from "../files/vfs.ts";
import type { RunState } from "../run-state.ts";
import { Engine } from "./engine.ts";

/** What the engine needs before there is any database: its stack and its first heap. */
const LEAST_BYTES = 24 << 20;

/** The part of a run's memory that its databases may take. */
const SHARE = 0.5;

/** @param state its limits bound the engine's memory, which counts beside Python's */
export async function startEngine(files: Vfs, state: RunState): Promise<Engine> {
  // Most runs have no database: the module is not even compiled for them.
  const { default: module } = await import("./sqlite.wasm");
  return new Engine(module, files, state, Math.max(LEAST_BYTES, state.limits.memory_bytes * SHARE));
}
