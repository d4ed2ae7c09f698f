/**
 * Owns turning a source into what an agent needs: instructions, tools, and answers to tool calls.
 * Never knows HTTP, tenants or tokens; who asks comes with each call.
 */
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits } from "../model/run.ts";
import { type AgentSkillsSource, type AgentSkillsSourceContext, NO_CONTEXT } from "../model/skill.ts";
import type { SkillActivations } from "./activations.ts";
import { detailedAnswer, failedAnswer, type ToolAnswer } from "./answers.ts";
import { ApprovalGate, type ApprovalOptions } from "./approval-gate.ts";
import { type Catalogue, catalogueOf } from "./catalogue.ts";
import { type OnSkillEvent, skillEvent, tell } from "./events.ts";
import { CATALOGUE_BUDGET_CHARACTERS, checkedTemplate, fitsBudget, instructionsFor } from "./instructions.ts";
import { givenOnce } from "./load-again.ts";
import { type AnswerCache, loadSkill } from "./load-skill.ts";
import { readResource } from "./read-resource.ts";
import { type MarshalerFor, type RunRules, refuseBlockedCall, runScript } from "./run-script.ts";
import { advertisedMatches } from "./search-skills.ts";
import { isWholeLoad, readSkillNames } from "./tool-arguments.ts";
import { type OfferedTools, type ToolDefinition, type ToolName, toolDefinitions, toolOf } from "./tools.ts";

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
  /** When people are asked, and what remembers their answers; default: nobody is asked. */
  readonly approval?: ApprovalOptions;
  /** In place of the usual instructions; holds `{skills}` where the list goes. */
  readonly promptTemplate?: string;
  /** Where skills are advertised: in the system prompt (default), or in the description of `load_skill`. */
  readonly advertise?: "instructions" | "tool";
  /** Characters the list of skills may take; beyond it `search_skills` is offered in its place. */
  readonly catalogueBudget?: number;
  /** Stands before every tool's name, for agents that have tools of the same names. */
  readonly toolPrefix?: string;
  /**
   * What becomes of failures that are nobody's fault in the conversation. False (default): they are thrown to the host. True: they are
   * answered to the model, with the message of the error, which may tell of the host's inside.
   */
  readonly includeDetailedErrors?: boolean;
  /** How the arguments of a script are read; null for the usual way. */
  readonly marshalerFor?: MarshalerFor;
  /** Told of every call of a tool. */
  readonly onEvent?: OnSkillEvent;
  /** Told of what a call failed with when that becomes an answer, which says less: for the log. */
  readonly onFailure?: (error: SkillsError) => void;
  /** Whether {@link AgentSkillsProvider.dispose} disposes the source too; default: it does not. */
  readonly ownsSource?: boolean;
}

/** Who calls, and what they may do. */
export interface ToolCaller extends AgentSkillsSourceContext {
  /** Whether this caller may run scripts; who may not is not offered the tool. */
  readonly mayRun: boolean;
  /** What the conversation has loaded; a skill it has is not given twice. */
  readonly activations?: SkillActivations;
}

/** A caller without labels who may run scripts: an agent that is its host's own. */
export const ANY_CALLER: ToolCaller = { ...NO_CONTEXT, mayRun: true };

/**
 * Instructions and tools over the skills of a source.
 *
 * @example
 * const provider = new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]));
 * const { instructions, tools } = await provider.getContext(ANY_CALLER);
 * const answer = await provider.callTool("load_skill", { skill_name: "unit-converter" }, ANY_CALLER);
 */
export class AgentSkillsProvider {
  readonly #source: AgentSkillsSource;
  readonly #options: ProviderOptions;
  readonly #rules: RunRules;
  readonly #gate: ApprovalGate | null;

