/**
 * Owns the abstractions everything is built on: skill, resource, script and the source they come from (DESIGN.md §1).
 * Types only; implementations are in sources/ and skills/.
 */
import type { Digest } from "./digest.ts";
import type { JsonObject, JsonValue } from "./record.ts";
import type { RunInputFile, RunLimits, RunResult, Runtime } from "./run.ts";

/** Who asks. Reaches sources, filters, approvals and audit; decides nothing by itself unless `verified`. */
export interface AgentSkillsSourceContext {
  /** The caller's tenant; null outside of tenancy. */
  readonly tenant: string | null;
  /** Label of the calling agent. */
  readonly agent: string | null;
  /** Label of its session. */
  readonly session: string | null;
  /** Aborts reads and runs when the caller has gone. */
  readonly signal: AbortSignal | null;
}

/** A context without tenant, agent or session. */
export const NO_CONTEXT: AgentSkillsSourceContext = { tenant: null, agent: null, session: null, signal: null };

/** Where skills come from. */
export interface AgentSkillsSource {
  /**
   * The skills this caller may see, nearest first where names repeat. While nothing has changed the same array is answered, so that
   * whoever derives something from it can keep what was derived.
   */
  getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]>;
}

/** A skill: what is advertised at once, the rest read when it is asked for. */
export interface AgentSkill {
  readonly name: string;
  /** Other names that find it. */
  readonly aliases: readonly string[];
  readonly description: string;
  /** Normalised: every value a string. */
  readonly metadata: Readonly<Record<string, string>>;
  /** True when the model is not told of it; an explicit call still finds it. */
  readonly hidden: boolean;
  /** Over paths and bytes; null for skills defined in code. */
  readonly digest: Digest | null;
  /**
   * Names what the skill says: skills with the same revision say the same, word for word, so what is made of it can be kept.
   * Null where it may change from one call to the next.
   */
  readonly revision: string | null;
  /** Which layer it comes from: `platform`, a tenant's name, `runtime`; null outside of layers. */
  readonly layer: string | null;
  /** How many resources, scripts, and scripts that can run; null where the source cannot tell. */
  readonly counts: AgentSkillCounts;
  /** Frontmatter and instructions. */
  getContent(): Promise<AgentSkillContent>;
  /** The SKILL.md itself; null for skills that have none. */
  getManifest(): Promise<AgentSkillResource | null>;
  /** Everything that can be read, scripts among it, in path order; null where the source cannot tell. */
  listResources(): Promise<readonly AgentSkillResource[] | null>;
  /** Everything that can be called as a script, in path order; null where the source cannot tell. */
  listScripts(): Promise<readonly AgentSkillScript[] | null>;
}

export interface AgentSkillCounts {
  readonly resources: number | null;
  readonly scripts: number | null;
  readonly runnable: number | null;
}

/** What SKILL.md says. */
export interface AgentSkillContent {
  /** As read: scalars are strings, unknown fields kept. */
  readonly frontmatter: JsonObject;
  readonly allowedTools: readonly string[];
  /** The text after the frontmatter. */
  readonly body: string;
}

/** A file (or computed text) of a skill that is read on demand. */
export interface AgentSkillResource {
  /** What `read_skill_resource` is called with: a path with `/`. */
  readonly name: string;
  readonly description: string | null;
  readonly mediaType: string;
  /** Bytes; null where the source cannot tell. */
  readonly size: number | null;
  readonly digest: Digest | null;
  /** True when {@link read} gives UTF-8 text. */
  readonly text: boolean;
  read(): Promise<Uint8Array>;
}

/** A file or function of a skill that can be run. */
export interface AgentSkillScript {
  /** What `run_skill_script` is called with. */
  readonly name: string;
  readonly description: string | null;
  /** Null for functions, and for languages the sandbox lacks. */
  readonly runtime: Runtime | null;
  /** JSON Schema of its arguments. */
  readonly parameters: JsonObject;
  readonly runnable: boolean;
  /** Why it cannot run; null when it can. */
  readonly reason: string | null;
  run(call: ScriptCall): Promise<RunResult>;
}

/** One call of a script. */
export interface ScriptCall {
  readonly context: AgentSkillsSourceContext;
  /** As the tool took them; see arguments.ts for what a file script makes of them. */
  readonly arguments: JsonValue | undefined;
  readonly stdin: string;
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
}
