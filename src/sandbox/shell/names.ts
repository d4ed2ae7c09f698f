/** Owns the names of all commands that the shell has. Read when the sandbox is built: knowing them must not take the shell itself. */
import { getCommandNames } from "just-bash/browser";
import { COMMAND_NAMES } from "./commands.ts";

export const names: readonly string[] = [...new Set([...getCommandNames(), ...COMMAND_NAMES, "test", "["])];
