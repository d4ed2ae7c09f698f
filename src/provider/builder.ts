/**
 * Owns putting a provider together: sources, then aggregate → cache → filter → deduplicate (DESIGN.md §6). Sources are made when it is built,
 * so the order of the calls does not matter. Knows no disk; edge-skills/node adds what does.
 */
import { NO_LOG, type SkillsLogger, type SkillsLoggerFactory } from "../model/log.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { AgentSkill, AgentSkillsSource } from "../model/skill.ts";
import { AggregatingAgentSkillsSource } from "../sources/aggregating-source.ts";
import { CachingAgentSkillsSource, type CachingOptions } from "../sources/caching-source.ts";
import { DeduplicatingAgentSkillsSource } from "../sources/deduplicating-source.ts";
import { FilteringAgentSkillsSource, type SkillFilter } from "../sources/filtering-source.ts";
import { AgentInMemorySkillsSource } from "../sources/in-memory-source.ts";
import type { ApprovalOptions } from "./approval-gate.ts";
import { checkedTemplate } from "./instructions.ts";
import { MemoryApprovalStore } from "./memory-approval-store.ts";
import { AgentSkillsProvider, type ProviderOptions } from "./provider.ts";

/** What a source can be made with, once everything is known. */
export interface SourceParts {
  /** For scripts of sources that bring none of their own; null where scripts do not run. */
  readonly runner: ScriptRunner | null;
  /** A logger for a part, by its name. */
  readonly loggerFor: (part: string) => SkillsLogger;
}

/** Makes a source when the provider is built. */
export type SourceFactory = (parts: SourceParts) => AgentSkillsSource;

/**
 * Builds a provider.
 *
 * @example
 * const provider = new AgentSkillsProviderBuilder()
 *   .useSource(new RemoteAgentSkillsSource("https://skills.example.com", { token }))
 *   .useSkills([unitConverter])
 *   .useFilter(({ metadata }) => metadata.stage !== "draft")
 *   .useScriptApproval({ tools: { run_skill_script: "ask" } })
 *   .build();
 */
export class AgentSkillsProviderBuilder {
  readonly #factories: SourceFactory[] = [];
  readonly #filters: SkillFilter[] = [];
  #options: ProviderOptions = {};
  #caching: CachingOptions | null = {};
  #runner: ScriptRunner | null = null;
  #loggerFor: SkillsLoggerFactory = () => NO_LOG;

  /** Adds one skill of any kind. */
  useSkill(skill: AgentSkill): this {
    return this.useSkills([skill]);
  }

  /** Adds skills of any kind. */
  useSkills(skills: Iterable<AgentSkill>): this {
    const source = new AgentInMemorySkillsSource(skills);
    return this.useSource(source);
  }

  /** Adds skills that are put together in code. */
  useInlineSkills(...skills: readonly AgentSkill[]): this {
    return this.useSkills(skills);
  }

  /** Adds skills that are classes. */
  useClassSkills(...skills: readonly AgentSkill[]): this {
    return this.useSkills(skills);
  }

  /** Adds a source, or what makes one when the provider is built. The provider disposes it. */
  useSource(source: AgentSkillsSource | SourceFactory): this {
    this.#factories.push(typeof source === "function" ? source : () => source);
    return this;
  }

  /** Adds the skills of MCP servers: `useMcpSkills(mcpSkills(client))`, the function being from edge-skills/mcp. */
  useMcpSkills(...sources: readonly (AgentSkillsSource | SourceFactory)[]): this {
    for (const source of sources) {
      this.useSource(source);
    }
    return this;
  }

  /** Leaves out skills. Called more than once, a skill has to pass every filter. */
  useFilter(filter: SkillFilter): this {
    this.#filters.push(filter);
    return this;
  }

  /** Asks a person before scripts run, or by any other policy; approvals are kept in memory unless a store is given. */
  useScriptApproval(approval: Partial<ApprovalOptions> = {}): this {
    return this.useOptions({ approval: { store: new MemoryApprovalStore(), ...approval } });
  }

  /** Takes a text of one's own for the instructions. Throws `usage` when it lacks `{skills}`. */
  usePromptTemplate(template: string): this {
    return this.useOptions({ promptTemplate: checkedTemplate(template) });
  }

  /** Runs the scripts of file skills that have no runner of their own; may come before or after them. */
  useFileScriptRunner(runner: ScriptRunner | ScriptRunner["run"]): this {
    this.#runner = typeof runner === "function" ? { run: runner } : runner;
    return this;
  }

  /** Makes the loggers of all parts. */
  useLoggerFactory(loggerFor: SkillsLoggerFactory): this {
    this.#loggerFor = loggerFor;
    return this;
  }

  /** Adds options of the provider; later ones count. */
  useOptions(options: ProviderOptions): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /** Says how lists are kept; by default for good and per tenant. */
  useCachingOptions(options: CachingOptions): this {
    this.#caching = { ...this.#caching, ...options };
    return this;
  }

  /** Asks the sources on every call. */
  disableCaching(): this {
    this.#caching = null;
    return this;
  }

  /** Makes the provider, which owns its sources: `dispose()` of one disposes the others. Without a source it offers nothing. */
  build(): AgentSkillsProvider {
    return new AgentSkillsProvider(this.#pipeline(), { ...this.#options, ownsSource: true });
  }

  #pipeline(): AgentSkillsSource {
    const parts: SourceParts = { runner: this.#runner, loggerFor: this.#loggerFor };
    const isolation = this.#caching?.isolationKey === undefined ? {} : { isolationKey: this.#caching.isolationKey };
    const all = new AggregatingAgentSkillsSource(
      this.#factories.map((make) => make(parts)),
      { ...isolation, logger: this.#loggerFor("sources") },
    );
    let source: AgentSkillsSource = all;
    if (this.#caching !== null) {
      // What lacks a source that failed must not be kept for good.
      const isComplete: CachingOptions["isComplete"] = (context) => all.isComplete(context);
      source = new CachingAgentSkillsSource(source, { logger: this.#loggerFor("cache"), isComplete, ...this.#caching });
    }
    for (const filter of this.#filters) {
      source = new FilteringAgentSkillsSource(source, filter);
    }
    return new DeduplicatingAgentSkillsSource(source, { logger: this.#loggerFor("names") });
  }
}
