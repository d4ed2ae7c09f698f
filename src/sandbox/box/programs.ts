/** Owns which programs the box has and by which names; never how one works. */
import type { Program } from "./machine.ts";
import { runNodeProgram } from "./node.ts";

// Most isolates need one of the two, and the shell's code takes as much memory as a whole interpreter of Python.
const runPython: Program = async (process) => (await import("../python/interpreter.ts")).runPython(process);
const runShell: Program = async (process) => (await import("../shell/shell.ts")).runShell(process);

/** A command that is written in Python: site/_sandbox_tools.py. */
const tool =
  (name: string): Program =>
  (process) => {
    const start = "import sys, _sandbox_tools; sys.exit(_sandbox_tools.main(sys.argv[1], sys.argv[2:]))";
    return runPython({ ...process, args: ["-c", start, name, ...process.args] });
  };

export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["python3", runPython],
  ["python", runPython],
  ["node", runNodeProgram],
  ["bash", runShell],
  ["sh", runShell],
  ["tar", tool("tar")],
  ["zip", tool("zip")],
  ["unzip", tool("unzip")],
]);
