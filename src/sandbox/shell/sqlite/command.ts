/** Owns the words of the command `sqlite3`: options, database, what is run; never how it is run. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { FileError } from "../../files/errors.ts";
import { withDescriptors } from "../descriptors.ts";
import type { Result } from "../inside.ts";
import { bytesOf, decodeText, encodeText, latin1 } from "../tools/text.ts";
import { fail, say } from "../tools/tool.ts";
import { dot } from "./dots.ts";
import { query } from "./dump.ts";
import { MODE_NAMES, SEPARATORS } from "./modes.ts";
import { Quit, Session } from "./session.ts";

const IGNORED = new Set(["batch", "interactive", "nofollow", "safe", "stats", "memtrace"]);
const USAGE = `Usage: sqlite3 [OPTIONS] FILENAME [SQL]
-ascii -bail -batch -box -cmd COMMAND -column -csv -echo -[no]header -html -init FILENAME -json -line -list -markdown
-newline SEP -nullvalue TEXT -quote -readonly -separator SEP -table -tabs -version
`;

/** What the words ask for. */
interface Asked {
  readonly operands: string[];
  readonly options: (readonly [name: string, value: string])[];
}

const WITH_VALUE = new Set(["separator", "newline", "nullvalue", "cmd", "init"]);

export function sqliteCommand(machine: Machine): CustomCommand {
  return defineCommand("sqlite3", (args, context) =>
    withDescriptors(machine.files, args, context, async () => {
      const asked = read(args);
      if (typeof asked === "string") {
        return fail(`sqlite3: Error: unknown option: -${asked}\nUse -help for a list of options.`);
      }
      const has = (name: string) => asked.options.some(([option]) => option === name);
      if (has("help")) {
        return say(USAGE);
      }
      const engine = await machine.engine();
      const [file = ":memory:", ...commands] = asked.operands;
      const session = new Session({ machine, cwd: context.cwd }, engine, file);
      if (has("version")) {
        return say(`${versionOf(session)}\n`);
      }
      return perform(session, asked, commands, decodeText(bytesOf(String(context.stdin))));
    }),
  );
}

function versionOf(session: Session): string {
  const connection = session.openAt(":memory:");
  const version = query(connection, "SELECT sqlite_version()")[0]?.[0]?.text ?? "";
  connection.close();
  return version;
}

function perform(session: Session, asked: Asked, commands: readonly string[], stdin: string): Result {
  let status = 0;
  try {
    for (const [name, value] of asked.options) {
      set(session, name, value);
    }
    for (const [, value] of asked.options.filter(([name]) => name === "cmd")) {
      one(session, value);
    }
    for (const command of commands) {
      one(session, command);
    }
    if (commands.length === 0) {
      session.script(stdin, (line) => dot(line, session));
      status = session.failures > 0 ? 1 : 0;
    }
  } catch (error) {
    if (error instanceof FileError) {
      session.stderr += `Error: ${error.message}\n`;
      status = 1;
    } else if (error instanceof Quit) {
      status = error.status;
    } else {
      throw error;
    }
  }
  session.close();
  const stdout = latin1(encodeText(session.stdout));
  return { stdout, stdoutKind: "bytes", stderr: session.stderr, exitCode: status };
}

function one(session: Session, command: string): void {
  if (!command.startsWith(".")) {
    session.run(command, null);
  } else if (!dot(command, session)) {
    throw new Quit(1);
  }
}

function set(session: Session, name: string, value: string): void {
  const { look } = session;
  if (MODE_NAMES.includes(name)) {
    look.mode = name === "tabs" || name === "ascii" ? "list" : name;
    const [separator, newline] = SEPARATORS[name] ?? [look.separator, look.newline];
    look.separator = separator;
    look.newline = name === "csv" ? "\n" : newline;
  }
  const settings: Readonly<Record<string, () => void>> = {
    bail: () => {
      session.bail = true;
    },
    echo: () => {
      session.echo = true;
    },
    readonly: () => {
      session.readOnly = true;
    },
    header: () => {
      look.headers = true;
    },
    noheader: () => {
      look.headers = false;
    },
    separator: () => {
      look.separator = value;
    },
    newline: () => {
      look.newline = value;
    },
    nullvalue: () => {
      look.nullValue = value;
    },
    init: () => {
      dot(`.read ${JSON.stringify(value)}`, session);
    },
  };
  settings[name]?.();
}

/** The name of an option that is not known, else what is asked. */
function read(args: readonly string[]): Asked | string {
  const asked: Asked = { operands: [], options: [] };
  const known = new Set([
    ...MODE_NAMES,
    ...WITH_VALUE,
    ...IGNORED,
    "bail",
    "echo",
    "readonly",
    "header",
    "noheader",
    "help",
    "version",
  ]);
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const name = word.replace(/^--?/, "").replace(/^(no)?headers$/, "$1header");
    if (name === word || word === "-" || asked.operands.length > 1) {
      asked.operands.push(word);
    } else if (!known.has(name)) {
      return name;
    } else {
      asked.options.push([name, WITH_VALUE.has(name) ? (args[++at] ?? "") : ""]);
    }
  }
  return asked;
}
