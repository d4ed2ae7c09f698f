/** Owns the dot commands of the command `sqlite3`; never statements. */
import { FileError } from "../../files/errors.ts";
import { resolvePath } from "../../files/paths.ts";
import { SqlError } from "../../sqlite/engine.ts";
import { decodeText } from "../tools/text.ts";
import { dump, names, query, schema } from "./dump.ts";
import { importRows } from "./import.ts";
import { MODE_NAMES, SEPARATORS } from "./modes.ts";
import { Quit, type Session } from "./session.ts";

type Dot = (words: readonly string[], session: Session) => void;

/** A command that was used wrongly; the command goes on. */
class Misuse extends Error {
  override readonly name = "Misuse";
}

const DOTS: Readonly<Record<string, Dot>> = {
  backup: ([first = "", second], session) => {
    const target = session.openAt(second ?? first);
    session.connection.copyTo(target, second === undefined ? "main" : first);
    target.close();
  },
  bail: ([word = ""], session) => {
    session.bail = isOn(word);
  },
  changes: ([word = ""], session) => {
    session.showChanges = isOn(word);
  },
  databases: (_, session) => {
    const rows = query(session.connection, "SELECT name, file FROM pragma_database_list");
    session.print(rows.map(([name, file]) => `${name?.text}: ${file?.text || '""'} r/w\n`).join(""));
  },
  dump: ([pattern = "%"], session) => session.print(dump(session.connection, pattern)),
  echo: ([word = ""], session) => {
    session.echo = isOn(word);
  },
  exit: ([status = "0"]) => {
    throw new Quit(Number.parseInt(status, 10) || 0);
  },
  headers: ([word = ""], session) => {
    session.look.headers = isOn(word);
  },
  help: (_, session) =>
    session.print(
      `${Object.keys(DOTS)
        .map((name) => `.${name}`)
        .join("\n")}\n`,
    ),
  import: (words, session) => importRows(words, session),
  indexes: ([pattern = "%"], session) => session.print(names(session.connection, "indexes", pattern)),
  mode: (words, session) =>
    setMode(
      words.filter((word) => !word.startsWith("--")),
      session,
    ),
  nullvalue: ([text = ""], session) => {
    session.look.nullValue = text;
  },
  once: ([file = ""], session) => writeTo(file, "next", session),
  open: (words, session) => session.reopen(words.filter((word) => !word.startsWith("-"))[0] ?? ""),
  output: ([file = "stdout"], session) => writeTo(file, "changed", session),
  print: (words, session) => session.print(`${words.join(" ")}\n`),
  quit: () => {
    throw new Quit(0);
  },
  read: ([file = ""], session) => session.script(readText(file, session), (line) => dot(line, session)),
  schema: (words, session) =>
    session.print(schema(session.connection, words.filter((word) => !word.startsWith("-"))[0] ?? "%")),
  separator: ([separator = "|", newline], session) => {
    session.look.separator = separator;
    session.look.newline = newline ?? session.look.newline;
  },
  tables: ([pattern = "%"], session) => session.print(names(session.connection, "tables", pattern)),
  width: (words, session) => {
    session.look.widths = words.map(Number);
  },
};

const ALIASES: Readonly<Record<string, string>> = { header: "headers", save: "backup", indices: "indexes", q: "quit" };

/** Settings that change nothing here. */
const WITHOUT_EFFECT = new Set(["timeout", "timer", "stats", "eqp", "explain", "binary", "prompt", "log", "trace"]);

/** Runs a line that begins with a dot. False when it failed. */
export function dot(line: string, session: Session): boolean {
  const [first = "", ...words] = wordsOf(line.slice(1));
  const name = ALIASES[first] ?? first;
  if (WITHOUT_EFFECT.has(name)) {
    return true;
  }
  const work = Object.hasOwn(DOTS, name) ? DOTS[name] : undefined;
  try {
    if (work === undefined) {
      throw new Misuse(`unknown command or invalid arguments:  "${first}". Enter ".help" for help`);
    }
    work(words, session);
    return true;
  } catch (error) {
    if (
      error instanceof Quit ||
      !(error instanceof Misuse || error instanceof FileError || error instanceof SqlError)
    ) {
      throw error;
    }
    session.failures++;
    session.stderr += `Error: ${error instanceof FileError ? `cannot open "${words.filter((word) => !word.startsWith("--"))[0] ?? ""}"` : error.message}\n`;
    return false;
  }
}

/** Words as SQLite's shell splits them: in double quotes with escapes, in single quotes as they stand. */
function wordsOf(line: string): string[] {
  return Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|([^\s"']\S*)/g), ([, double, single, bare]) =>
    double === undefined ? (single ?? escaped(bare ?? "")) : escaped(double),
  );
}

function escaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
  return text.replace(/\\(\w|[\s\S])/g, (_, letter: string) => letters[letter] ?? letter);
}

function isOn(word: string): boolean {
  return /^(?:on|yes|true|[1-9]\d*)$/i.test(word);
}

function setMode([mode = "list", table]: readonly string[], session: Session): void {
  const name = MODE_NAMES.find((known) => mode !== "" && known.startsWith(mode));
  if (name === undefined) {
    throw new Misuse(`mode should be one of: ${MODE_NAMES.join(" ")}`);
  }
  const { look } = session;
  look.mode = name;
  look.headers ||= name === "column";
  look.table = name === "insert" ? (table ?? "table") : look.table;
  const [separator, newline] = SEPARATORS[name] ?? [look.separator, look.newline];
  look.separator = separator;
  look.newline = newline;
}

function writeTo(file: string, until: "next" | "changed", session: Session): void {
  const { files } = session.around.machine;
  session.target = null;
  if (file !== "stdout" && file !== "off" && file !== "") {
    const path = resolvePath(session.around.cwd, file);
    files.writeFile(path, new Uint8Array(0));
    session.target = { path, until };
  }
}

/** @throws {FileError} */
function readText(file: string, session: Session): string {
  return decodeText(session.around.machine.files.readFile(resolvePath(session.around.cwd, file)));
}
