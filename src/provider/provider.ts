/**
 * Owns turning a source into what an agent needs: instructions, tools, and answers to tool calls.
 * Never knows HTTP, tenants or tokens; who asks comes with each call.
 */
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits } from "../model/run.ts";
import type { AgentSkillsSource, AgentSkillsSourceContext } from "../model/skill.ts";
import { failedAnswer, type ToolAnswer } from "./answers.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { fitsBudget, instructionsFor } from "./instructions.ts";
import { type AnswerCache, loadSkill } from "./load-skill.ts";
import { readResource } from "./read-resource.ts";
import { runScript } from "./run-script.ts";
import { advertisedMatches } from "./search-skills.ts";
import { type OfferedTools, type ToolDefinition, type ToolName, toolDefinitions } from "./tools.ts";

/** What an agent is given before a conversation. */
export interface AgentContext {
  /** For the system prompt; empty when there are no skills. */
  readonly instructions: string;
  /** None when there are no skills. */
  readonly tools: readonly ToolDefinition[];
}

/** How a provider behaves. */
export interface ProviderOptions {
  /** The operator's limits for runs; a caller can only lower them. */
  readonly limits?: RunLimits;
  /** Whether scripts run when they are called, or are refused; default `run`. */
  readonly scripts?: "run" | "refuse";
  /** Keeps what `load_skill` answered; without it every call makes its text anew. */
  readonly answers?: AnswerCache;
}

/** Who calls, and what they may do. */
export interface ToolCaller extends AgentSkillsSourceContext {
  /** Whether this caller may run scripts; who may not is not offered the tool. */
  readonly mayRun: boolean;
}

/** Instructions and tools over the skills of a source. */
export class AgentSkillsProvider {
  readonly #source: AgentSkillsSource;
  readonly #limits: RunLimits;
  readonly #scripts: "run" | "refuse";
  readonly #answers: AnswerCache | null;

  constructor(source: AgentSkillsSource, options: ProviderOptions = {}) {
    this.#source = source;
    this.#limits = options.limits ?? DEFAULT_RUN_LIMITS;
    this.#scripts = options.scripts ?? "run";
    this.#answers = options.answers ?? null;
  }

  /** Everything the caller may use, by name. */
  async getCatalogue(caller: AgentSkillsSourceContext): Promise<Catalogue> {
    return catalogueOf(await this.#source.getSkills(caller));
  }

  /** The system-prompt text and the tools. The same bytes as long as the skills are the same. */
  async getContext(caller: ToolCaller): Promise<AgentContext> {
    const catalogue = await this.getCatalogue(caller);
    if (catalogue.skills.length === 0) {
      return { instructions: "", tools: [] };
    }
    const offered = offeredTools(catalogue, caller);
    return { instructions: instructionsFor(catalogue, offered), tools: toolDefinitions(offered) };
  }

  /**
   * Answers a tool call. What the model or the caller can put right is an answer with `is_error`; what the service got wrong is thrown.
   */
  async callTool(name: ToolName, args: unknown, caller: ToolCaller): Promise<ToolAnswer> {
    try {
      const catalogue = await this.getCatalogue(caller);
      return await this.#answer(catalogue, name, args, caller);
    } catch (error) {
      return failedAnswer(error);
    }
  }

  #answer(catalogue: Catalogue, name: ToolName, args: unknown, caller: ToolCaller): Promise<ToolAnswer> {
    switch (name) {
      case "load_skill":
        return loadSkill(catalogue, args, this.#answers);
      case "search_skills":
        return advertisedMatches(catalogue, args);
      case "read_skill_resource":
        return readResource(catalogue, args);
      case "run_skill_script":
        return this.#runScript(catalogue, args, caller);
    }
  }

  #runScript(catalogue: Catalogue, args: unknown, caller: ToolCaller): Promise<ToolAnswer> {
    if (!caller.mayRun) {
      throw new SkillsError("scope-missing", 'Cannot run scripts: the token lacks the scope "run"');
    }
    if (this.#scripts === "refuse") {
      throw new SkillsError(
        "script-refused",
        'Cannot run scripts: "approval.run_skill_script" is "ask", and nobody can be asked',
      );
    }
    return runScript(catalogue, args, caller, this.#limits);
  }
}

function offeredTools(catalogue: Catalogue, caller: ToolCaller): OfferedTools {
  const { hasResources, hasRunnable } = catalogue.facts;
  return { search: !fitsBudget(catalogue), read: hasResources, run: hasRunnable && caller.mayRun };
}
