#!/usr/bin/env node
/**
 * Groups the rows of a CSV table by a column, adds up and averages another, writes out/report.md and prints a summary.
 * Exit status: 0 done, 2 the call or the data is wrong (nothing is written then).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CsvError, parseCsv } from "./csv.ts";

const USAGE = `usage: report.ts (--input FILE | --data TEXT) --by COLUMN --value COLUMN
                 [--delimiter , | ; | tab] [--decimal point | comma] [--out DIR]
Groups CSV rows by one column, sums and averages another; writes DIR/report.md (default out/report.md).
example: report.ts --input references/sample.csv --by region --value amount`;

class UsageError extends Error {}

/** A column's sum, kept as a whole number of its smallest decimal so that it is exact. */
interface Total {
  rows: number;
  numbers: number;
  units: bigint;
}

interface Report {
  readonly by: string;
  readonly value: string;
  readonly decimals: number;
  readonly groups: ReadonlyArray<readonly [string, Total]>;
  readonly all: Total;
}

function readArguments(argv: string[]) {
  const text = { type: "string" } as const;
  const options = { input: text, data: text, by: text, value: text, delimiter: text, decimal: text, out: text } as const;
  const { values } = parseArgs({ args: argv, options: { ...options, help: { type: "boolean", short: "h" } } });
  return values;
}

type Arguments = ReturnType<typeof readArguments>;

function needed(value: string | undefined, flag: string): string {
  if (value === undefined || value === "") {
    throw new UsageError(`--${flag} is missing`);
  }
  return value;
}

/** One of a few words, each of which stands for something. */
function choice<T>(value: string, flag: string, choices: Record<string, T>): T {
  const found = Object.entries(choices).find(([word]) => word === value);
  if (found === undefined) {
    throw new UsageError(`--${flag} "${value}" is not one of: ${Object.keys(choices).join(" ")}`);
  }
  return found[1];
}

function readInput(args: Arguments): string {
  if ((args.input === undefined) === (args.data === undefined)) {
    throw new UsageError("give either --input or --data");
  }
  if (args.data !== undefined) {
    return args.data;
  }
  const path = needed(args.input, "input");
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`cannot read "${path}"`);
  }
}

function columnOf(header: readonly string[], name: string): number {
  const exact = header.indexOf(name);
  const index = exact >= 0 ? exact : header.findIndex((column) => column.toLowerCase() === name.toLowerCase());
  if (index < 0) {
    throw new UsageError(`no column "${name}"; columns are: ${header.join(", ")}`);
  }
  return index;
}

/** "1,234.50" → "1234.50" in the form that is expected; null when the cell is no number. */
function plainNumber(cell: string, decimal: "." | ","): string | null {
  const text = cell.trim();
  const form = decimal === "." ? /^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/ : /^[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/;
  if (!form.test(text)) {
    return null;
  }
  const plain = decimal === "." ? text.replaceAll(",", "") : text.replaceAll(".", "").replace(",", ".");
  return plain.replace("+", "");
}

function decimalsOf(number: string): number {
  return number.split(".")[1]?.length ?? 0;
}

function unitsOf(number: string, decimals: number): bigint {
  const [whole = "", fraction = ""] = number.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

function makeReport(csv: string, args: Arguments): Report {
  const by = needed(args.by, "by");
  const value = needed(args.value, "value");
  const delimiter = choice(args.delimiter ?? ",", "delimiter", { ",": ",", ";": ";", tab: "\t" });
  const decimal = choice(args.decimal ?? "point", "decimal", { point: ".", comma: "," } as const);
  const { header, rows } = parseCsv(csv, delimiter);
  const byIndex = columnOf(header, by);
  const valueIndex = columnOf(header, value);

  const cells = rows.map(({ fields }) => ({
    group: fields[byIndex]?.trim() || "(empty)",
    number: plainNumber(fields[valueIndex] ?? "", decimal),
  }));
  const numbers = cells.flatMap(({ number }) => (number === null ? [] : [number]));
  if (rows.length === 0) {
    throw new UsageError("the table has no rows below its header");
  }
  if (numbers.length === 0) {
    throw new UsageError(`column "${value}" holds no numbers`);
  }

  const decimals = Math.max(...new Set(numbers.map(decimalsOf)));
  const all: Total = { rows: 0, numbers: 0, units: 0n };
  const groups = new Map<string, Total>();
  for (const { group, number } of cells) {
    const total = groups.get(group) ?? { rows: 0, numbers: 0, units: 0n };
    groups.set(group, total);
    for (const sum of [total, all]) {
      sum.rows += 1;
      sum.numbers += number === null ? 0 : 1;
      sum.units += number === null ? 0n : unitsOf(number, decimals);
    }
  }
  const sorted = [...groups].sort(([a, x], [b, y]) => compare(y.units, x.units) || compare(a, b));
  return { by, value, decimals, groups: sorted, all };
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `units / divisor`, rounded half away from zero, as text with as many decimals as the data has, two at least. */
function show(units: bigint, divisor: number, decimals: number): string {
  const places = Math.max(decimals, 2);
  const scaled = units * 10n ** BigInt(places - decimals) * 2n;
  const by = BigInt(divisor) * 2n;
  const magnitude = ((scaled < 0n ? -scaled : scaled) + BigInt(divisor)) / by;
  const digits = magnitude.toString().padStart(places + 1, "0");
  return `${scaled < 0n && magnitude > 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function sumOf(total: Total, report: Report): string {
  return show(total.units, 1, report.decimals);
}

function averageOf(total: Total, report: Report): string {
  return total.numbers === 0 ? "–" : show(total.units, total.numbers, report.decimals);
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function markdown(report: Report): string {
  const row = (name: string, total: Total) =>
    `| ${name} | ${total.rows} | ${total.rows - total.numbers} | ${sumOf(total, report)} | ${averageOf(total, report)} |`;
  return [
    `# ${cell(report.value)} by ${cell(report.by)}`,
    "",
    `| ${cell(report.by)} | rows | without a number | sum | average |`,
    "|---|---:|---:|---:|---:|",
    ...report.groups.map(([name, total]) => row(cell(name), total)),
    row("**total**", report.all),
    "",
  ].join("\n");
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

function summary(report: Report): string {
  const { all, groups } = report;
  const lines = groups.map(([name, total]) => {
    const missing = total.rows - total.numbers;
    const note = missing === 0 ? "" : `, ${missing} without a number`;
    return `${cell(name)}: ${sumOf(total, report)} (${count(total.rows, "row")}, average ${averageOf(total, report)}${note})`;
  });
  const head = `${count(all.rows, "row")}, ${count(groups.length, "group")} by ${report.by}, sum of ${report.value} ${sumOf(all, report)}`;
  return [`${head}, average ${averageOf(all, report)}`, ...lines].join("\n");
}

function isCallersFault(error: unknown): error is Error {
  const byParseArgs = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  return byParseArgs || error instanceof UsageError || error instanceof CsvError;
}

function main(argv: string[]): number {
  try {
    const args = readArguments(argv);
    if (args.help) {
      console.log(USAGE);
      return 0;
    }
    const report = makeReport(readInput(args), args);
    const out = args.out ?? "out";
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, "report.md"), markdown(report));
    console.log(`${summary(report)}\nreport: ${join(out, "report.md")}`);
    return 0;
  } catch (error) {
    if (isCallersFault(error)) {
      console.error(`report.ts: ${error.message}`);
      return 2;
    }
    throw error;
  }
}

process.exitCode = main(process.argv.slice(2));