  /** Throws `usage` for a prompt template without `{skills}`. */
  constructor(source: AgentSkillsSource, options: ProviderOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#gate = options.approval === undefined ? null : new ApprovalGate(options.approval);
    const gate = this.#gate;
    this.#rules = {
      limits: options.limits ?? DEFAULT_RUN_LIMITS,
      marshalerFor: options.marshalerFor ?? null,
      gate: gate === null ? null : (call, make) => gate.pass(call, make),
    };
    if (options.promptTemplate !== undefined) {
      checkedTemplate(options.promptTemplate);
    }
  }

  /** What stands before every tool's name; empty for nothing. */
  get toolPrefix(): string {
    return this.#options.toolPrefix ?? "";
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
    const { advertise = "instructions", promptTemplate: template = null } = this.#options;
    const prefix = this.toolPrefix;
    const offered = this.#offeredTools(catalogue, caller);
    const text = instructionsFor(catalogue, offered, { prefix, template });
    const isInTool = advertise === "tool";
    return {
      instructions: isInTool ? "" : text,
      tools: toolDefinitions(offered, { prefix, loadNote: isInTool ? text.trimEnd() : "" }),
    };
  }

  /**
   * Answers a tool call. What the model or the caller can put right is an answer with `is_error`; what the service got wrong is thrown.
   */
  async callTool(name: ToolName, args: unknown, caller: ToolCaller): Promise<ToolAnswer> {
    const { onEvent, includeDetailedErrors = false } = this.#options;
    const begun = onEvent === undefined ? 0 : Date.now();
    let script: string | null = null;
    let answer: ToolAnswer;
    try {
      const catalogue = await this.getCatalogue(caller);
      if (name === "run_skill_script") {
        const outcome = await this.#runScript(catalogue, args, caller);
        ({ answer, script } = outcome);
      } else {
        answer = await this.#give(catalogue, name, args, caller);
      }
    } catch (error) {
      answer = includeDetailedErrors ? detailedAnswer(error) : failedAnswer(error);
      this.#options.onFailure?.(toSkillsError(error));
    }
    if (onEvent !== undefined) {
      tell(onEvent, skillEvent({ tool: name, durationMs: Date.now() - begun, answer, script }));
    }
    return answer;
  }

  /** What a call of a script is answered with that fails before anything runs; null for one that may run. For who repeats an answer that was kept. */
  async refusalOf(args: unknown, caller: ToolCaller): Promise<ToolAnswer | null> {
    try {
      await refuseBlockedCall(await this.getCatalogue(caller), args);
      return null;
    } catch (error) {
      return failedAnswer(error);
    }
  }

  /** The tool that a called name means, the prefix taken off; null for none of ours. */
  toolOf(called: string): ToolName | null {
    return toolOf(called, this.toolPrefix);
  }

  /** Frees what the provider owns. May be called twice. */
  async dispose(): Promise<void> {
    if (this.#options.ownsSource) {
      await this.#source.dispose?.();
    }
  }

  async #give(
    catalogue: Catalogue,
    name: Exclude<ToolName, "run_skill_script">,
    args: unknown,
    caller: ToolCaller,
  ): Promise<ToolAnswer> {
    if (this.#gate === null || name === "search_skills") {
      return this.#answer(catalogue, name, args, caller);
    }
    const { skill_name, resource_name, approval_id } = readSkillNames(args);
    const call = {
      tool: name,
      skill: catalogue.find(skill_name),
      item: name === "read_skill_resource" ? resource_name : null,
      itemDigest: null,
      packed: null,
      arguments: undefined,
      context: caller,
      rest: null,
      input: null,
      approvalId: approval_id,
    };
    return this.#gate.pass(call, () => this.#answer(catalogue, name, args, caller));
  }

  async #answer(
    catalogue: Catalogue,
    name: Exclude<ToolName, "run_skill_script">,
    args: unknown,
    caller: ToolCaller,
  ): Promise<ToolAnswer> {
    switch (name) {
      case "load_skill": {
        const answer = await loadSkill(catalogue, args, this.#options.answers ?? null, caller);
        const { activations } = caller;
        return activations === undefined || !isWholeLoad(args) ? answer : givenOnce(answer, activations);
      }
      case "search_skills":
        return advertisedMatches(catalogue, args);
      case "read_skill_resource":
        return readResource(catalogue, args, caller);
    }
  }

  #runScript(catalogue: Catalogue, args: unknown, caller: ToolCaller) {
    if (!caller.mayRun) {
      throw new SkillsError("scope-missing", 'Cannot run scripts: the token lacks the scope "run"');
    }
    if (this.#options.scripts === "refuse") {
      throw new SkillsError(
        "script-refused",
        'Cannot run scripts: "approval.run_skill_script" is "ask", and nobody can be asked',
      );
    }
    return runScript(catalogue, args, caller, this.#rules);
  }

  #offeredTools(catalogue: Catalogue, caller: ToolCaller): OfferedTools {
    const { hasResources, hasRunnable } = catalogue.facts;
    const budget = this.#options.catalogueBudget ?? CATALOGUE_BUDGET_CHARACTERS;
    return { search: !fitsBudget(catalogue, budget), read: hasResources, run: hasRunnable && caller.mayRun };
  }
}
