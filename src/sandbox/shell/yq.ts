/** Owns `yq`: YAML and JSON in and out around jq's expressions, with the words of both yq's; never the expressions themselves. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import { parseAllDocuments, stringify } from "yaml";
import type { Machine } from "../box/machine.ts";
import { withBytes } from "../files/absent.ts";
import { FileError } from "../files/errors.ts";
import { resolvePath } from "../files/paths.ts";
import { withDescriptors } from "./descriptors.ts";
import type { Result } from "./inside.ts";
import { bytesOf, decodeText, encodeText, latin1 } from "./tools/text.ts";
import { fail, type Options, readOptions, say, UsageError } from "./tools/tool.ts";

const NAMES = {
  "output-format": "o",
  "input-format": "p",
  inplace: "i",
  "in-place": "i",
  "null-input": "n",
  "raw-output": "r",
  "unwrap-scalar": "u",
  "yaml-output": "y",
  "yaml-roundtrip": "Y",
  "exit-status": "e",
  "compact-output": "c",
  indent: "I",
  tojson: "j",
  prettyPrint: "P",
  "no-colors": "M",
  colors: "C",
  "no-doc": "N",
  slurp: "s",
  "eval-all": "E",
  "join-output": "J",
};

/** Aliases that a document may expand to: more is an attack on memory. */
const MOST_ALIASES = 100;

/** Blanks before each step in: each line of the answer has them. */
const MOST_INDENT = 100;

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

export function yqCommand(machine: Machine): CustomCommand {
  return defineCommand("yq", async (args, context) => {
    try {
      return await withDescriptors(machine.files, args, context, () => yq(machine, args, context));
    } catch (error) {
      if (error instanceof UsageError) {
        return fail(`Error: ${error.message}`);
      }
      if (error instanceof FileError) {
        return fail(`Error: open ${error.path?.replace(`${context.cwd}/`, "") ?? ""}: no such file or directory`);
      }
      throw error;
    }
  });
}

async function yq(machine: Machine, args: readonly string[], context: Context): Promise<Result> {
  if (args[0] === "--version" || args[0] === "-V") {
    return say("yq (https://github.com/mikefarah/yq/) version v4.44.1 (sandbox)\n");
  }
  const { variables, words } = variablesOf(args);
  const all = words[0] === "ea" || words[0] === "eval-all";
  const command = ["e", "eval", "ea", "eval-all"].includes(words[0] ?? "") ? words.slice(1) : words;
  const options = readOptions(command, "o:p:inru;yYecI:jPMCNsEJ", NAMES);
  const { expression, names } = wordsOf(options, machine, context);
  const outputs: string[] = [];
  let exitCode = 0;
  const texts = options.has("n") ? [] : await withBytes(() => names.map((name) => readInput(name, machine, context)));
  const documents = texts.map((text) => documentsOf(text, options.value("p")));
  const groups = options.has("n") ? [[null]] : all || options.has("s") ? [[documents.flat()]] : documents;
  for (const [i, group] of groups.entries()) {
    const shown: string[] = [];
    for (const document of group) {
      const flags = [...(options.has("n") ? ["-n"] : []), ...(options.has("e") ? ["-e"] : []), ...variables];
      const result = await jq(context, [...flags, "-c", expression], JSON.stringify(document));
      if (result.exitCode !== 0 && result.stderr !== "") {
        return fail(result.stderr.replace(/^jq: (?:error: )?/, "Error: ").trimEnd(), 1);
      }
      exitCode = result.exitCode;
      shown.push(...result.lines.map((line) => shape(JSON.parse(line), options)));
    }
    const separator = formatOf(options) === "yaml" && group.length > 1 && !options.has("N") ? "---\n" : "";
    const text = shown.join(separator);
    const name = names[i];
    if (options.has("i") && name !== undefined && name !== "-") {
      machine.files.writeFile(resolvePath(context.cwd, name), encodeText(text));
    } else {
      outputs.push(text);
    }
  }
  return { stdout: latin1(encodeText(outputs.join(""))), stdoutKind: "bytes", stderr: "", exitCode };
}

/** `--arg NAME VALUE` and `--argjson`, which are jq's. */
function variablesOf(args: readonly string[]): {
  readonly variables: readonly string[];
  readonly words: readonly string[];
} {
  const variables: string[] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--arg" || word === "--argjson") {
      variables.push(word, args[++at] ?? "", args[++at] ?? "");
    } else {
      // -oj and -ojson, -p yaml: letters and value in one word or two.
      words.push(word.replace(/^-o=|^--output-format=/, "-o").replace(/^-p=|^--input-format=/, "-p"));
    }
  }
  return { variables, words };
}

