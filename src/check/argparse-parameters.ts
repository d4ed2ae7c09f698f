/** Owns the arguments of a Python script as its `argparse` calls state them, as far as these are literal. Never runs the script. */
import { ONE_FLAG } from "../model/arguments.ts";
import type { JsonObject } from "../model/record.ts";
import { type Parameter, type ParameterList, parameterSchema } from "./parameter-schema.ts";
import { type PythonCall, type PythonValue, pythonCalls } from "./python-calls.ts";

const CALLS = new Set(["ArgumentParser", "add_argument", "add_subparsers", "set_defaults"]);

const PARSERS = new Set(["ArgumentParser"]);

/** Actions that take no value. */
const SWITCHES = new Set(["store_true", "store_false", "store_const", "append_const", "count"]);
/** Actions that end the script: nothing to call it with. */
const ENDINGS = new Set(["help", "version"]);

/** What the only parser of a script says that it does; null when there is none, several, or it says nothing literal. */
export function argparseDescription(source: string): string | null {
  const [parser, second] = source.includes("ArgumentParser") ? (pythonCalls(source, PARSERS) ?? []) : [];
  return second === undefined ? textOf(parser?.call.named.get("description")) : null;
}

/** The schema of a script's arguments; null when they cannot be told from its text. */
export function argparseParameters(source: string): JsonObject | null {
  if (!source.includes("add_argument")) {
    return null;
  }
  const calls = pythonCalls(source, CALLS);
  if (calls === null) {
    return null;
  }
  const count = (wanted: string) => calls.filter(({ name }) => name === wanted).length;
  // With commands, or several parsers, what is allowed depends on the words before it.
  if (count("ArgumentParser") !== 1 || count("add_subparsers") > 0) {
    return null;
  }
  if (calls.some(({ name, call }) => name === "ArgumentParser" && call.named.has("prefix_chars"))) {
    return null;
  }
  const read = calls.filter(({ name }) => name === "add_argument").map(({ call }) => argumentOf(call));
  return read.includes(null) ? null : parameterSchema(merge(read.flatMap((part) => part ?? [])));
}

type Part = { readonly named: Parameter } | { readonly positional: ParameterList["positional"][number] };

function merge(parts: readonly Part[]): ParameterList {
  return {
    named: parts.flatMap((part) => ("named" in part ? [part.named] : [])),
    positional: parts.flatMap((part) => ("positional" in part ? [part.positional] : [])),
    isOpen: false,
  };
}

/** What one call adds: nothing, an option, a place for words; null when it cannot be read. */
function argumentOf({ positional, named, isOpen }: PythonCall): Part[] | null {
  const flags = positional.map((value) => (value.kind === "text" ? value.text : null));
  const [first] = flags;
  if (isOpen || first === null || first === undefined || flags.includes(null)) {
    return null;
  }
  const help = textOf(named.get("help"));
  const action = actionOf(named.get("action"));
  if (nameOf(named.get("help"))?.endsWith("SUPPRESS") || ENDINGS.has(action)) {
    return [];
  }
  if (!first.startsWith("-")) {
    const label = textOf(named.get("metavar")) ?? first;
    const choices = listOf(named.get("choices"));
    const among = choices === null ? "" : `one of ${choices.join(", ")}`;
    const text = [filled(help, named) ?? "", among].filter((part) => part !== "").join("; ");
    return [{ positional: { label, help: text === "" ? null : text, ...wordCount(named.get("nargs")) } }];
  }
  const isRequired = nameOf(named.get("required")) === "True";
  const key = keyOf(flags.filter((flag) => flag !== null));
  const schema = valueSchema(action, named);
  if (key === null || schema === null) {
    // An object cannot say it; words can, and must where it is needed.
    return isRequired ? null : [];
  }
  const one: Part = { named: { key, schema, help: filled(help, named), isRequired } };
  const isPair = action.endsWith("BooleanOptionalAction") && !isRequired && key.length > 1;
  return isPair ? [one, { named: { key: `no-${key}`, schema, help: null, isRequired } }] : [one];
}

