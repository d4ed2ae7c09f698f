/** Owns the approvals of one caller as the provider asks for them: whatever it does is for the caller's own tenant, in the caller's name. */
import type { ApprovalRecord } from "../model/approval-record.ts";
import { SkillsError } from "../model/errors.ts";
import { actorOf } from "../model/token.ts";
import type { ToolAnswer } from "../provider/answers.ts";
import type { Approval, ApprovalStore } from "../provider/approval-store.ts";
import type { TenantBook } from "../tenancy/tenant-book.ts";
import type { Caller } from "./parts.ts";

/** Told of each new question. */
export type OnAsked = (approval: ApprovalRecord) => void;

/** Origins that a person is shown. */
const SHOWN_ORIGINS = 50;

/** The approvals of a caller; `originsOf` tells what a skill may reach. */
export function createApprovalStore(
  book: TenantBook,
  { grant }: Caller,
  originsOf: (skill: string) => readonly string[],
  onAsked: OnAsked,
): ApprovalStore {
  const { tenant, token, family = token } = grant;
  return {
    async open({ tenant: _, arguments: args, ...draft }) {
      const { approval, isNew } = await book.open(tenant, {
        ...draft,
        arguments: args ?? null,
        network: originsOf(draft.skill.name).slice(0, SHOWN_ORIGINS),
        actor: actorOf(grant),
        asked_by: token,
        family,
      });
      if (isNew) {
        onAsked(approval);
      }
      return seen(approval, tenant);
    },
    async get(id) {
      const approval = await book.answered(tenant, id);
      return approval && seen(approval, tenant);
    },
    listPending: async () => (await book.pending(tenant)).map((approval) => seen(approval, tenant)),
    async decide() {
      throw new SkillsError("approval-own", "Cannot decide: the token that asked never decides");
    },
    take: (id) => book.take(tenant, id),
    finish: (id, answer) => book.finish(tenant, id, answer === null ? null : JSON.stringify(answer)),
    isStanding: (_, bindings) => book.isStanding(tenant, bindings),
  };
}

function seen({ answer, ...approval }: ApprovalRecord, tenant: string): Approval {
  return {
    ...approval,
    tool: approval.tool as Approval["tool"],
    tenant,
    answer: answer === null ? null : (JSON.parse(answer) as ToolAnswer),
  };
}
