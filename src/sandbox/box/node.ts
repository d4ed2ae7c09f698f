/** Owns `node` as shell and Python see it: which file is meant, and what is said when it cannot run. JavaScript itself runs elsewhere. */
import { resolvePath } from "../files/paths.ts";
import type { Process } from "./machine.ts";

/** As the JavaScript runtime has it (javascript/runtime/process.ts). */
const VERSION = "v24.21.0";

/** Options of Node.js that change nothing here. */
const IGNORED = /^--(?:no-warnings|trace-warnings|enable-source-maps|experimental-[\w-]+|disable-warning=.*)$/;

/** The program `node`. */
export async function runNodeProgram(process: Process): Promise<number> {
  const [first = "", ...rest] = process.args.slice(leadingOptions(process.args));
  if (first === "-v" || first === "--version") {
    process.stdout.write(new TextEncoder().encode(`${VERSION}\n`));
    return 0;
  }
  if (first === "" || first.startsWith("-")) {
    process.stderr.writeText(
      "node: only scripts that are packed with the skill run here, not code from options or standard input\n",
    );
    return 9;
  }
  const path = resolvePath(process.cwd, first);
  const running = process.machine.node(path, { ...process, args: rest });
  if (running !== null) {
    return await running;
  }
  const isThere = process.machine.files.peek(path)?.kind === "file";
  process.stderr.writeText(
    isThere
      ? `node: ${first} was not packed as a script of the skill (scripts/), so it cannot run here\n`
      : `Error: Cannot find module '${path}'\n`,
  );
  return 1;
}

function leadingOptions(args: readonly string[]): number {
  const at = args.findIndex((word) => !IGNORED.test(word));
  return at === -1 ? args.length : at;
}