/** The key that the mapping of arguments turns into one of these flags: `--long`, or `-s`. */
function keyOf(flags: readonly string[]): string | null {
  const long = flags.find((flag) => /^--[^-=\s][^=\s]+$/.test(flag));
  const short = flags.find((flag) => /^-[^-=\s]$/u.test(flag));
  return long?.slice(2) ?? short?.slice(1) ?? null;
}

/** The schema of an option's value; null when an object cannot say it. */
function valueSchema(action: string, named: PythonCall["named"]): JsonObject | null {
  if (SWITCHES.has(action) || action.endsWith("BooleanOptionalAction")) {
    return { type: "boolean" };
  }
  const nargs = named.get("nargs");
  const one = oneValue(named);
  if (textOf(nargs) === "?" && action === "store") {
    return { anyOf: [one, { type: "boolean" }] };
  }
  if (nargs === undefined || (nargs.kind === "number" && nargs.value === 1)) {
    return action === "append" || action === "extend" ? { type: "array", items: one } : one;
  }
  // A list of lists; or all words that follow; or what only the running script knows.
  if (action === "append" || (nargs.kind !== "number" && !/^[*+]$/.test(textOf(nargs) ?? ""))) {
    return null;
  }
  const { min, max } = wordCount(nargs);
  const { default: _, ...items } = one;
  const initial = listOf(named.get("default"));
  return {
    type: "array",
    items,
    ...(min > 0 ? { minItems: min } : {}),
    ...(max === null ? {} : { maxItems: max }),
    ...(initial === null ? {} : { default: initial }),
    // Each `extend` adds to the one before; else the last flag counts alone.
    ...(action === "extend" && min < 2 ? {} : ONE_FLAG),
  };
}

function listOf(value: PythonValue | undefined): (string | number)[] | null {
  const items = value?.kind === "list" ? value.items.map(literalOf) : [undefined];
  return items.length === 0 || items.includes(undefined) ? null : items.flatMap((item) => item ?? []);
}

function oneValue(named: PythonCall["named"]): JsonObject {
  const type = nameOf(named.get("type"));
  const choices = named.get("choices");
  const literals = choices?.kind === "list" ? choices.items.map(literalOf) : [];
  const isKnown = literals.length > 0 && literals.every((item) => item !== undefined);
  const base: JsonObject = { type: type === "int" ? "integer" : type === "float" ? "number" : "string" };
  const initial = literalOf(named.get("default"));
  return {
    ...base,
    ...(isKnown ? { enum: literals.flatMap((item) => item ?? []) } : {}),
    ...(initial === undefined || (typeof initial === "string") !== (base.type === "string")
      ? {}
      : { default: initial }),
  };
}

/** How many words a place takes; a number, or one of the signs of argparse. */
function wordCount(nargs: PythonValue | undefined): { min: number; max: number | null } {
  if (nargs?.kind === "number") {
    return { min: nargs.value, max: nargs.value };
  }
  const sign = textOf(nargs) ?? nameOf(nargs) ?? "";
  if (sign === "?") {
    return { min: 0, max: 1 };
  }
  if (sign === "*" || sign === "+") {
    return { min: sign === "+" ? 1 : 0, max: null };
  }
  return sign === "..." || sign.endsWith("REMAINDER") ? { min: 0, max: null } : { min: 1, max: 1 };
}

/** A help text with argparse's own placeholders filled in. */
function filled(help: string | null, named: PythonCall["named"]): string | null {
  const initial = literalOf(named.get("default"));
  const known = nameOf(named.get("default")) ?? initial;
  const text = help?.replace(/%\((\w+)\)[sdr]/g, (whole, key) =>
    key === "default" ? String(known ?? "none") : (textOf(named.get(key)) ?? whole),
  );
  return text?.replaceAll("%%", "%") ?? null;
}

function actionOf(value: PythonValue | undefined): string {
  return textOf(value) ?? nameOf(value) ?? "store";
}

function textOf(value: PythonValue | undefined): string | null {
  return value?.kind === "text" ? value.text : null;
}

function nameOf(value: PythonValue | undefined): string | null {
  return value?.kind === "name" ? value.name : null;
}

function literalOf(value: PythonValue | undefined): string | number | undefined {
  return value?.kind === "text" ? value.text : value?.kind === "number" ? value.value : undefined;
}
