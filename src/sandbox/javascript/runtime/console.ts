/** Owns `console` as Node.js formats it; never where the text goes. */
import { builtin } from "./builtins.ts";
import { readStack } from "./errors.ts";
import { platform } from "./late-parts.ts";

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
      log(typeof data === "object" && data !== null ? platform().table(data, columns) : data),
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
