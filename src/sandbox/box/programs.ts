/** Owns which programs the box has and by which names; never how one works. */
import { runPython } from "../python/interpreter.ts";
import { runShell } from "../shell/shell.ts";
import type { Program } from "./machine.ts";

export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["python3", runPython],
  ["python", runPython],
  ["bash", runShell],
  ["sh", runShell],
]);
