/** Owns `seq` and `join`: numbers in a row, and lines with one field in common; never sorting. */
import type { Result } from "../inside.ts";
import { formatNumber } from "./printf.ts";
import { linesOf } from "./text.ts";
import { fail, readOptions, readText, type Surroundings, say, UsageError } from "./tool.ts";

const HELP = "Try 'seq --help' for more information.";
/** Numbers that one call may print. */
const MOST_NUMBERS = 1_000_000;
/** Characters that one call of `join` may print: lines of one key in both files give as many as their product. */
const MOST_TEXT = 16 << 20;

export function seq(args: readonly string[]): Result {
  const first = args.findIndex((word) => /^-?\.?\d/.test(word));
  const numbers = first < 0 ? [] : args.slice(first).filter((word) => /^[-+]?[\d.]/.test(word));
  const options = readOptions(
    args.filter((word) => !numbers.includes(word) || !/^-\.?\d/.test(word)),
    "f:s:w",
    { format: "f", separator: "s", "equal-width": "w" },
  );
  const words = [...options.rest.filter((word) => !numbers.includes(word)), ...numbers];
  if (words.length === 0 || words.length > 3) {
    return fail(`${words.length === 0 ? "seq: missing operand" : `seq: extra operand ‘${words[3]}’`}\n${HELP}`);
  }
  const bad = words.find((word) => Number.isNaN(Number(word)) || word === "");
  if (bad !== undefined) {
    return fail(`seq: invalid floating point argument: ‘${bad}’\n${HELP}`);
  }
  const [from = "1", by = "1", to = "1"] =
    words.length === 1 ? ["1", "1", ...words] : words.length === 2 ? [words[0], "1", words[1]] : words;
  const [start, step, end] = [Number(from), Number(by), Number(to)];
  if (step === 0) {
    return fail(`seq: invalid Zero increment value: ‘${by}’`);
  }
  const places = Math.max(placesOf(from), placesOf(by));
  const count = Math.floor((end - start) / step + 1e-9) + 1;
  if (count > MOST_NUMBERS) {
    return fail("seq: too many numbers");
  }
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const value = start + i * step;
    const format = options.value("f");
    texts.push(format === undefined ? value.toFixed(places) : formatNumber(format, value));
  }
  const width = options.has("w") ? texts.reduce((widest, text) => Math.max(widest, text.length), 0) : 0;
  const shown = texts.map((text) =>
    text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0"),
  );
  return say(shown.length === 0 ? "" : `${shown.join(options.value("s") ?? "\n")}\n`);
}

function placesOf(word: string): number {
  return /\.(\d+)$/.exec(word)?.[1]?.length ?? 0;
}

interface Side {
  readonly lines: readonly (readonly string[])[];
  /** Counted from 0. */
  readonly field: number;
}

export function join(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "a:v:1:2:j:t:o:e:i", {
    "ignore-case": "i",
    "check-order": "",
    "nocheck-order": "",
    header: "",
  });
  const [a, b, ...others] = options.rest;
  if (a === undefined || b === undefined || others.length > 0) {
    throw new UsageError(
      a === undefined
        ? "missing operand"
        : b === undefined
          ? `missing operand after ‘${a}’`
          : `extra operand ‘${others[0]}’`,
    );
  }
  const separator = options.value("t");
  const split = (line: string) =>
    separator === undefined ? line.trimStart().split(/[ \t]+/) : line.split(separator === "\\t" ? "\t" : separator);
  const sideOf = (name: string, letter: string): Side => ({
    lines: linesOf(readText(name, around)).map(split),
    field: Number(options.value(letter) ?? options.value("j") ?? 1) - 1,
  });
  const [left, right] = [sideOf(a, "1"), sideOf(b, "2")];
  const keyOf = (fields: readonly string[], side: Side) => {
    const key = fields[side.field] ?? "";
    return options.has("i") ? key.toLowerCase() : key;
  };
  const alone = new Set([...options.values("a"), ...options.values("v")]);
  const format = options.value("o");
  const wanted = format === undefined || format === "auto" ? null : format.split(/[ ,]+/);
  const empty = options.value("e") ?? "";
  const out: string[] = [];
  let length = 0;
  const put = (one: readonly string[] | null, two: readonly string[] | null) => {
    const key = one?.[left.field] ?? two?.[right.field] ?? "";
    const rest = (fields: readonly string[] | null, { field }: Side) =>
      (fields ?? []).filter((_text, i) => i !== field);
    const fields =
      wanted === null
        ? [key, ...rest(one, left), ...rest(two, right)]
        : wanted.map((place) => {
            const [file, at] = place.split(".");
            const value = place === "0" ? key : (file === "1" ? one : two)?.[Number(at) - 1];
            return value === undefined || value === "" ? empty : value;
          });
    const line = fields.join(separator === undefined ? " " : separator === "\\t" ? "\t" : separator);
    length += line.length + 1;
    if (length > MOST_TEXT) {
      throw new UsageError("memory exhausted");
    }
    out.push(line);
  };
  const pairs = !options.has("v");
  let [i, k] = [0, 0];
  while (i < left.lines.length || k < right.lines.length) {
    const [one, two] = [left.lines[i], right.lines[k]];
    const [x, y] = [one && keyOf(one, left), two && keyOf(two, right)];
    if (one !== undefined && (y === undefined || (x ?? "") < y)) {
      if (alone.has("1")) {
        put(one, null);
      }
      i++;
    } else if (two !== undefined && (x === undefined || x > (y ?? ""))) {
      if (alone.has("2")) {
        put(null, two);
      }
      k++;
    } else {
      const ends = (side: Side, from: number) => {
        let end = from;
        while (end < side.lines.length && keyOf(side.lines[end] ?? [], side) === x) {
          end++;
        }
        return end;
      };
      const [iEnd, kEnd] = [ends(left, i), ends(right, k)];
      for (const fields of pairs ? left.lines.slice(i, iEnd) : []) {
        for (const others of right.lines.slice(k, kEnd)) {
          put(fields, others);
        }
      }
      [i, k] = [iEnd, kEnd];
    }
  }
  return say(out.map((line) => `${line}\n`).join(""));
}
