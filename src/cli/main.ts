/** Owns the way from words on a command line to an exit status. Never exits; cli.ts does. */

import { Command, CommanderError } from "commander";
import { startLocalPlatform } from "../deploy/local-platform.ts";
import { factsOf, SkillsError, toSkillsError } from "../model/errors.ts";
import {
  BadInput,
  type CommandContext,
  type CommandSpec,
  type ExitStatus,
  type Flags,
  type StartPlatform,
} from "./command.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { ENVIRONMENT } from "./flags.ts";
import { INTERRUPTS, type Interrupt, Interrupted } from "./interrupt.ts";
import { Terminal, type TerminalStreams } from "./terminal.ts";
import { version } from "./version.ts";

/** What of a process the command line needs. */
export interface HostProcess extends TerminalStreams {
  cwd(): string;
  on(signal: Interrupt, listener: () => void): unknown;
}

/** Runs the command that some words name. Never throws; answers the exit status. */
export async function main(
  words: readonly string[],
  host: HostProcess,
  startPlatform: StartPlatform = startLocalPlatform,
): Promise<ExitStatus> {
  const terminal = new Terminal(host);
  const aborter = new AbortController();
  for (const signal of INTERRUPTS) {
    host.on(signal, () => aborter.abort(new Interrupted(signal)));
  }
  const context = { terminal, cwd: host.cwd(), env: host.env, signal: aborter.signal, startPlatform };

  let status: ExitStatus = 0;
  const program = createProgram(context, async (spec, args, flags) => {
    const { name, state: access = "beside" } = spec;
    status = await spec.run(args, flags, { ...context, command: { name, access } });
  });
  try {
    await program.parseAsync([...words], { from: "user" });
    return status;
  } catch (thrown) {
    // What fails once the process was asked to end has been cut off.
    const error = aborter.signal.aborted ? aborter.signal.reason : thrown;
    // What stands behind `--` is a script's.
    const form = words.slice(0, [...words, "--"].indexOf("--")).includes("--json") ? "json" : "words";
    return error instanceof CommanderError ? commanderStatus(error, form, terminal) : report(error, form, terminal);
  }
}

type Runner = (spec: CommandSpec, args: (string | string[] | undefined)[], flags: Flags) => Promise<void>;

function createProgram({ terminal, env }: Pick<CommandContext, "terminal" | "env">, run: Runner): Command {
  const program = new Command("edge-skills")
    .description("Packs skills into bundles, serves them at the edge, runs their scripts in sandboxes.")
    .version(version())
    .addHelpText(
      "after",
      "\nEach command has --help. Exit status: 0 done, 1 the input has errors, 2 wrong use, 3 the surroundings failed.\n" +
        `Environment, over the settings file and under flags: ${Object.values(ENVIRONMENT).join(", ")}.`,
    );
  settle(program, terminal);
  for (const spec of COMMANDS) {
    addCommand(program, { terminal, env }, spec, run);
  }
  return program;
}

function addCommand(
  program: Command,
  { terminal, env }: Pick<CommandContext, "terminal" | "env">,
  spec: CommandSpec,
  run: Runner,
): void {
  const [first = "", second] = spec.name.split(" ");
  const parent = second === undefined ? program : groupOf(program, terminal, first);
  const command = parent.command(second ?? first).description(spec.summary);
  for (const [form, description] of spec.arguments) {
    command.argument(form, description);
  }
  for (const option of spec.options) {
    command.addOption(option);
  }
  const examples = spec.examples.map((example) => `  edge-skills ${example}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${examples}`);
  settle(command, terminal);
  command.action((...values) => {
    const args = values.slice(0, spec.arguments.length);
    return run(spec, args, { ...command.opts(), ...fromEnvironment(command, env) });
  });
}

/** What the environment says of flags that were not given. */
function fromEnvironment(command: Command, env: HostProcess["env"]): Flags {
  const said = Object.entries(ENVIRONMENT).flatMap(([flag, variable]) => {
    const isOpen =
      command.options.some((option) => option.attributeName() === flag) && command.getOptionValueSource(flag) !== "cli";
    const value = env[variable] ?? "";
    return isOpen && value !== "" ? [[flag, value] as const] : [];
  });
  return Object.fromEntries(said);
}

function groupOf(program: Command, terminal: Terminal, name: string): Command {
  const known = program.commands.find((command) => command.name() === name);
  return known ?? settle(program.command(name).description(GROUPS[name] ?? ""), terminal);
}

/** Commander throws instead of exiting, and writes where the terminal writes. */
function settle(command: Command, terminal: Terminal): Command {
  return command
    .exitOverride()
    .showHelpAfterError("(add --help for the options)")
    .configureOutput({
      writeOut: (text) => terminal.result(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
    });
}

/** How the failure of a command is told: people are told anyway. */
type Form = "json" | "words";

/** Commander has told people already. */
function commanderStatus(error: CommanderError, form: Form, terminal: Terminal): ExitStatus {
  if (error.exitCode === 0) {
    return 0;
  }
  if (form === "json") {
    const message = error.message.replace(/^error: /, "");
    terminal.json({ error: { code: "usage", message: message === "(outputHelp)" ? "a command is missing" : message } });
  }
  return 2;
}

function report(thrown: unknown, form: Form, terminal: Terminal): ExitStatus {
  if (thrown instanceof Interrupted) {
    terminal.say(thrown.message);
    return thrown.status;
  }
  if (thrown instanceof BadInput) {
    report(thrown.error, form, terminal);
    return 1;
  }
  const error = toSkillsError(thrown);
  if (form === "json") {
    const { code, message, hint, candidates } = error;
    const known = candidates === null || candidates.length === 0 ? {} : { candidates };
    terminal.json({ error: { code, message, ...(hint === null ? {} : { hint }), ...known } });
  }
  terminal.say(`${terminal.style("red", "error")} ${error.message} (${error.code})`);
  if (error.hint !== null) {
    terminal.say(`  ${error.hint}`);
  }
  if (error.candidates !== null && error.candidates.length > 0) {
    terminal.say(`  known: ${error.candidates.join(", ")}`);
  }
  if (!SkillsError.is(thrown) && thrown instanceof Error) {
    terminal.say(terminal.style("dim", thrown.stack ?? ""));
  }
  return factsOf(error.code).exit;
}
