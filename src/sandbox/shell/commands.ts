/** Owns which commands the sandbox puts beside or in the place of just-bash's own; never how one works. */
import type { CustomCommand } from "just-bash/browser";
import type { Machine } from "../box/machine.ts";
import { awkCommands } from "./awk/command.ts";
import { envCommands } from "./env-command.ts";
import type { Streams } from "./inside.ts";
import { optionForms } from "./option-forms.ts";
import { PROGRAM_NAMES, programCommands } from "./programs.ts";
import { sedCommand } from "./sed/command.ts";
import { sqliteCommand } from "./sqlite/command.ts";
import { TOOL_NAMES, toolCommands } from "./tools/commands.ts";
import { wgetCommand } from "./wget.ts";
import { yqCommand } from "./yq.ts";

/** Names that just-bash does not know itself. */
export const COMMAND_NAMES: readonly string[] = [
  ...PROGRAM_NAMES,
  ...TOOL_NAMES,
  "curl",
  "sqlite3",
  "wget",
  "yq",
  "gawk",
  "mawk",
];

/** All of them, for one shell. */
export function shellCommands(machine: Machine, streams: Streams): CustomCommand[] {
  return [
    ...programCommands(machine, streams),
    ...toolCommands(machine, streams),
    ...envCommands(),
    ...optionForms(),
    ...awkCommands(machine),
    sedCommand(machine),
    sqliteCommand(machine),
    wgetCommand(machine),
    yqCommand(machine),
  ];
}
