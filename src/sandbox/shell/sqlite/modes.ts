/** Owns how the command `sqlite3` shows rows: its output modes; never where rows come from. */
import type { Cell } from "../../sqlite/statement.ts";

/** How a shell of SQLite shows what it finds. */
export interface Look {
  mode: string;
  headers: boolean;
  separator: string;
  newline: string;
  nullValue: string;
  /** The table that `insert` names. */
  table: string;
  widths: readonly number[];
}

export interface Found {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

type Mode = (found: Found, look: Look) => string;

/** What a mode brings with it: separators. */
export const SEPARATORS: Readonly<Record<string, readonly [separator: string, newline: string]>> = {
  ascii: ["\x1f", "\x1e"],
  csv: [",", "\r\n"],
  list: ["|", "\n"],
  quote: [",", "\n"],
  tabs: ["\t", "\n"],
};

const MODES: Readonly<Record<string, Mode>> = {
  ascii: list,
  box: (found, look) => framed(found, look, { top: "┌─┬┐", middle: "├─┼┤", bottom: "└─┴┘", bar: "│" }),
  column,
  csv: (found, look) => lines(found, look, (cell) => (cell.type === "null" ? look.nullValue : csv(cell.text, look))),
  html,
  insert,
  json,
  line,
  list,
  markdown: (found, look) => framed(found, look, { top: "", middle: "|-||", bottom: "", bar: "|" }),
  quote: (found, look) => lines(found, look, literal),
  table: (found, look) => framed(found, look, { top: "+-++", middle: "+-++", bottom: "+-++", bar: "|" }),
  tabs: list,
};

export const MODE_NAMES: readonly string[] = Object.keys(MODES);

export function shown(found: Found, look: Look): string {
  return MODES[look.mode]?.(found, look) ?? "";
}

/** A value as SQL writes it. */
export function literal(cell: Cell): string {
  if (cell.type === "text") {
    return quoted(cell.text);
  }
  if (cell.type === "blob") {
    return `X'${hex(cell.text)}'`;
  }
  return cell.type === "null" ? "NULL" : cell.type === "real" ? real(cell) : cell.text;
}

/** A name as SQL takes it. */
export function nameOf(text: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && text.toLowerCase() !== "table"
    ? text
    : `"${text.replaceAll('"', '""')}"`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function plain(cell: Cell, look: Look): string {
  // Bytes are shown as C shows them: up to a NUL.
  return cell.type === "null" ? look.nullValue : (cell.text.split("\0")[0] ?? "");
}

/** The shortest digits that stand for the number. */
function real(cell: Cell): string {
  const { number } = cell;
  if (!Number.isFinite(number)) {
    return number > 0 ? "1e999" : "-1e999";
  }
  const text = String(number);
  const [digits = "", exponent] = text.split("e");
  const whole = digits.includes(".") ? digits : `${digits}.0`;
  return exponent === undefined ? whole : `${whole}e${exponent}`;
}

function hex(latin1: string): string {
  return Array.from(latin1, (letter) => letter.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

function lines({ columns, rows }: Found, look: Look, show: (cell: Cell) => string): string {
  const title = (name: string) => show({ type: "text", text: name, number: 0 });
  const head = look.headers && rows.length > 0 ? [columns.map(title)] : [];
  return [...head, ...rows.map((row) => row.map(show))].map((row) => row.join(look.separator) + look.newline).join("");
}

function list(found: Found, look: Look): string {
  return lines(found, look, (cell) => plain(cell, look));
}

function csv(text: string, look: Look): string {
  const needs = text === "" || text.includes(look.separator) || /["'\s\u0000-\u0020\u007f-\uffff]/.test(text);
  return needs ? `"${text.replaceAll('"', '""')}"` : text;
}

function json({ columns, rows }: Found): string {
  const value = (cell: Cell) => {
    if (cell.type === "integer") {
      return cell.text;
    }
    return cell.type === "null" ? "null" : cell.type === "real" ? real(cell) : JSON.stringify(cell.text);
  };
  const objects = rows.map((row) => `{${row.map((cell, i) => `${JSON.stringify(columns[i])}:${value(cell)}`).join()}}`);
  return objects.length === 0 ? "" : `[${objects.join(",\n")}]\n`;
}

function line({ columns, rows }: Found, look: Look): string {
  const width = Math.max(5, ...columns.map((name) => name.length));
  const block = (row: readonly Cell[]) =>
    row.map((cell, i) => `${(columns[i] ?? "").padStart(width)} = ${plain(cell, look)}\n`).join("");
  return rows.map(block).join("\n");
}

function html({ columns, rows }: Found, look: Look): string {
  const safe = (text: string) =>
    text.replace(
      /[<>&"']/g,
      (letter) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[letter] ?? "&#39;",
    );
  const row = (tag: string, texts: readonly string[]) =>
    `<TR>${texts.map((text) => `<${tag}>${safe(text)}</${tag}>\n`).join("")}</TR>\n`;
  const head = look.headers && rows.length > 0 ? row("TH", columns) : "";
  return (
    head +
    rows
      .map((cells) =>
        row(
          "TD",
          cells.map((cell) => plain(cell, look)),
        ),
      )
      .join("")
  );
}

function insert({ columns, rows }: Found, look: Look): string {
  const names = look.headers ? `(${columns.map(nameOf).join()})` : "";
  return rows.map((row) => `INSERT INTO ${nameOf(look.table)}${names} VALUES(${row.map(literal).join()});\n`).join("");
}

/** Rows as texts, those with line ends over several of them, and the width of each column. */
function grid({ columns, rows }: Found, look: Look): { body: string[][][]; widths: number[] } {
  const body = rows.map((row) => {
    const parts = row.map((cell) => plain(cell, look).split("\n"));
    const height = Math.max(1, ...parts.map((part) => part.length));
    return Array.from({ length: height }, (_, i) => parts.map((part) => part[i] ?? ""));
  });
  const widths = columns.map((name, i) => {
    const given = Math.abs(look.widths[i] ?? 0);
    return given > 0
      ? given
      : body.reduce((most, part) => Math.max(most, ...part.map((row) => lengthOf(row[i] ?? ""))), lengthOf(name));
  });
  return { body, widths };
}

const lengthOf = (text: string) => [...text].length;
const padded = (text: string, width: number) => text + " ".repeat(Math.max(0, width - lengthOf(text)));

function column(found: Found, look: Look): string {
  if (found.rows.length === 0) {
    return "";
  }
  const { body, widths } = grid(found, look);
  const row = (texts: readonly string[]) => `${texts.map((text, i) => padded(text, widths[i] ?? 0)).join("  ")}\n`;
  const head = look.headers ? `${row(found.columns)}${widths.map((width) => "-".repeat(width)).join("  ")}\n` : "";
  const isTall = body.some((part) => part.length > 1);
  return head + body.map((part) => part.map(row).join("")).join(isTall ? "\n" : "");
}

interface Frame {
  /** First letter, fill, between columns, last letter; nothing for no line. */
  readonly top: string;
  readonly middle: string;
  readonly bottom: string;
  readonly bar: string;
}

function framed(found: Found, look: Look, frame: Frame): string {
  if (found.rows.length === 0) {
    return "";
  }
  const { body, widths } = grid(found, look);
  const rule = (letters: string) => {
    const [first = "", fill = "", cross = "", last = ""] = [...letters];
    return letters === "" ? "" : `${first}${widths.map((width) => fill.repeat(width + 2)).join(cross)}${last}\n`;
  };
  const row = (texts: readonly string[]) =>
    `${frame.bar} ${texts.map((text, i) => padded(text, widths[i] ?? 0)).join(` ${frame.bar} `)} ${frame.bar}\n`;
  const middle = (text: string, width: number) => " ".repeat(Math.max(0, (width - lengthOf(text)) >> 1)) + text;
  const head = row(found.columns.map((name, i) => middle(name, widths[i] ?? 0)));
  const isTall = body.some((part) => part.length > 1);
  const rows = body.map((part) => part.map(row).join("")).join(isTall ? rule(frame.middle) : "");
  return rule(frame.top) + head + rule(frame.middle) + rows + rule(frame.bottom);
}