function wordsOf(
  options: Options,
  { files }: Machine,
  { cwd }: Context,
): { readonly expression: string; readonly names: readonly string[] } {
  const [first, ...rest] = options.rest;
  if (first === undefined) {
    return { expression: ".", names: ["-"] };
  }
  const isFile = rest.length === 0 && files.peek(resolvePath(cwd, first))?.kind === "file";
  if (isFile) {
    return { expression: ".", names: [first] };
  }
  return { expression: asJq(first), names: rest.length === 0 ? ["-"] : rest };
}

/** Functions that mikefarah's yq has and jq spells otherwise. */
function asJq(expression: string): string {
  return expression
    .replace(/\bstrenv\((\w+)\)/g, "env.$1")
    .replace(/\benv\((\w+)\)/g, "(env.$1 | (try fromjson catch .))")
    .replace(/\|\s*to_json\b/g, "| tojson")
    .replace(/\|\s*from_json\b/g, "| fromjson")
    .replace(/\bsort_keys\(\.\.?\)/g, "(to_entries | sort_by(.key) | from_entries)")
    .replace(/\.\s+as\s+(\$\w+)\s+ireduce\s*\(/g, "reduce .[] as $1 (")
    .replace(/\bselect\(\s*(?:fileIndex|fi|documentIndex|di)\s*==\s*(\d+)\s*\)/g, ".[$1]");
}

function readInput(name: string, { files }: Machine, context: Context): string {
  return decodeText(name === "-" ? bytesOf(String(context.stdin)) : files.readFile(resolvePath(context.cwd, name)));
}

function documentsOf(text: string, format: string | undefined): unknown[] {
  if (format !== undefined && !/^(?:y|yaml|yml|j|json|auto|a)$/.test(format)) {
    throw new UsageError(`input format '${format}' is not available here: yaml and json are`);
  }
  const documents = parseAllDocuments(text, { merge: true, uniqueKeys: false, logLevel: "silent" });
  const list = Array.isArray(documents) ? documents : [];
  const failed = list.flatMap(({ errors }) => errors)[0];
  if (failed !== undefined) {
    throw new UsageError(`bad file '-': yaml: ${failed.message.split("\n")[0]}`);
  }
  return list.length === 0 ? [null] : list.map((document) => document.toJS({ maxAliasCount: MOST_ALIASES }));
}

interface Asked {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly exitCode: number;
}

async function jq(context: Context, args: string[], json: string): Promise<Asked> {
  const stdin = latin1(encodeText(json));
  const env = context.exportedEnv ?? {};
  const result = await context.exec?.("jq", { cwd: context.cwd, env, args, stdin, stdinKind: "bytes" });
  const stdout = result?.stdoutKind === "bytes" ? decodeText(bytesOf(result.stdout)) : (result?.stdout ?? "");
  return {
    lines: stdout.split("\n").filter((line) => line !== ""),
    stderr: result?.stderr ?? "jq: not found\n",
    exitCode: result?.exitCode ?? 127,
  };
}

function formatOf(options: Options): "yaml" | "json" | "props" {
  const named = options.value("o") ?? "";
  if (/^(?:j|json)$/.test(named) || options.has("j")) {
    return "json";
  }
  if (/^(?:p|props)$/.test(named)) {
    return "props";
  }
  if (named !== "" && !/^(?:y|yaml|yml|a|auto)$/.test(named)) {
    throw new UsageError(`output format '${named}' is not available here: yaml, json and props are`);
  }
  return "yaml";
}

function shape(value: unknown, options: Options): string {
  const format = formatOf(options);
  const indent = Math.min(Number(options.value("I") ?? 2), MOST_INDENT);
  if (format === "props") {
    return properties("", value).join("");
  }
  if (format === "json") {
    const isRaw = options.has("r") && typeof value === "string";
    const text = isRaw ? value : JSON.stringify(value, null, options.has("c") ? 0 : indent);
    return `${text}\n`;
  }
  if (typeof value !== "object" || value === null) {
    return `${value === null ? "null" : String(value)}${options.has("J") ? "" : "\n"}`;
  }
  return stringify(value, { indent: indent || 2, lineWidth: 0, aliasDuplicateObjects: false });
}

function properties(prefix: string, value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [`${prefix} = ${value === null ? "" : String(value)}\n`];
  }
  return Object.entries(value).flatMap(([key, child]) => properties(prefix === "" ? key : `${prefix}.${key}`, child));
}
