/** Owns the queue of approvals over HTTP: what waits, what became of one, and the decision, never by a token that asked (CONTRACT.md §3). */
import type { Context } from "hono";
import * as z from "zod/mini";
import type { ApprovalRecord } from "../model/approval-record.ts";
import { SkillsError } from "../model/errors.ts";
import { hasScope } from "../model/token.ts";
import { type AuditFacts, factsFor, record } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { identify } from "./caller.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { tenantOf } from "./tenant-of.ts";

/** Seconds that one request may wait. */
const MAX_WAIT = 30;

/** The body of a decision. */
export const decisionSchema = z.object({
  decision: z.enum(["approve", "deny"]),
  remember: z.nullish(z.enum(["once", "call", "script"])),
});

const HEADERS = { "Cache-Control": "private, no-store" };

/** `GET /v1/approvals` */
export async function listApprovals(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { grant } = await identify(c.req.raw, parts, "approve");
  const approvals = await parts.book.pending(tenantOf(c, grant));
  return Response.json({ approvals: approvals.map(shown) }, { headers: HEADERS });
}

/** `GET /v1/approvals/{id}`: for those who decide, and for the tokens that asked. */
export async function getApproval(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { grant } = await identify(c.req.raw, parts, "read");
  const seconds = Number(c.req.query("wait") ?? 0);
  if (!(seconds >= 0 && seconds <= MAX_WAIT)) {
    throw new SkillsError("request-invalid", `Cannot wait so: "wait" is a number of seconds from 0 to ${MAX_WAIT}`);
  }
  const id = c.req.param("id") ?? "";
  const tenant = tenantOf(c, grant);
  const known = await parts.book.decision(tenant, id, 0);
  if (known === null || !(hasScope(grant, "approve") || known.askers.includes(grant.token))) {
    throw unknown();
  }
  const ms = seconds * 1_000;
  const approval = known.status === "pending" && ms > 0 ? await parts.book.decision(tenant, id, ms) : known;
  return Response.json(shown(approval ?? known), { headers: HEADERS });
}

/** `POST /v1/approvals/{id}` */
export async function decideApproval(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "approve");
  const { grant } = caller;
  const body = z.safeParse(decisionSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      'Cannot use this decision: "decision" is "approve" or "deny", "remember" is "once", "call" or "script"',
    );
  }
  const { decision, remember } = body.data;
  const { token: by, family = by } = grant;
  const verdict = { decision, remember: remember ?? "once", by, family };
  const tenant = tenantOf(c, grant);
  const occasion = { caller, requestId: c.get("requestId") };
  const outcome = await parts.book.decide(tenant, c.req.param("id") ?? "", verdict);
  switch (outcome.outcome) {
    case "decided":
      record(parts.audit, "approval.decided", occasion, {
        ...factsFor(tenant, occasion, outcome.approval.id),
        ...decidedFacts(outcome.approval),
      });
      parts.onApproval?.("approval.decided", outcome.approval, (work) => c.executionCtx.waitUntil(work));
      return Response.json(shown(outcome.approval), { headers: HEADERS });
    case "unknown":
      throw unknown();
    case "own":
      throw new SkillsError(
        "approval-own",
        "Cannot decide: a token that asked never decides, nor any that came of it, before it or beside it. Use one that was issued apart from it",
      );
    case "closed":
      throw new SkillsError("approval-invalid", "Cannot decide: this approval waits no longer");
    case "unbound":
      throw new SkillsError("approval-invalid", "Cannot approve for good: nothing would tell when the skill changes");
  }
}

/** What is told of an approval: never what the call answered, which only the caller gets, nor the digests that it is found by. */
export function shown({
  answer: _,
  binding: __,
  standing: ___,
  family: ____,
  families: _____,
  ...approval
}: ApprovalRecord): Record<string, unknown> {
  return approval;
}

function decidedFacts({ skill, status }: ApprovalRecord): AuditFacts {
  return { skill: skill.name, digest: skill.digest, outcome: status };
}

function unknown(): SkillsError {
  return new SkillsError("approval-unknown", "Cannot find this approval: there is none of this id");
}
