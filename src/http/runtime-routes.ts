/** Owns `PUT` and `DELETE /v1/runtime/skills/{name}`: skills put at run time for the caller's own tenant (CONTRACT.md §3). */
import type { Context } from "hono";
import * as z from "zod/mini";
import { fromBase64 } from "../model/base64.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { wordsFor } from "../model/issue-words.ts";
import { listOf } from "../model/list-schema.ts";
import { recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { identify } from "./caller.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { logFailure, problemResponse } from "./problem.ts";

/** The body of a `PUT`. */
export const putSkillSchema = z.object({
  files: listOf(z.object({ path: z.string(), encoding: z.optional(z.enum(["utf-8", "base64"])), content: z.string() })),
});

/** `PUT /v1/runtime/skills/{name}` */
export async function putSkill(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "write");
  const files = filesOf(await readJsonObject(c.req.raw));
  const occasion = { caller, requestId: c.get("requestId") };
  const asked = c.req.param("name") ?? "";
  const { record, diagnostics } = await recorded(parts.audit, "put", occasion, { skill: asked }, () =>
    parts.runtime.put(caller.grant.tenant, asked, files),
  );
  if (record === null) {
    return refusal(diagnostics, c.get("requestId"));
  }
  sweepLater(c, parts, caller.grant.tenant);
  const { name, description, digest, scripts } = record;
  const listed = scripts.map(({ path, runtime, runnable, reason }) => ({ name: path, runtime, runnable, reason }));
  const body = { name, description, digest, layer: "runtime", scripts: listed, diagnostics };
  return Response.json(body, { headers: { "Cache-Control": "private, no-store" } });
}

/** `DELETE /v1/runtime/skills/{name}` */
export async function deleteSkill(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "write");
  const name = c.req.param("name") ?? "";
  await recorded(parts.audit, "delete", { caller, requestId: c.get("requestId") }, { skill: name }, async () => {
    if (!(await parts.runtime.delete(caller.grant.tenant, name))) {
      throw new SkillsError("skill-not-found", "Cannot delete this skill: none of this name was put at run time");
    }
  });
  sweepLater(c, parts, caller.grant.tenant);
  return new Response(null, { status: 204, headers: { "Cache-Control": "private, no-store" } });
}

/** Each change lets an earlier state go, and with it files perhaps: they are removed once the answer is given. */
function sweepLater(c: Context<EdgeEnv>, parts: EdgeParts, tenant: string): void {
  const sweep = parts.runtime.sweep(tenant);
  c.executionCtx.waitUntil(
    sweep.catch((error: unknown) => logFailure(toSkillsError(error), c.get("requestId"), parts)),
  );
}

function filesOf(body: unknown): ReadonlyMap<string, Uint8Array> {
  const parsed = z.safeParse(putSkillSchema, body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SkillsError(
      "request-invalid",
      `Cannot use "${issue?.path.join(".")}": ${issue ? wordsFor(issue) : "something else"} is needed`,
    );
  }
  const files = new Map<string, Uint8Array>();
  for (const { path, encoding, content } of parsed.data.files) {
    if (files.has(path)) {
      throw new SkillsError(
        "request-invalid",
        `Cannot use file ${JSON.stringify(path.slice(0, 200))}: it is there twice`,
      );
    }
    files.set(path, encoding === "base64" ? bytesOf(path, content) : new TextEncoder().encode(content));
  }
  return files;
}

function bytesOf(path: string, base64: string): Uint8Array {
  try {
    return fromBase64(base64);
  } catch {
    throw new SkillsError(
      "request-invalid",
      `Cannot use file ${JSON.stringify(path.slice(0, 200))}: its content is not base64`,
    );
  }
}

/** A problem that carries every diagnostic, as `check --json` prints them. */
function refusal(diagnostics: readonly Diagnostic[], requestId: string): Response {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const words = errors.map(({ code, message }) => `${code}: ${message}`).join("; ");
  const error = new SkillsError("skills-invalid", `Cannot put this skill. ${words}`);
  return problemResponse(error, requestId, { diagnostics });
}
