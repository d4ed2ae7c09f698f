/** Owns `mkdir`; never other commands on files. */
import { FileError } from "../../files/errors.ts";
import { directoryName, resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { fail, readOptions, type Surroundings } from "./tool.ts";

export function mkdir(args: readonly string[], { cwd, files }: Surroundings): Result {
  const options = readOptions(args, "pvm:Z", { parents: "p", verbose: "v", mode: "m" });
  if (options.rest.length === 0) {
    return fail("mkdir: missing operand\nTry 'mkdir --help' for more information.");
  }
  const mode = /^[0-7]+$/.test(options.value("m") ?? "") ? Number.parseInt(options.value("m") ?? "", 8) : null;
  let stdout = "";
  let stderr = "";
  for (const name of options.rest) {
    const path = resolvePath(cwd, name === "" ? "\0" : name);
    try {
      const node = files.peek(path);
      if (node !== null && !(options.has("p") && node.kind === "dir")) {
        stderr += `mkdir: cannot create directory ‘${name}’: File exists\n`;
      } else if (node === null && !options.has("p") && files.peek(directoryName(path))?.kind !== "dir") {
        stderr += `mkdir: cannot create directory ‘${name}’: No such file or directory\n`;
      } else if (node === null) {
        files.mkdirAll(path);
        stdout += options.has("v") ? `mkdir: created directory '${name}'\n` : "";
        if (mode !== null) {
          files.setMeta(files.find(path), { mode });
        }
      }
    } catch (error) {
      if (!(error instanceof FileError)) {
        throw error;
      }
      const words = error.message.replace(/^[A-Z]+: |, .*$/g, "");
      stderr += `mkdir: cannot create directory ‘${name}’: ${words.charAt(0).toUpperCase()}${words.slice(1)}\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}
