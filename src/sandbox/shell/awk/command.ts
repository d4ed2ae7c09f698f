/** Owns the command `awk`: its words; never the language. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { FileError } from "../../files/errors.ts";
import { withDescriptors } from "../descriptors.ts";
import type { Result } from "../inside.ts";
import { decodeText, encodeText, latin1 } from "../tools/text.ts";
import { Interpreter } from "./interpreter.ts";
import { AwkError } from "./lexer.ts";
import { parseAwk } from "./parser.ts";

interface Words {
  readonly program: string;
  readonly assignments: readonly string[];
  readonly operands: readonly string[];
}

/** `awk` and the names it goes by. */
export function awkCommands(machine: Machine): CustomCommand[] {
  return ["awk", "gawk", "mawk"].map((name) =>
    defineCommand(name, async (args, context): Promise<Result> => {
      let interpreter: Interpreter | null = null;
      const read = async (path: string) =>
        decodeText(await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, path)));
      try {
        const words = await wordsOf(args, read);
        const around = {
          cwd: context.cwd,
          stdin: String(context.stdin),
          files: machine.files,
          environment: context.exportedEnv ?? {},
          mostOutput: context.limits.maxOutputSize,
          execute: async (command: string, stdin: string): Promise<Result> =>
            (await context.exec?.(command, {
              cwd: context.cwd,
              env: context.exportedEnv ?? {},
              stdin,
              stdinKind: "bytes",
            })) ?? {
              stdout: "",
              stderr: "",
              exitCode: 127,
            },
          tick: () => machine.state.tick(),
        };
        interpreter = new Interpreter(parseAwk(words.program), around, words.operands);
        for (const word of words.assignments) {
          interpreter.assign(word);
        }
        const started = interpreter;
        const exitCode = await withDescriptors(machine.files, words.operands, context, () => started.run());
        return resultOf(interpreter, "", exitCode);
      } catch (error) {
        if (error instanceof AwkError || error instanceof FileError) {
          return resultOf(interpreter, `awk: ${error.message}\n`, 2);
        }
        throw error;
      }
    }),
  );
}

function resultOf(interpreter: Interpreter | null, message: string, exitCode: number): Result {
  const { stdout = "", stderr = "" } = interpreter?.output ?? {};
  return { stdout: latin1(encodeText(stdout)), stdoutKind: "bytes", stderr: stderr + message, exitCode };
}

async function wordsOf(args: readonly string[], read: (path: string) => Promise<string>): Promise<Words> {
  const programs: string[] = [];
  const assignments: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      at++;
      break;
    }
    const [, option, value = ""] = /^-([Fvfe])([\s\S]*)$/.exec(word) ?? [];
    if (option === undefined) {
      if (!/^--?\w/.test(word)) {
        break;
      }
      // Options of gawk and mawk that change nothing here (--posix, -W interactive).
      at += word === "-W" ? 1 : 0;
      continue;
    }
    const given = value === "" ? (args[++at] ?? "") : value;
    if (option === "F") {
      assignments.push(`FS=${given === "t" ? "\t" : given}`);
    } else if (option === "v") {
      assignments.push(given);
    } else {
      programs.push(option === "f" ? await read(given) : given);
    }
  }
  const rest = args.slice(at);
  if (programs.length === 0 && rest.length === 0) {
    throw new AwkError("usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]");
  }
  return programs.length === 0
    ? { program: rest[0] ?? "", assignments, operands: rest.slice(1) }
    : { program: programs.join("\n"), assignments, operands: rest };
}
