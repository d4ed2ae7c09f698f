/** Owns functions on their way to other shells, in the environment as bash has them (`export -f`); never calls one. */
import { type Context, NOTHING, type Result, type State } from "./inside.ts";

/** A function's definition as just-bash keeps it. */
interface Definition {
  readonly type: "FunctionDef";
  readonly name: string;
  /** Its body and redirections, as they were written. */
  readonly sandboxText: string;
}

/** A script as it was parsed. */
interface Parsed {
  readonly statements: readonly { readonly pipelines: readonly { readonly commands: readonly object[] }[] }[];
}

const IN_ENVIRONMENT = /^BASH_FUNC_(.+)%%$/;

/** `export -f NAME…` */
export function sandboxExport(
  ctx: Context,
  names: readonly string[],
  exportVariable: (ctx: Context, name: string) => void,
): Result {
  const { env, functions } = ctx.state;
  let stderr = "";
  for (const name of names) {
    const definition = functions.get(name) as Definition | undefined;
    if (definition === undefined) {
      stderr += `bash: export: ${name}: not a function\n`;
      continue;
    }
    const variable = variableOf(name);
    env.set(variable, textOf(definition));
    exportVariable(ctx, variable);
  }
  return { ...NOTHING, stderr, exitCode: stderr === "" ? 0 : 1 };
}

/** A function was defined: where an earlier one of its name is in the environment, it takes its place. */
export function sandboxDefined(env: State["env"], definition: Definition): void {
  const variable = variableOf(definition.name);
  if (env.has(variable)) {
    env.set(variable, textOf(definition));
  }
}

function variableOf(name: string): string {
  return `BASH_FUNC_${name}%%`;
}

function textOf({ sandboxText }: Definition): string {
  return `() ${sandboxText}`;
}

/** A shell's functions at its beginning, with those of its environment. What is no function there is left alone, never run. */
export function sandboxFunctions(
  known: ReadonlyMap<string, unknown>,
  env: State["env"],
  parse: (text: string) => unknown,
): Map<string, unknown> {
  const functions = new Map(known);
  for (const [variable, text] of env) {
    const name = IN_ENVIRONMENT.exec(variable)?.[1];
    const definition = name === undefined ? null : definitionIn(`${name} ${text}`, parse);
    if (name !== undefined && definition?.name === name) {
      functions.set(name, { ...definition, sourceFile: "environment" });
    }
  }
  return functions;
}

/** The one definition that a text is; null for any other text. */
function definitionIn(text: string, parse: (text: string) => unknown): Definition | null {
  try {
    const { statements } = parse(text) as Parsed;
    const commands = statements.flatMap(({ pipelines }) => pipelines.flatMap((pipeline) => pipeline.commands));
    const [only, ...more] = commands as Definition[];
    return only?.type === "FunctionDef" && more.length === 0 ? only : null;
  } catch {
    return null;
  }
}
