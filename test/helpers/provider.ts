/** Makes a provider over described skills, packed and read from memory as the edge would, with a runner that only takes notes. Through the public entries. */
import {
  AgentSkillsProvider,
  type ProviderOptions,
  type RunResult,
  type ScriptJob,
  type ScriptRunner,
  type ToolCaller,
} from "../../src/index.ts";
import { createMemoryStore, createPackedSource } from "../../src/packed.ts";
import { liveEntries, type SkillSpec } from "./pack-skills.ts";

/** A caller who may do everything. */
export const CALLER: ToolCaller = { tenant: "acme", agent: null, session: null, signal: null, mayRun: true };

/** A run that went well. */
export const GOOD_RUN: RunResult = {
  exit_code: 0,
  stdout: "done\n",
  stderr: "",
  timed_out: false,
  truncated: false,
  limit: null,
  duration_ms: 7,
  files: [],
};

/** A runner that keeps what it was given and answers what it was told. */
export class NotingRunner implements ScriptRunner {
  readonly jobs: ScriptJob[] = [];
  readonly #answer: RunResult | Error;

  constructor(answer: RunResult | Error = GOOD_RUN) {
    this.#answer = answer;
  }

  async run(job: ScriptJob): Promise<RunResult> {
    this.jobs.push(job);
    if (this.#answer instanceof Error) {
      throw this.#answer;
    }
    return this.#answer;
  }
}

/** A provider over the skills, on the platform layer. */
export async function providerOver(
  skills: readonly SkillSpec[],
  options: ProviderOptions & { readonly runner?: ScriptRunner } = {},
): Promise<AgentSkillsProvider> {
  const { runner = new NotingRunner(), ...rest } = options;
  const store = createMemoryStore(await liveEntries(skills));
  return new AgentSkillsProvider(createPackedSource(store, { runner }), rest);
}
