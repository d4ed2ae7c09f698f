/** Owns `util.parseArgs`, which the platform lacks, with the values, tokens and errors of Node.js; never what a script does with them. */
import { builtin } from "./builtins.ts";

interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  readonly default?: unknown;
}

type Options = Readonly<Record<string, Option>>;

/** As `util.parseArgs` takes it. */
export interface ParseArgsConfig {
  readonly args?: readonly string[];
  readonly options?: Options;
  readonly strict?: boolean;
  readonly allowPositionals?: boolean;
  readonly allowNegative?: boolean;
  readonly tokens?: boolean;
}

interface OptionToken {
  readonly kind: "option";
  readonly name: string;
  readonly rawName: string;
  readonly index: number;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

type Token =
  | OptionToken
  | { readonly kind: "positional"; readonly index: number; readonly value: string }
  | { readonly kind: "option-terminator"; readonly index: number };

type Values = Record<string, unknown>;

/** What `util.parseArgs` answers. */
export interface ParsedArgs {
  readonly values: Values;
  readonly positionals: string[];
  readonly tokens?: readonly Token[];
}

/** An error as Node.js makes them: its code shows in its text and not in its name. */
class CodedTypeError extends TypeError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  override toString(): string {
    return `TypeError [${this.code}]: ${this.message}`;
  }
}

/**
 * `util.parseArgs`
 * @param main the words of the run, where the call names none
 */
export function parseArgs(config: ParseArgsConfig | undefined, main: readonly string[]): ParsedArgs {
  const { args = main, strict = true, tokens: wanted = false, allowNegative = false } = config ?? {};
  const { options = {}, allowPositionals = !strict } = config ?? {};
  if (!Array.isArray(args)) {
    throw wrongType('"args" argument', "an instance of Array", args);
  }
  checkOptions(options);
  const tokens: Token[] = [];
  const values: Values = { __proto__: null };
  const positionals: string[] = [];
  for (const token of tokensOf(args, options)) {
    const negated = token.kind === "option" ? negatedName(token, options, allowNegative) : null;
    tokens.push(negated === null ? token : { ...(token as OptionToken), name: negated });
    if (token.kind === "option") {
      if (strict) {
        checkUse(token, negated, options, allowPositionals);
      }
      store(values, options, negated ?? token.name, negated === null ? (token.value ?? true) : false);
    } else if (token.kind === "positional") {
      if (!allowPositionals) {
        const message = `Unexpected argument '${token.value}'. This command does not take positional arguments`;
        throw new CodedTypeError("ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", message);
      }
      positionals.push(token.value);
    }
  }
  for (const [name, { default: otherwise }] of Object.entries(options)) {
    if (otherwise !== undefined && values[name] === undefined && name !== "__proto__") {
      values[name] = otherwise;
    }
  }
  return { values, positionals, ...(wanted ? { tokens } : {}) };
}

function checkOptions(options: Options): void {
  for (const [name, { type, short, multiple, default: otherwise }] of Object.entries(options)) {
    if (type !== "string" && type !== "boolean") {
      throw wrongType(`"options.${name}.type" property`, "('string|boolean')", type);
    }
    if (short !== undefined && short.length !== 1) {
      const message = `The property 'options.${name}.short' must be a single character. Received ${shown(short)}`;
      throw new CodedTypeError("ERR_INVALID_ARG_VALUE", message);
    }
    if (multiple !== undefined && typeof multiple !== "boolean") {
      throw wrongType(`"options.${name}.multiple" property`, "of type boolean", multiple);
    }
    if (otherwise === undefined) {
      continue;
    }
    if (multiple === true && !Array.isArray(otherwise)) {
      throw wrongType(`"options.${name}.default" property`, "an instance of Array", otherwise);
    }
    const [wrong] = (multiple === true ? (otherwise as unknown[]) : [otherwise]).filter(
      (value) => typeof value !== type,
    );
    if (wrong !== undefined) {
      throw wrongType(`"options.${name}.default" property`, `of type ${type}`, wrong);
    }
  }
}

