/** Owns what just-bash may use up in one shell process; never the limits of a whole run. */
import type { BashOptions } from "just-bash/browser";
import type { RunLimits } from "../../model/run.ts";

/** Commands a shell may run for each millisecond of CPU it is given. */
const COMMANDS_PER_MS = 200;

/** Words that one brace expansion may give; just-bash takes no more steps for it. */
const MOST_BRACE_WORDS = 100_000;

/** How many times its memory a shell may write in all: just-bash counts what its commands print over the whole run, also into files. */
const MOST_OUTPUT_TIMES = 16;

/** How long a program that was stopped may take to hand on what it has printed. */
const WIND_UP_MS = 150;

/** just-bash's own limits for a run's limits. */
export function shellLimits(limits: RunLimits): NonNullable<BashOptions["executionLimits"]> {
  const commands = limits.cpu_ms * COMMANDS_PER_MS;
  return {
    maxCommandCount: commands,
    maxLoopIterations: commands,
    maxAwkIterations: commands,
    maxSedIterations: commands,
    maxJqIterations: commands,
    maxCallDepth: 200,
    maxBraceExpansionResults: MOST_BRACE_WORDS,
    maxOutputSize: limits.memory_bytes * MOST_OUTPUT_TIMES,
    maxStringLength: Math.min(limits.memory_bytes / 4, 16 << 20),
    maxLiveBytes: limits.memory_bytes,
    maxFileSystemBytes: limits.memory_bytes,
    maxExecutionTimeMs: limits.timeout_ms + 1000,
    maxExtensionCleanupTimeMs: WIND_UP_MS,
  };
}
