/** Owns `console` as Node.js formats it; never where the text goes. */
import { builtin } from "./builtins.ts";
import { readStack } from "./errors.ts";

type Write = (text: string) => unknown;

interface Stream {
  write(text: string): unknown;
}

const now = Date.now;

interface ConsoleOptions {
  readonly groupIndentation?: number;
  readonly inspectOptions?: object;
  /** Told what Node.js warns of. */
  readonly warn?: (text: string) => unknown;
}

interface ConsoleStreams extends ConsoleOptions {
  readonly stdout: Stream;
  readonly stderr?: Stream;
}

/** Makes a console over two outputs. */
export function makeConsole(out: Write, err: Write, options: ConsoleOptions = {}) {
  let indent = "";
  const step = " ".repeat(options.groupIndentation ?? 2);
  const counts = new Map<string, number>();
  const timers = new Map<string, number>();
  const warn = options.warn ?? ((text) => err(`Warning: ${text}\n`));
  const format = (args: readonly unknown[]) => {
    for (const arg of args) {
      readStack(arg);
    }
    const { formatWithOptions } = builtin("util");
    return formatWithOptions(options.inspectOptions ?? {}, ...args);
  };
  const print = (write: Write, args: readonly unknown[]) => {
    const text = plain(args) ?? format(args);
    write(`${indent === "" ? text : indent + text.replaceAll("\n", `\n${indent}`)}\n`);
  };
  const log = (...args: unknown[]) => print(out, args);
  const error = (...args: unknown[]) => print(err, args);
  const group = (...args: unknown[]) => {
    if (args.length > 0) {
      log(...args);
    }
    indent += step;
  };
  const elapsed = (label: string, call: string): string | null => {
    const began = timers.get(label);
    if (began === undefined) {
      warn(`No such label '${label}' for console.${call}()`);
      return null;
    }
    const ms = now() - began;
    return ms < 1000 ? `${ms}ms` : `${(ms / 1000).toFixed(3)}s`;
  };
  const report = (label: string, call: string, args: readonly unknown[]) => {
    const time = elapsed(label, call);
    if (time !== null) {
      log(`${label}: ${time}`, ...args);
    }
  };
  class Console {
    constructor(stdout: Stream | ConsoleStreams, stderr?: Stream) {
      const own: ConsoleStreams = "write" in stdout ? { stdout, ...(stderr && { stderr }) } : stdout;
      const out = (text: string) => own.stdout.write(text);
      Object.assign(
        this,
        makeConsole(out, (text) => (own.stderr ?? own.stdout).write(text), { warn, ...own }),
      );
    }
  }
  return {
    log,
    info: log,
    debug: log,
    warn: error,
    error,
    dir: (value: unknown, how?: object) => log(builtin("util").inspect(value, { customInspect: false, ...how })),
    time: (label = "default") => {
      if (timers.has(label)) {
        warn(`Label '${label}' already exists for console.time()`);
      } else {
        timers.set(label, now());
      }
    },
    timeEnd: (label = "default") => {
      report(label, "timeEnd", []);
      timers.delete(label);
    },
    timeLog: (label = "default", ...args: unknown[]) => report(label, "timeLog", args),
    trace: (...args: unknown[]) => error(`Trace${args.length === 0 ? "" : `: ${format(args)}`}${calls()}`),
    assert: (truth?: unknown, ...args: unknown[]) => {
      if (!truth) {
        const [first, ...rest] = args;
        error(
          ...(typeof first === "string"
            ? [`Assertion failed: ${first}`, ...rest]
            : [`Assertion failed${args.length === 0 ? "" : ":"}`, ...args]),
        );
      }
    },
    clear: () => undefined,
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      log(`${label}: ${counts.get(label)}`);
    },
    countReset: (label = "default") => {
      if (!counts.delete(label)) {
        warn(`Count for '${label}' does not exist`);
      }
    },
    group,
    groupEnd: () => {
      indent = indent.slice(step.length);
    },
    table: (data: unknown, columns?: readonly string[]) =>
      log(typeof data === "object" && data !== null ? table(data, columns) : data),
    dirxml: log,
    groupCollapsed: group,
    Console,
    profile: () => undefined,
    profileEnd: () => undefined,
    timeStamp: () => undefined,
  };
}

/** Where the script is, in lines of their own. */
function calls(): string {
  const { stack = "" } = new Error();
  const at = stack.indexOf("\n    at ");
  return at < 0 ? "" : stack.slice(at);
}

/** The text of what needs no formatting, as most of what scripts print; null for the rest. */
function plain(args: readonly unknown[]): string | null {
  const [first] = args;
  if (args.length > 1 && typeof first === "string" && first.includes("%")) {
    return null;
  }
  let text = "";
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    const isPlain =
      typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && !Object.is(value, -0));
    if (!isPlain) {
      return null;
    }
    text += i === 0 ? value : ` ${value}`;
  }
  return text;
}

function table(data: object, only: readonly string[] | undefined): string {
  if (data instanceof Map) {
    const lines = [...data].map(([key, value], i) => [String(i), short(key), short(value)]);
    return drawn(["(iteration index)", "Key", "Values"], lines);
  }
  const isSet = data instanceof Set;
  const rows = isSet ? [...data].map((value, i) => [i, value] as const) : Object.entries(data);
  const columns = new Set<string>(only ?? []);
  let values = false;
  const cells = rows.map(([index, row]) => {
    const cell = new Map<string, string>();
    if (typeof row === "object" && row !== null) {
      for (const [key, value] of Object.entries(row)) {
        if (only === undefined) {
          columns.add(key);
        }
        cell.set(key, short(value));
      }
    } else {
      values = true;
      cell.set("", short(row));
    }
    return { index: String(index), cell };
  });
  // In the order that properties of an object have.
  const names = Object.keys(Object.fromEntries([...columns].map((name) => [name, true])));
  const heads = [isSet ? "(iteration index)" : "(index)", ...names, ...(values ? ["Values"] : [])];
  const lines = cells.map(({ index, cell }) => [
    index,
    ...names.map((key) => cell.get(key) ?? ""),
    ...(values ? [cell.get("") ?? ""] : []),
  ]);
  return drawn(heads, lines);
}

function drawn(heads: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(wide(head), ...lines.map((line) => wide(line[i] ?? ""))) + 2);
  const cell = (text: string, i: number) => ` ${text}${" ".repeat((widths[i] ?? 0) - wide(text) - 1)}`;
  const draw = (texts: readonly string[]) => `│${texts.map(cell).join("│")}│`;
  const rule = (left: string, mid: string, right: string) =>
    left + widths.map((width) => "─".repeat(width)).join(mid) + right;
  return [rule("┌", "┬", "┐"), draw(heads), rule("├", "┼", "┤"), ...lines.map(draw), rule("└", "┴", "┘")].join("\n");
}

/** Columns of a terminal that a text takes. */
function wide(text: string): number {
  const plain = text.replace(/\x1b\[[0-9;]*m/g, "").replace(/\p{M}/gu, "");
  return [...plain].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function short(value: unknown): string {
  return builtin("util").inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY, colors: false });
}
