/** Owns the shell's doors to the other programs of the sandbox: Python, shells, archives; never how they run. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";
import { OutputSink } from "../output.ts";
import { withDescriptors } from "./descriptors.ts";
import { fromLatin1, latin1 } from "./filesystem.ts";

/** Names that start a program of the sandbox. */
export const PROGRAM_NAMES = ["python3", "python", "node", "bash", "sh", "tar", "zip", "unzip"] as const;

/** What a program that was killed ends with. */
const KILLED = 137;

/** Commands that start another program on the same files and budget. */
export function programCommands(machine: Machine): CustomCommand[] {
  return PROGRAM_NAMES.map((name) =>
    defineCommand(name, async (args, context) => {
      const stdout = new OutputSink(Number.POSITIVE_INFINITY);
      const stderr = new OutputSink(Number.POSITIVE_INFINITY);
      const env = { ...context.exportedEnv, PWD: context.cwd };
      const stdin = fromLatin1(String(context.stdin));
      const process = { machine, args, cwd: context.cwd, env, stdin, stdout, stderr };
      const start = () =>
        machine.start(name, process).catch((error) => {
          if (machine.state.stopped === null) {
            throw error;
          }
          // What it printed goes where its output goes; the shell ends at its next statement.
          return KILLED;
        });
      const exitCode = await withDescriptors(machine.files, args, context, start);
      return { stdout: latin1(stdout.bytes()), stdoutKind: "bytes", stderr: stderr.text(), exitCode };
    }),
  );
}
