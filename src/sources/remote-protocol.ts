/** Owns what another edge-skills answers, as far as a source needs it, and how its errors come back as errors here. CONTRACT.md §3. */
import * as z from "zod/mini";
import { type Digest, isDigest } from "../model/digest.ts";
import { ERROR_FACTS, type ErrorCode, SkillsError } from "../model/errors.ts";
import type { JsonObject } from "../model/record.ts";
import type { RunResult } from "../model/run.ts";
import { placeOf } from "./fetch-bytes.ts";

const digest = z.nullable(z.custom<Digest>(isDigest, "not a digest"));
const count = z.nullable(z.number());

/** `GET /v1/skills` */
export const listSchema = z.object({
  bundle: z.string(),
  skills: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      layer: z.nullable(z.string()),
      digest,
      resources: count,
      scripts: count,
      hidden: z.optional(z.boolean()),
    }),
  ),
  next_cursor: z.nullable(z.string()),
});

export type ListedSkill = z.infer<typeof listSchema>["skills"][number];

/** `GET /v1/skills/{name}` */
export const documentSchema = z.object({
  frontmatter: z.custom<JsonObject>((value) => typeof value === "object" && value !== null, "not an object"),
  allowed_tools: z.array(z.string()),
  body: z.string(),
  resources: z.nullable(
    z.array(z.object({ name: z.string(), size: z.nullable(z.number()), media_type: z.string(), digest })),
  ),
  scripts: z.nullable(
    z.array(
      z.object({
        name: z.string(),
        description: z.nullable(z.string()),
        runtime: z.nullable(z.enum(["python", "bash", "javascript"])),
        parameters: z.custom<JsonObject>((value) => typeof value === "object" && value !== null, "not an object"),
        runnable: z.boolean(),
        reason: z.nullable(z.string()),
      }),
    ),
  ),
});

export type SkillDocument = z.infer<typeof documentSchema>;

const runSchema = z.object({
  run: z.optional(z.custom<RunResult>((value) => typeof value === "object" && value !== null && "exit_code" in value)),
  error: z.optional(z.object({ code: z.string(), message: z.string(), candidates: z.array(z.string()) })),
  approval: z.optional(z.object({ id: z.string() })),
});

/** An answer in its shape; throws `storage-unavailable` for anything else. */
export function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown, url: URL): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (!parsed.success) {
    throw new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: its answer is not what was expected`);
  }
  return parsed.data;
}

/** The outcome of a run at the other side; throws what it answered in place of one. */
export function runOfAnswer(value: unknown, url: URL): RunResult {
  const { run, error, approval } = read(runSchema, value, url);
  if (run !== undefined) {
    return run;
  }
  if (approval !== undefined) {
    throw new SkillsError("script-refused", `The other side asks a person first (approval ${approval.id})`);
  }
  const code = error !== undefined && isErrorCode(error.code) ? error.code : "runner-failed";
  throw new SkillsError(code, error?.message ?? "The other side answered no run", {
    candidates: error?.candidates ?? [],
  });
}

/** Throws for an answer that is no success. Of a problem only what a caller can act on is passed on. */
export async function requireSuccess(response: Response, url: URL): Promise<void> {
  if (response.ok || response.status === 304) {
    return;
  }
  const problem: unknown = await response.json().catch(() => null);
  const code = typeof problem === "object" && problem !== null && "code" in problem ? problem.code : null;
  if (code === "bundle-gone" || code === "skill-not-found" || code === "resource-not-found") {
    throw new SkillsError(code, `Cannot read ${placeOf(url)}: the other side no longer has it`);
  }
  throw new SkillsError("storage-unavailable", `Cannot read ${placeOf(url)}: it answers ${response.status}`);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_FACTS, code);
}
