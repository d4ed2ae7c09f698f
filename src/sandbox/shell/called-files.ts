/** Owns files that a script runs by their path: shells of their own, which get what is exported and nothing else. Never how they are found. */
import { sandboxFunctions } from "./functions.ts";
import type { Context, Result, State } from "./inside.ts";
import { placed } from "./messages.ts";
import type { Refuse } from "./nested.ts";
import { sandboxSubshell } from "./traps.ts";

/** As for functions. */
const MOST_NESTED = 200;

const FIRST_ENVIRONMENT = {
  IFS: " \t\n",
  OSTYPE: "linux-gnu",
  MACHTYPE: "x86_64-pc-linux-gnu",
  HOSTTYPE: "x86_64",
  HOSTNAME: "localhost",
  OPTIND: "1",
};

/** What a file is run with. */
export interface CalledFile {
  /** As it was called. */
  readonly path: string;
  /** What is exported. */
  readonly env: Readonly<Record<string, string>>;
}

/** Makes a shell's state that of a new one; just-bash puts the old one back. */
export function sandboxAnew(state: State, { path, env }: CalledFile, parse: (text: string) => unknown): void {
  const level = String((Number(env.SHLVL) || 0) + 1);
  const off = (options: Readonly<Record<string, boolean>>) =>
    Object.fromEntries(
      Object.keys(options).map((name) => [name, name === "globskipdots" || name === "patsub_replacement"]),
    );
  const variables = new Map(Object.entries({ ...FIRST_ENVIRONMENT, ...env, SHLVL: level }));
  const version = state.arrays?.get("BASH_VERSINFO");
  Object.assign(state, {
    env: variables,
    arrays: new Map(version === undefined ? [] : [["BASH_VERSINFO", version]]),
    functions: sandboxFunctions(new Map(), variables, parse),
    options: off(state.options),
    shoptOptions: off(state.shoptOptions),
    readonlyVars: new Set(["SHELLOPTS", "BASHOPTS"]),
    exportedVars: new Set(Object.keys(env)),
    currentSource: path,
    sourceStack: [path],
    funcNameStack: [],
    callLineStack: [],
    callDepth: 0,
    inCondition: false,
    hashTable: new Map(),
    localScopes: [],
  });
  for (const kind of OWN) {
    state[kind] = undefined;
  }
}

/** What a new shell has none of. */
const OWN = [
  "associativeArrays",
  "namerefs",
  "boundNamerefs",
  "invalidNamerefs",
  "integerVars",
  "lowercaseVars",
  "uppercaseVars",
  "tempExportedVars",
  "localExportedVars",
  "declaredVars",
  "localArrayScopes",
  "localVarDepth",
  "localVarStack",
  "fullyUnsetLocals",
  "tempEnvBindings",
  "mutatedTempEnvVars",
  "accessedTempEnvVars",
  "directoryStack",
] as const;

/** Runs the file's script, with traps of its own. */
export async function sandboxCalled<Script>(
  ctx: Context<Script>,
  run: () => Promise<Result>,
  parse: (text: string) => Script,
  refuse: Refuse,
): Promise<Result> {
  const { state } = ctx;
  const { sandboxDepth = 0, sandboxSubshells, sandboxInTrap, sandboxTraps } = state;
  if (sandboxDepth >= MOST_NESTED) {
    refuse(`${state.currentSource}: maximum recursion depth (${MOST_NESTED}) exceeded`, "recursion");
  }
  const ignored = [...(sandboxTraps ?? [])].filter(([, command]) => command === "");
  Object.assign(state, {
    sandboxDepth: sandboxDepth + 1,
    sandboxSubshells: -1,
    sandboxInTrap: false,
    sandboxTraps: new Map(ignored),
  });
  try {
    const result = await sandboxSubshell(ctx, run, parse);
    return { ...result, stderr: placed(state, state.currentLine, result.stderr) };
  } finally {
    Object.assign(state, { sandboxDepth, sandboxSubshells, sandboxInTrap, sandboxTraps });
  }
}
