/** Owns making the runner that the operator's settings ask for: the sandbox, functions, and who gets which script. Never runs anything itself. */
import type { ScriptRunner } from "../model/runner.ts";
import { type RunnersConfig, SANDBOX } from "../model/runners.ts";
import { createHttpFunctionRunner } from "./http-function-runner.ts";
import { createRoutingRunner } from "./routing-runner.ts";

/** What the settings only name. */
export interface RunnerParts {
  /** Null where there is none. */
  readonly sandbox: ScriptRunner | null;
  /** A secret of the platform; null when it is not there. Asked with each run. */
  readonly secretOf: (name: string) => Promise<string | null>;
}

/** The runner of an edge; null where nothing runs. Throws `config-invalid` for an address that no script should be sent to. */
export function createConfiguredRunner(config: RunnersConfig, { sandbox, secretOf }: RunnerParts): ScriptRunner | null {
  const { functions, skills, runtimes, otherwise } = config;
  const made = new Map<string | null, ScriptRunner | null>([[SANDBOX, sandbox]]);
  for (const [name, { url, secret, sends }] of Object.entries(functions)) {
    made.set(name, createHttpFunctionRunner({ url, sends, secret: () => secretOf(secret) }));
  }
  const routes = { ...skills, ...runtimes };
  if (Object.keys(routes).length === 0 && otherwise === SANDBOX) {
    return sandbox;
  }
  const runnersFor = (goals: Readonly<Record<string, string | null>>) =>
    Object.fromEntries(Object.entries(goals).map(([of, name]) => [of, made.get(name) ?? null]));
  return createRoutingRunner({
    skills: runnersFor(skills),
    runtimes: runnersFor(runtimes),
    otherwise: made.get(otherwise) ?? null,
  });
}
