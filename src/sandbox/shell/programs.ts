/** Owns the shell's doors to the other programs of the sandbox: Python, shells, archives; never how they run. */
import { type CommandContext, type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";
import { HeldOutput, NoRoom } from "../output.ts";
import type { Room } from "../room.ts";
import { withDescriptors } from "./descriptors.ts";
import type { Result, Streams } from "./inside.ts";
import { bytesOf, decodeText, latin1 } from "./tools/text.ts";

/** Names that start a program of the sandbox. */
export const PROGRAM_NAMES = ["python3", "python", "node", "bash", "sh", "tar", "zip", "unzip"] as const;

/** What a program that was killed ends with. */
const KILLED = 137;

/** Commands that start another program on the same files and budget. */
export function programCommands(machine: Machine, streams: Streams): CustomCommand[] {
  return PROGRAM_NAMES.map((name) =>
    defineCommand(name, async (args, context) => {
      const room = machine.room.part();
      try {
        return await run(machine, room, name, args, context, streams);
      } catch (error) {
        if (!(error instanceof NoRoom)) {
          throw error;
        }
        return { stdout: "", stderr: `${name}: ${error.message}\n`, exitCode: KILLED };
      } finally {
        room.close();
      }
    }),
  );
}

async function run(
  machine: Machine,
  room: Room,
  name: string,
  args: readonly string[],
  context: CommandContext,
  { merged }: Streams,
): Promise<Result> {
  const stdout = new HeldOutput(room);
  const stderr = merged ? stdout : new HeldOutput(room);
  const env = { ...context.exportedEnv, PWD: context.cwd };
  const input = String(context.stdin);
  if (!room.take(input.length)) {
    throw new NoRoom("Cannot allocate memory");
  }
  const process = { machine, args, cwd: context.cwd, env, stdin: bytesOf(input), stdout, stderr };
  const start = () =>
    machine.start(name, process).catch((error) => {
      if (machine.state.stopped === null) {
        throw error;
      }
      // What it printed goes where its output goes; the shell ends at its next statement.
      return KILLED;
    });
  const exitCode = await withDescriptors(machine.files, args, context, start);
  const words = merged ? "" : decodeText(stderr.bytes());
  return { stdout: latin1(stdout.bytes()), stdoutKind: "bytes", stderr: words, exitCode };
}
