/** Owns letting a call pass once a person agreed: bound to everything that decides what happens, used once. Never decides itself. */
import type { ApprovalInput } from "../model/approval-record.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { JsonValue } from "../model/record.ts";
import type { ToolAnswer } from "./answers.ts";
import { type ApprovalPolicy, type ApprovalQuestion, needsApproval } from "./approval-policy.ts";
import type { Approval, ApprovalDraft, ApprovalStore } from "./approval-store.ts";
import { canonicalJson } from "./canonical-json.ts";

/** How people are asked. */
export interface ApprovalOptions extends ApprovalPolicy {
  readonly store: ApprovalStore;
  /** Whatever else of the host's decides what happens, and so is bound too: rules of the network, who is behind the call. */
  readonly bound?: unknown;
  /** Where a person decides; default: nowhere that has an address. */
  readonly urlOf?: (id: string) => string;
  /** Asks a person at once and waits; without it the call is answered as pending, to be made again. */
  readonly ask?: (approval: Approval, question: ApprovalQuestion) => Promise<"approve" | "deny">;
}

/** A call with all that it is bound to. */
export interface GatedCall extends ApprovalQuestion {
  /** Digest of the script's own file; null for functions and for what is not run. */
  readonly itemDigest: Digest | null;
  /** What the script was made into when it was packed; null where there is none. */
  readonly packed: JsonValue;
  /** Whatever else decides what happens: input, files, limits. */
  readonly rest: unknown;
  /** The same as a person is shown it. */
  readonly input: ApprovalInput | null;
  /** Which approval the caller says it has. */
  readonly approvalId: string | null;
}

/** Lets calls pass that need nobody, or that somebody agreed to. */
export class ApprovalGate {
  readonly #options: ApprovalOptions;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /** Makes a call, or answers that a person is asked. Throws `approval-denied` and `approval-invalid`. */
  async pass(call: GatedCall, make: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const { store } = this.#options;
    const { tenant } = call.context;
    if (!needsApproval(this.#options, call)) {
      return make();
    }
    const draft = await draftOf(call, this.#options.bound ?? null);
    if (await store.isStanding(tenant, [draft.binding, ...(draft.standing === null ? [] : [draft.standing])])) {
      return make();
    }
    const found = call.approvalId === null ? await store.open(draft) : await store.get(call.approvalId, tenant);
    if (found === null || found.binding !== draft.binding) {
      throw new SkillsError(
        "approval-invalid",
        "Cannot use this approval: it was given for another call. Call again without approval_id to ask anew",
      );
    }
    return this.#use(await this.#decided(found, call), call, make);
  }

  async #decided(approval: Approval, call: GatedCall): Promise<Approval> {
    const { ask, store } = this.#options;
    if (ask === undefined || approval.status !== "pending") {
      return approval;
    }
    const decision = await ask(approval, call);
    try {
      return await store.decide(approval.id, approval.tenant, { decision });
    } catch (error) {
      // A twin of this call was answered first, or time was up: what the store says counts.
      const current = await store.get(approval.id, approval.tenant);
      if (current === null || current.status === "pending") {
        throw error;
      }
      return current;
    }
  }

  async #use(approval: Approval, call: GatedCall, make: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    const { store } = this.#options;
    switch (approval.status) {
      case "pending":
        return this.#pending(approval);
      case "denied":
        throw new SkillsError("approval-denied", `A person refused this call of "${call.skill.name}"`);
      case "expired":
        throw new SkillsError(
          "approval-invalid",
          "Cannot use this approval: its time is up. Call again without approval_id to ask anew",
        );
      case "used":
        return repeated(approval);
      case "approved": {
        if (!(await store.take(approval.id))) {
          return repeated((await store.get(approval.id, approval.tenant)) ?? approval);
        }
        return this.#make(approval, make);
      }
    }
  }

  async #make({ id }: Approval, make: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
    let answer: ToolAnswer | null = null;
    try {
      answer = await make();
      return answer;
    } finally {
      // What threw did nothing: a runner that is full, arguments that were refused.
      await this.#options.store.finish(id, answer);
    }
  }

  #pending({ id, expires_at, skill, tool }: Approval): ToolAnswer {
    const url = this.#options.urlOf?.(id) ?? null;
    const what = tool === "run_skill_script" ? "did not run" : "was not done";
    return {
      is_error: false,
      content: `A person has to approve this call; it ${what}. Once they have, make the same call again, unchanged. Do not try another way meanwhile.`,
      skill,
      approval: { id, status: "pending", url, expires_at },
    };
  }
}

function repeated({ answer }: Approval): ToolAnswer {
  if (answer === null) {
    throw new SkillsError("approval-invalid", "Cannot use this approval: the call that uses it has no answer yet");
  }
  return answer;
}

async function draftOf(call: GatedCall, bound: unknown): Promise<ApprovalDraft> {
  const { tool, skill, item, itemDigest, packed, context, rest } = call;
  const what = [context.tenant, tool, skill.name, skill.digest, item, itemDigest, packed, bound];
  return {
    binding: await digestOf(canonicalJson([...what, call.arguments ?? null, rest])),
    standing: skill.digest === null ? null : await digestOf(canonicalJson(what)),
    tenant: context.tenant,
    session: context.session,
    tool,
    skill: { name: skill.name, digest: skill.digest },
    item,
    arguments: call.arguments,
    input: call.input,
  };
}
