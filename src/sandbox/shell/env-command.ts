/** Owns `env` and `printenv` showing the environment only; just-bash keeps the shell's own variables at the same place. Never sets any. */
import { type CustomCommand, defineCommand } from "just-bash/browser";

/** Variables of the shell that are no part of the environment. */
const OWN =
  /^(?:[?@*#!$_0-9-][^=]*|IFS|OPTIND|BASHOPTS|SHELLOPTS|HOSTTYPE|MACHTYPE|OSTYPE|PPID|UID|EUID|BASH_VERSION|BASH_VERSINFO|PS4)=/;

/** The commands; with words they do what just-bash's own do. */
export function envCommands(): CustomCommand[] {
  return ["env", "printenv"].map((name) =>
    defineCommand(name, async (args, context) => {
      const result = await context.origCommand?.(args);
      if (result === undefined) {
        return { stdout: "", stderr: `${name}: not found\n`, exitCode: 127 };
      }
      if (args.length > 0) {
        return result;
      }
      const kept = result.stdout.split("\n").filter((line) => line !== "" && !OWN.test(line));
      return { ...result, stdout: kept.map((line) => `${line}\n`).join("") };
    }),
  );
}
