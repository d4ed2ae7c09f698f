/** Owns telling people of the pauses that a target asks for. */
import type { Terminal } from "./terminal.ts";

/** A pause that people want to know of, milliseconds. */
const LONG_PAUSE_MS = 3_000;

/** Says why nothing happens, when it is for long. */
export function pauseTeller(terminal: Terminal): (ms: number, why: string) => void {
  return (ms, why) => {
    if (ms >= LONG_PAUSE_MS) {
      terminal.say(`waiting ${Math.ceil(ms / 1000)} s: ${why}`);
    }
  };
}
