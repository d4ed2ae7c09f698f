/** Owns turning what the routes do into audit events: who asked comes from the verified caller, never from what they sent. */
import { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { OnSkillEvent } from "../provider/events.ts";
import type { Audit, AuditEvent } from "../tenancy/audit.ts";
import type { AuditEventName } from "../tenancy/audit-events.ts";
import type { Occasion } from "./parts.ts";
import { traceIdOf } from "./trace.ts";

/** What is told beside who asked. */
export type AuditFacts = Partial<
  Omit<AuditEvent, "event" | "tenant" | "token" | "agent" | "session" | "request_id" | "trace_id">
>;

/** Writes down that something was done. */
export function record(
  audit: Audit | null,
  event: AuditEventName,
  { caller, requestId }: Occasion,
  facts: AuditFacts = {},
): void {
  if (audit === null) {
    return;
  }
  const { grant, agent, session, traceparent } = caller;
  audit({
    event,
    tenant: grant.tenant,
    for_tenant: null,
    token: grant.token,
    agent,
    session,
    skill: null,
    digest: null,
    item: null,
    outcome: "ok",
    exit_code: null,
    duration_ms: null,
    ...facts,
    request_id: requestId,
    trace_id: traceIdOf(traceparent),
  });
}

/** Does something and writes down how it went. */
export async function recorded<T>(
  audit: Audit | null,
  event: AuditEventName,
  occasion: Occasion,
  facts: AuditFacts,
  act: () => Promise<T>,
): Promise<T> {
  try {
    const result = await act();
    record(audit, event, occasion, facts);
    return result;
  } catch (error) {
    record(audit, event, occasion, { ...facts, outcome: SkillsError.is(error) ? error.code : "internal" });
    throw error;
  }
}

/** Facts of what is done for a tenant, which may be another than the caller's own. */
export function factsFor(tenant: string, { caller }: Occasion, item: string | null): AuditFacts {
  return { item, for_tenant: tenant === caller.grant.tenant ? null : tenant };
}

/** Facts of a skill. */
export function factsOfSkill({ name, digest }: AgentSkill): AuditFacts {
  return { skill: name, digest };
}

/** Writes down what a provider tells. */
export function skillEvents(audit: Audit, occasion: Occasion): OnSkillEvent {
  return ({ type, durationMs, attributes }) => {
    record(audit, type, occasion, {
      skill: attributes["gen_ai.skill.name"] ?? null,
      digest: attributes["gen_ai.skill.digest"] ?? null,
      item: attributes["gen_ai.skill.resource.name"] ?? attributes["gen_ai.skill.script.name"] ?? null,
      outcome: attributes["error.type"] ?? "ok",
      exit_code: attributes["gen_ai.skill.script.exit_code"] ?? null,
      duration_ms: durationMs,
    });
  };
}
