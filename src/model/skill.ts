/**
 * Owns the abstractions everything is built on: skill, resource, script and the source they come from (DESIGN.md §1).
 * Each can be extended or implemented; implementations are in sources/ and skills/. Never reads, caches or runs anything.
 */
import type { Digest } from "./digest.ts";
import type { JsonObject, JsonValue } from "./record.ts";
import type { RunInputFile, RunLimits, RunResult, Runtime } from "./run.ts";
import type { ServiceProvider } from "./services.ts";
import type { SearchPlace } from "./word-index.ts";

/** Who asks. Reaches sources, filters, approvals and audit; decides nothing by itself unless `verified`. */
export interface AgentSkillsSourceContext {
  /** The caller's tenant; null outside of tenancy. */
  readonly tenant: string | null;
  /** Label of the calling agent. */
  readonly agent: string | null;
  /** Label of its session. */
  readonly session: string | null;
  /** Who acts, as a verified JWT says; absent or null where nobody vouches for it. */
  readonly actor?: string | null;
  /** What the call is part of, as `traceparent` of W3C Trace Context; absent or null outside of a trace. */
  readonly traceparent?: string | null;
  /** Aborts reads and runs when the caller has gone. */
  readonly signal: AbortSignal | null;
  /** What the host hands to its own sources, resources and scripts. */
  readonly services?: ServiceProvider;
}

/** A context without tenant, agent or session. */
export const NO_CONTEXT: AgentSkillsSourceContext = { tenant: null, agent: null, session: null, signal: null };

/**
 * Where skills come from.
 *
 * @example
 * class CatalogueSource extends AgentSkillsSource {
 *   async getSkills({ tenant }: AgentSkillsSourceContext) {
 *     return loadFor(tenant);
 *   }
 * }
 */
export abstract class AgentSkillsSource {
  /**
   * The skills this caller may see, nearest first where names repeat. While nothing has changed the same array is answered, so that
   * whoever derives something from it can keep what was derived.
   */
  abstract getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]>;
  /** Frees what the source holds. May be called twice. */
  dispose?(): Promise<void>;
}

/** What is known of a skill before anything is read; an {@link AgentSkillFrontmatter} is such. */
export interface AgentSkillFacts {
  readonly name: string;
  readonly description: string;
  readonly aliases?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly hidden?: boolean;
  readonly digest?: Digest | null;
  readonly revision?: string | null;
  readonly layer?: string | null;
  readonly counts?: AgentSkillCounts;
}

/** Nothing is known of how many there are. */
const UNKNOWN_COUNTS: AgentSkillCounts = { resources: null, scripts: null, runnable: null };

/**
 * A skill: what is advertised at once, the rest read when it is asked for.
 *
 * @example
 * class CloudSkill extends AgentSkill {
 *   constructor(entry: Entry) {
 *     super(new AgentSkillFrontmatter(entry.name, entry.description));
 *   }
 *   async getContent() {
 *     return { frontmatter: {}, allowedTools: [], body: await download(this.name) };
 *   }
 * }
 */
export abstract class AgentSkill {
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
  /** Why the operator recalled it; null or absent otherwise. Such a skill is not listed, and nothing of it is given. */
  readonly blocked?: string | null;
  /** Which layer it comes from: `platform`, a tenant's name, `runtime`; null outside of layers. */
  readonly layer: string | null;
  /** How many resources, scripts, and scripts that can run; null where the source cannot tell. */
  readonly counts: AgentSkillCounts;

  constructor(facts: AgentSkillFacts) {
    this.name = facts.name;
    this.aliases = facts.aliases ?? [];
    this.description = facts.description;
    this.metadata = facts.metadata ?? {};
    this.hidden = facts.hidden ?? false;
    this.digest = facts.digest ?? null;
    this.revision = facts.revision ?? null;
    this.layer = facts.layer ?? null;
    this.counts = facts.counts ?? UNKNOWN_COUNTS;
  }

  /** Where it stands in an index that was made ahead; absent, or null, where a search makes its own. */
  readonly searchPlace?: SearchPlace | null;

  /** Frontmatter and instructions. */
  abstract getContent(context?: AgentSkillsSourceContext): Promise<AgentSkillContent>;

  /** The SKILL.md itself; null for skills that have none. */
  async getManifest(): Promise<AgentSkillResource | null> {
    return null;
  }

