/** Owns `sort`: keys, orders, uniqueness, checks; never where lines come from. */
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { encodeText, latin1 } from "./text.ts";
import { fail, type Options, readOptions, readText, type Surroundings, say, UsageError } from "./tool.ts";

const NAMES = {
  key: "k",
  "field-separator": "t",
  "numeric-sort": "n",
  reverse: "r",
  unique: "u",
  output: "o",
  "zero-terminated": "z",
  "version-sort": "V",
  "human-numeric-sort": "h",
  "general-numeric-sort": "g",
  "month-sort": "M",
  "random-sort": "R",
  "ignore-case": "f",
  "dictionary-order": "d",
  "ignore-leading-blanks": "b",
  "ignore-nonprinting": "i",
  stable: "s",
  check: "c",
  merge: "m",
  parallel: "p",
  "buffer-size": "S",
  "temporary-directory": "T",
  "random-source": "x",
};

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const ORDERS = "nVhgMRfdbir";

interface Key {
  /** Field and letter, from 1; letter 0 is the field's end. */
  readonly from: readonly [field: number, letter: number];
  readonly to: readonly [field: number, letter: number] | null;
  readonly order: string;
}

export function sort(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "k:t:nruo:zVhgMRfdbisc;CmS:T:p:x:", NAMES);
  const newline = options.has("z") ? "\0" : "\n";
  const global = [...ORDERS].filter((letter) => options.has(letter)).join("");
  const keys = options.values("k").map((text) => keyOf(text, global));
  const compare = ordering(keys, global, options);
  const lines: string[] = [];
  for (const name of options.rest.length === 0 ? ["-"] : options.rest) {
    if (name !== "-" && around.files.peek(resolvePath(around.cwd, name)) === null) {
      return fail(`sort: cannot read: ${name}: No such file or directory`, 2);
    }
    const read = readText(name, around).split(newline);
    if (read.at(-1) === "") {
      read.pop();
    }
    for (const line of read) {
      lines.push(line);
    }
  }
  if (options.has("c") || options.has("C")) {
    const at = lines.findIndex((line, i) => i > 0 && compare(lines[i - 1] ?? "", line) > (options.has("u") ? -1 : 0));
    const name = options.rest[0] ?? "-";
    return at < 0
      ? say("")
      : {
          ...say(""),
          stderr:
            options.has("C") || options.value("c") === "silent"
              ? ""
              : `sort: ${name}:${at + 1}: disorder: ${lines[at]}\n`,
          exitCode: 1,
        };
  }
  const sorted = options.has("R") ? shuffled(lines) : lines.sort(compare);
  const equal = ordering(keys, global, options, "keys");
  const kept = options.has("u")
    ? sorted.filter((line, i) => i === 0 || equal(sorted[i - 1] ?? "", line) !== 0)
    : sorted;
  const content = encodeText(kept.map((line) => `${line}${newline}`).join(""));
  const target = options.value("o");
  if (target !== undefined) {
    around.files.writeFile(resolvePath(around.cwd, target), content);
    return say("");
  }
  return { stdout: latin1(content), stdoutKind: "bytes", stderr: "", exitCode: 0 };
}

function shuffled(lines: readonly string[]): string[] {
  return lines
    .map((line): [number, string] => [Math.random(), line])
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line);
}

function keyOf(text: string, global: string): Key {
  const [, from, letter, flags = "", to, last, more = ""] =
    /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text) ?? [];
  if (from === undefined || from === "0") {
    throw new UsageError(
      from === "0"
        ? `-: invalid field specification ‘${text}’`
        : `invalid number at field start: invalid count at start of '${text}'`,
    );
  }
  return {
    from: [Number(from), Number(letter ?? 1)],
    to: to === undefined ? null : [Number(to), Number(last ?? 0)],
    order: flags + more || global,
  };
}

