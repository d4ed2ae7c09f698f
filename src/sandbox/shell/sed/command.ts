/** Owns the command `sed`: its words and files; never scripts. */

import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { withBytes } from "../../files/absent.ts";
import { resolvePath } from "../../files/paths.ts";
import { withDescriptors } from "../descriptors.ts";
import { latin1 } from "../filesystem.ts";
import type { Result } from "../inside.ts";
import { bytesOf, decodeText, encodeText } from "../tools/text.ts";
import { type Options, readOptions, say, UsageError } from "../tools/tool.ts";
import { parseSed } from "./parse.ts";
import { Sed, type SedHost } from "./run.ts";

const NAMES = {
  quiet: "n",
  silent: "n",
  expression: "e",
  file: "f",
  "regexp-extended": "E",
  "in-place": "i",
  separate: "s",
  unbuffered: "u",
  "null-data": "z",
  "follow-symlinks": "F",
  posix: "P",
  debug: "D",
  "line-length": "l",
};

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** `sed` over a run's files. */
export function sedCommand(machine: Machine): CustomCommand {
  return defineCommand("sed", (args, context) =>
    withDescriptors(machine.files, args, context, () => sed(machine, args, context)),
  );
}

async function sed(machine: Machine, args: readonly string[], context: Context): Promise<Result> {
  if (args.includes("--version")) {
    return say("sed (GNU sed) 4.9\n");
  }
  let stdout = "";
  const { files } = machine;
  const path = (name: string) => resolvePath(context.cwd, name);
  const read = (name: string) =>
    name === "-" || name === "/dev/stdin"
      ? decodeText(bytesOf(String(context.stdin)))
      : decodeText(files.readFile(path(name)));
  const written = new Map<string, string[]>();
  let target: string[] | null = null;
  const host: SedHost = {
    read: (name) => {
      try {
        return read(name);
      } catch {
        return null;
      }
    },
    write: (name, text) => {
      if (name === "/dev/stdout") {
        stdout += text;
      } else {
        written.set(name, [...(written.get(name) ?? []), text]);
      }
    },
    print: (text) => {
      if (target !== null) {
        target.push(text);
        return;
      }
      stdout += text;
      if (stdout.length > context.limits.maxOutputSize) {
        throw new UsageError("couldn't write to stdout: output limit");
      }
    },
    tick: () => machine.state.tick(),
    execute: async (command) => {
      const result = await context.exec?.(command, { cwd: context.cwd });
      return result === undefined
        ? ""
        : result.stdoutKind === "bytes"
          ? decodeText(bytesOf(result.stdout))
          : result.stdout;
    },
  };
  let stderr = "";
  let status = 0;
  try {
    const options = readOptions(args, "ne:f:Eri;suzFPDl:", NAMES);
    const { script, names } = await withBytes(() => scriptOf(options, read));
    const commands = parseSed(script, options.has("E") || options.has("r") ? "extended" : "basic");
    const settings = { quiet: options.has("n") || /^#n\n/.test(script), newline: options.has("z") ? "\0" : "\n" };
    const inputs: { readonly name: string; readonly text: string }[] = [];
    const readLater = commands.filter(({ name }) => name === "r" || name === "R").map(({ text }) => text);
    for (const name of [...names, ...readLater]) {
      await files.bring(path(name));
    }
    for (const name of names.length === 0 ? ["-"] : names) {
      if (name !== "-" && files.peek(path(name))?.kind === "dir") {
        stderr += options.has("i")
          ? `sed: couldn't edit ${name}: not a regular file\n`
          : `sed: couldn't read ${name}: Is a directory\n`;
        status = options.has("i") ? 4 : 2;
      } else if (name !== "-" && files.peek(path(name)) === null) {
        stderr += `sed: can't read ${name}: No such file or directory\n`;
        status = 2;
      } else {
        inputs.push({ name, text: read(name) });
      }
    }
    if (options.has("i") || options.has("s")) {
      for (const { name, text } of inputs) {
        target = options.has("i") ? [] : null;
        const ended = await new Sed(commands, host, settings).run(text, name);
        if (target !== null) {
          rewrite(files, path, name, {
            before: text,
            after: (target as string[]).join(""),
            suffix: options.value("i") ?? "",
          });
        }
        if (ended !== null) {
          status = ended;
          break;
        }
      }
    } else {
      const text = inputs.map((input, i) =>
        i < inputs.length - 1 && input.text !== "" && !input.text.endsWith(settings.newline)
          ? input.text + settings.newline
          : input.text,
      );
      status = (await new Sed(commands, host, settings).run(text.join(""), inputs[0]?.name ?? "-")) ?? status;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    stderr += `sed: ${error.message}\n`;
    status = 1;
  }
  for (const [name, texts] of written) {
    files.writeFile(path(name), encodeText(texts.join("")));
  }
  return { stdout: latin1(encodeText(stdout)), stdoutKind: "bytes", stderr, exitCode: status };
}

interface Rewritten {
  readonly before: string;
  readonly after: string;
  readonly suffix: string;
}

/** `-i`: the file anew, the old one kept under the suffix. */
function rewrite(
  files: Machine["files"],
  path: (name: string) => string,
  name: string,
  { before, after, suffix }: Rewritten,
): void {
  if (suffix !== "") {
    const kept = suffix.includes("*") ? suffix.replaceAll("*", name.split("/").at(-1) ?? "") : `${name}${suffix}`;
    files.writeFile(path(kept), encodeText(before));
  }
  files.writeFile(path(name), encodeText(after));
}

function scriptOf(
  options: Options,
  read: (name: string) => string,
): { readonly script: string; readonly names: readonly string[] } {
  const parts = [...options.values("e"), ...options.values("f").map((name) => read(name).replace(/\n$/, ""))];
  if (parts.length > 0) {
    return { script: parts.join("\n"), names: options.rest };
  }
  const [script, ...names] = options.rest;
  if (script === undefined) {
    throw new UsageError("no script given");
  }
  return { script, names };
}