  /**
   * The SKILL.md in the form that hosts with strict rules take: its name the served one, its metadata texts. Absent, or null, where
   * {@link getManifest} gives that form, or hosts take the skill in none.
   */
  getPortableManifest?(): Promise<AgentSkillResource | null>;

  /** Everything that can be read, scripts among it, in path order; null where the source cannot tell. */
  async listResources(): Promise<readonly AgentSkillResource[] | null> {
    return null;
  }

  /** Everything that can be called as a script, in path order; null where the source cannot tell. */
  async listScripts(): Promise<readonly AgentSkillScript[] | null> {
    return null;
  }

  /** A resource by its exact name, where {@link listResources} answers null; null when there is none. */
  getResource?(name: string): Promise<AgentSkillResource | null>;

  /** A script by its exact name, where {@link listScripts} answers null; null when there is none. */
  getScript?(name: string): Promise<AgentSkillScript | null>;
}

/** How many a skill has; null where its source cannot tell before it reads. `runnable` counts scripts that can run. */
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

/** What is known of a resource before it is read. */
export interface AgentSkillResourceFacts {
  readonly description?: string | null;
  /** Default `text/plain`. */
  readonly mediaType?: string;
  readonly size?: number | null;
  readonly digest?: Digest | null;
  /** Default: true for media types that are text. */
  readonly text?: boolean;
}

/**
 * A file (or computed text) of a skill that is read on demand.
 *
 * @example
 * class CloudResource extends AgentSkillResource {
 *   async read(context?: AgentSkillsSourceContext) {
 *     return (await fetch(this.url, { signal: context?.signal ?? null })).bytes();
 *   }
 * }
 */
export abstract class AgentSkillResource {
  /** What `read_skill_resource` is called with: a path with `/`. */
  readonly name: string;
  readonly description: string | null;
  readonly mediaType: string;
  /** Bytes; null where the source cannot tell. */
  readonly size: number | null;
  readonly digest: Digest | null;
  /** True when {@link read} gives UTF-8 text. */
  readonly text: boolean;

  constructor(name: string, facts: AgentSkillResourceFacts = {}) {
    this.name = name;
    this.description = facts.description ?? null;
    this.mediaType = facts.mediaType ?? "text/plain";
    this.size = facts.size ?? null;
    this.digest = facts.digest ?? null;
    this.text = facts.text ?? /^text\/|[/+](?:json|xml|yaml)$/.test(this.mediaType);
  }

  /** Its bytes. Callers must not change them: they may be shared. */
  abstract read(context?: AgentSkillsSourceContext): Promise<Uint8Array>;
}

/** What is known of a script before it runs. */
export interface AgentSkillScriptFacts {
  readonly description?: string | null;
  readonly runtime?: Runtime | null;
  /** JSON Schema; default: any object. */
  readonly parameters?: JsonObject;
  /** Why it cannot run; absent or null when it can. */
  readonly reason?: string | null;
}

/**
 * A file or function of a skill that can be run.
 *
 * @example
 * class CloudScript extends AgentSkillScript {
 *   async run(call: ScriptCall) {
 *     return runResultOf(await callFunction(this.url, call.arguments));
 *   }
 * }
 */
export abstract class AgentSkillScript {
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
  /** Why the operator recalled it; null or absent otherwise. Such a script is never run, nor is anybody asked whether it may. */
  readonly blocked?: string | null;
  /** What decides a run beside the skill's files: how they were read and compiled when they were packed. Approvals bind it; absent where there is none. */
  readonly packed?: JsonValue;

  constructor(name: string, facts: AgentSkillScriptFacts = {}) {
    this.name = name;
    this.description = facts.description ?? null;
    this.runtime = facts.runtime ?? null;
    this.parameters = facts.parameters ?? { type: "object" };
    this.reason = facts.reason ?? null;
    this.runnable = this.reason === null;
  }

  /** Runs it. A script that fails is a result; throws when nothing ran. */
  abstract run(call: ScriptCall): Promise<RunResult>;
}

/** One call of a script. */
export interface ScriptCall {
  /** Whose script it is. */
  readonly skill: AgentSkill;
  readonly context: AgentSkillsSourceContext;
  /** As the tool took them; see arguments.ts for what a file script makes of them. */
  readonly arguments: JsonValue | undefined;
  readonly stdin: string;
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
}
