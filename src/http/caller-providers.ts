/** Owns making the provider of one request: what may run, who is asked first, what is written down. Never sees a path or a header. */
import type { ApprovalRecord } from "../model/approval-record.ts";
import type { Config } from "../model/config.ts";
import { actorOf } from "../model/token.ts";
import type { AnswerCache } from "../provider/load-skill.ts";
import { AgentSkillsProvider, type ProviderOptions } from "../provider/provider.ts";
import { originsFor } from "../runners/egress-rules.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";
import { createApprovalStore } from "./approval-store.ts";
import { record, skillEvents } from "./audited.ts";
import { approvalUrl } from "./console-route.ts";
import type { EdgeParts, Occasion, Outlive } from "./parts.ts";
import { logFailure } from "./problem.ts";

/** What providers are made with. */
export interface ProviderParts extends Pick<EdgeParts, "book" | "onApproval" | "audit" | "log" | "console"> {
  readonly config: Pick<Config, "limits" | "tenants" | "egress" | "runners">;
  /** Whether running a script asks a person, where the tenant's own settings say nothing. */
  readonly approval: "never" | "ask";
  readonly cache: AnswerCache;
}

/** Makes what makes providers. */
export function createProviders(parts: ProviderParts): Pick<EdgeParts, "readerFor" | "providerFor"> {
  const { config, approval, cache, audit } = parts;
  const common = { limits: config.limits, answers: cache };
  const told = (occasion: Occasion): ProviderOptions => ({
    ...common,
    onFailure: (error) => {
      // A full runner is no fault; it has told the caller when to come back.
      if (error.code !== "runner-busy") {
        logFailure(error, occasion.requestId, parts);
      }
    },
    ...(audit === null ? {} : { onEvent: skillEvents(audit, occasion) }),
  });
  return {
    readerFor: (snapshot, occasion) => over(snapshot, { ...told(occasion), scripts: "refuse" }),
    providerFor: (snapshot, occasion, outlive) => {
      const { tenant } = occasion.caller.grant;
      const mode = config.tenants.get(tenant)?.approval.run_skill_script ?? approval;
      const options = told(occasion);
      return over(snapshot, mode === "never" ? options : { ...options, approval: asking(parts, occasion, outlive) });
    },
  };
}

function over({ skills }: Snapshot, options: ProviderOptions): AgentSkillsProvider {
  return new AgentSkillsProvider({ getSkills: async () => skills }, options);
}

function asking(
  { book, audit, onApproval, config, console }: ProviderParts,
  occasion: Occasion,
  outlive: Outlive,
): NonNullable<ProviderOptions["approval"]> {
  const { caller } = occasion;
  const onAsked = (asked: ApprovalRecord): void => {
    const { id: item, skill } = asked;
    record(audit, "approval.pending", occasion, { skill: skill.name, digest: skill.digest, item, outcome: "pending" });
    onApproval?.("approval.pending", asked, outlive);
  };
  const { tenant } = caller.grant;
  const originsOf = (skill: string) => originsFor(config.egress.allow, { skill, tenant });
  return {
    store: createApprovalStore(book, caller, originsOf, onAsked),
    // Labels that anybody can send bind nothing; the subject of a verified JWT does.
    bound: { egress: config.egress, runners: config.runners, actor: actorOf(caller.grant) },
    urlOf: (id) => approvalUrl(caller, id, console),
    tools: { run_skill_script: "ask" },
  };
}