function own(options: Options, name: string): Option | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function longName(short: string, options: Options): string {
  return Object.entries(options).find(([, option]) => option.short === short)?.[0] ?? short;
}

function* tokensOf(args: readonly unknown[], options: Options): Generator<Token> {
  let index = -1;
  const rest = args.map(String);
  const valueFor = (name: string): string | undefined =>
    own(options, name)?.type === "string" && rest[0] !== undefined ? rest.shift() : undefined;
  const alone = (name: string, rawName: string): OptionToken => {
    const at = index;
    const value = valueFor(name);
    index += value === undefined ? 0 : 1;
    return { kind: "option", name, rawName, index: at, value, inlineValue: value === undefined ? undefined : false };
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    index++;
    if (arg === "--") {
      yield { kind: "option-terminator", index };
      for (const value of rest.splice(0)) {
        yield { kind: "positional", index: ++index, value };
      }
    } else if (/^--./.test(arg)) {
      const equals = arg.indexOf("=", 3);
      if (equals < 0) {
        yield alone(arg.slice(2), arg);
      } else {
        const name = arg.slice(2, equals);
        yield { kind: "option", name, rawName: `--${name}`, index, value: arg.slice(equals + 1), inlineValue: true };
      }
    } else if (/^-./.test(arg)) {
      for (let at = 1; at < arg.length; at++) {
        const name = longName(arg.charAt(at), options);
        const rawName = `-${arg.charAt(at)}`;
        if (own(options, name)?.type === "string" && at < arg.length - 1) {
          yield { kind: "option", name, rawName, index, value: arg.slice(at + 1), inlineValue: true };
          break;
        }
        yield alone(name, rawName);
      }
    } else {
      yield { kind: "positional", index, value: arg };
    }
  }
}

/** The option that a word like `--no-color` turns off; null for other words. */
function negatedName({ name, value }: OptionToken, options: Options, allowed: boolean): string | null {
  const positive = name.startsWith("no-") ? name.slice(3) : "";
  const isOne = allowed && value === undefined && own(options, name) === undefined;
  return isOne && own(options, positive)?.type === "boolean" ? positive : null;
}

function checkUse(token: OptionToken, negated: string | null, options: Options, allowPositionals: boolean): void {
  const { rawName, value, inlineValue } = token;
  const name = negated ?? token.name;
  const option = own(options, name);
  if (option === undefined) {
    const hint = allowPositionals
      ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- ${JSON.stringify(rawName)}`
      : "";
    throw new CodedTypeError("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${rawName}'${hint}`);
  }
  const both = `${option.short === undefined ? "" : `-${option.short}, `}--${name}`;
  if (option.type === "string" && value === undefined) {
    throw badValue(`Option '${both} <value>' argument missing`);
  }
  if (option.type === "boolean" && value !== undefined) {
    throw badValue(`Option '${both}' does not take an argument`);
  }
  if (inlineValue !== true && value !== undefined && /^-./.test(value)) {
    const example = rawName.startsWith("--") ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw badValue(
      `Option '${rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${rawName}'?\nTo specify an option argument starting with a dash use ${example}.`,
    );
  }
}

function store(values: Values, options: Options, name: string, value: unknown): void {
  if (name === "__proto__") {
    return;
  }
  if (own(options, name)?.multiple === true) {
    const list = (values[name] as unknown[] | undefined) ?? [];
    list.push(value);
    values[name] = list;
  } else {
    values[name] = value;
  }
}

function badValue(message: string): CodedTypeError {
  return new CodedTypeError("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", message);
}

function wrongType(what: string, expected: string, value: unknown): CodedTypeError {
  return new CodedTypeError("ERR_INVALID_ARG_TYPE", `The ${what} must be ${expected}. Received ${received(value)}`);
}

function received(value: unknown): string {
  if (value === null || value === undefined) {
    return String(value);
  }
  if (typeof value === "function") {
    return `function ${value.name}`;
  }
  return typeof value === "object"
    ? `an instance of ${value.constructor?.name ?? "Object"}`
    : `type ${typeof value} (${shown(value)})`;
}

function shown(value: unknown): string {
  return builtin("util").inspect(value);
}