function ordering(
  keys: readonly Key[],
  global: string,
  options: Options,
  what: "all" | "keys" = "all",
): (a: string, b: string) => number {
  const separator = options.value("t") === "\\0" ? "\0" : options.value("t");
  const byWhole = keys.length === 0 ? comparison(global) : null;
  const byKeys = keys.map((key) => ({ key, compare: comparison(key.order) }));
  const isLast = what === "all" && !options.has("s") && !options.has("u");
  return (a, b) => {
    if (byWhole !== null) {
      const order = byWhole(a, b);
      return order !== 0 || !isLast ? order : plain(a, b) * (options.has("r") ? -1 : 1);
    }
    for (const { key, compare } of byKeys) {
      const order = compare(part(a, key, separator), part(b, key, separator));
      if (order !== 0) {
        return order;
      }
    }
    return isLast ? plain(a, b) * (options.has("r") ? -1 : 1) : 0;
  };
}

function part(line: string, { from, to, order }: Key, separator: string | undefined): string {
  const fields = separator === undefined ? (line.match(/[ \t]*[^ \t]*/g) ?? []) : line.split(separator);
  const offset = (field: number) =>
    fields.slice(0, field - 1).reduce((sum, text) => sum + text.length + (separator === undefined ? 0 : 1), 0);
  const skip = (field: number) =>
    order.includes("b") ? (/^[ \t]*/.exec(fields[field - 1] ?? "")?.[0].length ?? 0) : 0;
  const [field, letter] = from;
  const start = offset(field) + skip(field) + letter - 1;
  if (to === null) {
    return line.slice(start);
  }
  const [lastField, lastLetter] = to;
  const end =
    lastLetter === 0
      ? offset(lastField) + (fields[lastField - 1] ?? "").length
      : offset(lastField) + skip(lastField) + lastLetter;
  return line.slice(start, Math.max(start, end));
}

/** By code points, as in the locale C. */
function plain(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function comparison(order: string): (a: string, b: string) => number {
  const sign = order.includes("r") ? -1 : 1;
  const by = (value: (text: string) => number) => (a: string, b: string) => {
    const [left, right] = [value(a), value(b)];
    return left === right ? 0 : (left < right ? -1 : 1) * sign;
  };
  if (order.includes("n")) {
    return by(numberOf);
  }
  if (order.includes("g")) {
    return by(
      (text) => Number.parseFloat(text) || (Number.isNaN(Number.parseFloat(text)) ? Number.NEGATIVE_INFINITY : 0),
    );
  }
  if (order.includes("h")) {
    return by((text) => {
      const unit = " KMGTPEZY".indexOf(/^\s*-?[\d.]+\s*([KMGTPEZY])/i.exec(text)?.[1]?.toUpperCase() ?? " ");
      return numberOf(text) * 1024 ** Math.max(unit, 0);
    });
  }
  if (order.includes("M")) {
    return by((text) => MONTHS.indexOf(text.trim().slice(0, 3).toUpperCase()));
  }
  const folded = (text: string) => {
    let shown = order.includes("b") ? text.trimStart() : text;
    shown = order.includes("d") ? shown.replace(/[^A-Za-z0-9 \t]/g, "") : shown;
    return order.includes("f") ? shown.toUpperCase() : shown;
  };
  const compare = order.includes("V") ? versions : plain;
  return (a, b) => compare(folded(a), folded(b)) * sign;
}

function numberOf(text: string): number {
  return Number(/^\s*(-?\d*\.?\d*)/.exec(text)?.[1]?.replace(/^-?\.?$/, "0") ?? 0);
}

function versions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  const most = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let i = 0; i < most; i++) {
    const [x, y] = [left?.[i] ?? "", right?.[i] ?? ""];
    const isNumber = /^\d/.test(x) && /^\d/.test(y);
    const order = isNumber
      ? Number(x) - Number(y)
      : x.startsWith("~") !== y.startsWith("~")
        ? x.startsWith("~")
          ? -1
          : 1
        : plain(x, y);
    if (order !== 0) {
      return order;
    }
  }
  return 0;
}
