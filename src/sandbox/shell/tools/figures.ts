/** Owns `numfmt`, `fmt`, `cut`, `getconf`: figures and columns of lines; never larger tools. */

import type { Result } from "../inside.ts";
import { encodeText, latin1, linesOf, paddedTo } from "./text.ts";
import { fail, readBytes, readOptions, readText, type Surroundings, say, UsageError } from "./tool.ts";

const UNITS = ["", "K", "M", "G", "T", "P", "E"];

export function numfmt(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "t:f:p:s:x:d:F:gr:", {
    to: "t",
    from: "f",
    padding: "p",
    suffix: "s",
    field: "x",
    delimiter: "d",
    format: "F",
    grouping: "g",
    round: "r",
  });
  const words = options.rest.length > 0 ? [...options.rest] : linesOf(readText("-", around));
  const to = options.value("t") ?? "none";
  const field = Number(options.value("x") ?? 1) - 1;
  const delimiter = options.value("d");
  const lines = words.map((line) => {
    const cells = delimiter === undefined ? line.split(/(?<=\S)(?=\s+\S)/) : line.split(delimiter);
    const cell = cells[field] ?? "";
    const value = fromUnits(cell.trim(), options.value("f") ?? "none");
    const asked = Number(options.value("p") ?? 0);
    const padding = Math.sign(asked) * paddedTo(Math.abs(asked));
    const text = toUnits(value, to) + (options.value("s") ?? "");
    const shown = padding < 0 ? text.padEnd(-padding) : text.padStart(padding);
    cells[field] = (/^\s+/.exec(cell)?.[0] ?? "") + shown;
    return `${cells.join(delimiter ?? "")}\n`;
  });
  return say(lines.join(""));
}

function fromUnits(text: string, unit: string): number {
  const [, count, letter = "", i] = /^(-?\d+(?:\.\d+)?)([KMGTPE]?)(i?)$/i.exec(text) ?? [];
  if (count === undefined || (letter !== "" && unit === "none")) {
    throw new UsageError(`invalid number: ‘${text}’`);
  }
  const base = unit === "si" || (unit === "auto" && i === "") ? 1000 : 1024;
  return Number(count) * base ** UNITS.indexOf(letter.toUpperCase());
}

function toUnits(value: number, unit: string): string {
  if (unit === "none") {
    return String(value);
  }
  const base = unit === "si" ? 1000 : 1024;
  let size = Math.abs(value);
  let at = 0;
  for (; size >= base && at < UNITS.length - 1; at++) {
    size /= base;
  }
  const rounded = size < 10 && at > 0 ? Math.ceil(size * 10 - 1e-9) / 10 : Math.ceil(size - 1e-9);
  const text = at > 0 && rounded < 10 ? rounded.toFixed(1) : String(rounded);
  return `${value < 0 ? "-" : ""}${text}${UNITS[at]}${unit === "iec-i" && at > 0 ? "i" : ""}`;
}

export function fmt(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(
    args.map((word) => word.replace(/^-(\d+)$/, "-w$1")),
    "w:sug:t",
    { width: "w" },
  );
  const width = Number(options.value("w") ?? 75);
  const texts = (options.rest.length === 0 ? ["-"] : options.rest).map((name) => readText(name, around));
  const paragraphs = texts.join("").split(/\n[ \t]*\n/);
  const shown = paragraphs.map((paragraph) => {
    const lines = [""];
    for (const word of paragraph.split(/\s+/).filter(Boolean)) {
      const last = lines.at(-1) ?? "";
      if (last !== "" && last.length + 1 + word.length > width) {
        lines.push(word);
      } else {
        lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
      }
    }
    return lines.join("\n");
  });
  return say(`${shown.join("\n\n").replace(/\n+$/, "")}\n`);
}

const SETTINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    _NPROCESSORS_ONLN: "1",
    _NPROCESSORS_CONF: "1",
    PAGE_SIZE: "65536",
    PAGESIZE: "65536",
    LONG_BIT: "32",
    ARG_MAX: "2097152",
    PATH_MAX: "4096",
    NAME_MAX: "255",
    OPEN_MAX: "1024",
  }),
);

export function getconf(args: readonly string[]): Result {
  const value = SETTINGS.get(args[0] ?? "");
  return value === undefined ? fail(`getconf: Unrecognized variable '${args[0] ?? ""}'`, 2) : say(`${value}\n`);
}

type Range = readonly [from: number, to: number];

export function cut(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "b:c:f:d:snzCO:", {
    bytes: "b",
    characters: "c",
    fields: "f",
    delimiter: "d",
    "only-delimited": "s",
    complement: "C",
    "output-delimiter": "O",
    "zero-terminated": "z",
  });
  const list = options.value("f") ?? options.value("c") ?? options.value("b");
  if (list === undefined) {
    return fail("cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.");
  }
  const ranges = list.split(",").map((part): Range => {
    const [, from = "", dash, to = ""] = /^(\d*)(-?)(\d*)$/.exec(part.trim()) ?? [];
    if (from === "" && to === "") {
      throw new UsageError(`invalid ${options.has("f") ? "field value" : "byte/character position"} '${part}'`);
    }
    return [Number(from || 1), dash === "" ? Number(from) : to === "" ? Number.POSITIVE_INFINITY : Number(to)];
  });
  if (ranges.some(([from]) => from === 0)) {
    throw new UsageError(
      options.has("f") ? "fields are numbered from 1" : "byte/character positions are numbered from 1",
    );
  }
  const isChosen = (i: number) => ranges.some(([from, to]) => i >= from && i <= to) !== options.has("C");
  const delimiter = options.value("d") ?? "\t";
  const joiner = options.value("O");
  const newline = options.has("z") ? "\0" : "\n";
  const lineOf = (line: string): string | null => {
    if (options.has("f")) {
      const cells = line.split(delimiter);
      return cells.length === 1
        ? options.has("s")
          ? null
          : line
        : cells.filter((_, i) => isChosen(i + 1)).join(joiner ?? delimiter);
    }
    return [...line].filter((_, i) => isChosen(i + 1)).join("");
  };
  let stderr = "";
  const out: string[] = [];
  for (const name of options.rest.length === 0 ? ["-"] : options.rest) {
    try {
      const isBytes = options.has("b") && !options.has("f");
      const text = isBytes ? latin1(readBytes(name, around)) : readText(name, around);
      const lines = text.split(newline);
      if (lines.at(-1) === "") {
        lines.pop();
      }
      const shown = lines.map(lineOf).filter((line) => line !== null);
      out.push(...shown.map((line) => (isBytes ? `${line}${newline}` : latin1(encodeText(`${line}${newline}`)))));
    } catch {
      stderr += `cut: ${name}: No such file or directory\n`;
    }
  }
  return { stdout: out.join(""), stdoutKind: "bytes", stderr, exitCode: stderr === "" ? 0 : 1 };
}
