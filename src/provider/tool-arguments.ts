/** Owns reading the arguments of a tool call. Whatever does not fit is `arguments-invalid`, told so that a model can mend it. */
import * as z from "zod/mini";
import { SkillsError } from "../model/errors.ts";
import { wordsFor } from "../model/issue-words.ts";
import { isSafePath } from "../model/path.ts";
import type { JsonValue } from "../model/record.ts";
import type { RunInputFile } from "../model/run.ts";

const name = z.string();
const offset = z.nullish(z.number().check(z.int(), z.minimum(0)));
const limit = z.nullish(z.number().check(z.int(), z.minimum(1)));
const budget = z.optional(z.number().check(z.int(), z.minimum(1)));

const approvalId = z.nullish(z.string());

const loadSchema = z.object({ skill_name: name, offset, limit, approval_id: approvalId });
const searchSchema = z.object({ query: z.string() });
const readSchema = z.object({ skill_name: name, resource_name: name, offset, limit, approval_id: approvalId });
const runSchema = z.object({
  skill_name: name,
  script_name: name,
  stdin: z.nullish(z.string()),
  files: z.nullish(
    z.array(z.object({ path: z.string(), encoding: z.optional(z.enum(["utf-8", "base64"])), content: z.string() })),
  ),
  limits: z.nullish(z.object({ timeout_ms: budget, output_bytes: budget })),
  approval_id: approvalId,
});

const namesSchema = z.object({ skill_name: name, resource_name: z.optional(name), approval_id: approvalId });

export type LoadArguments = z.infer<typeof loadSchema>;
export type ReadArguments = z.infer<typeof readSchema>;
export type SearchArguments = z.infer<typeof searchSchema>;
export type RunArguments = z.infer<typeof runSchema> & { readonly arguments: JsonValue | undefined };

export const readLoadArguments = (value: unknown): LoadArguments => read(loadSchema, value);
export const readSearchArguments = (value: unknown): SearchArguments => read(searchSchema, value);
export const readReadArguments = (value: unknown): ReadArguments => read(readSchema, value);

export function readRunArguments(value: unknown): RunArguments {
  const known = read(runSchema, value);
  // Taken as it came: what a script makes of it is argumentsToWords()'s to say, own `__proto__` keys included.
  const given = (value as { readonly arguments?: JsonValue }).arguments;
  return { ...known, arguments: given };
}

/** Which skill and resource a call names, and the approval it brings. Throws `arguments-invalid`. */
export function readSkillNames(value: unknown): {
  skill_name: string;
  resource_name: string | null;
  approval_id: string | null;
} {
  const { skill_name, resource_name = null, approval_id } = read(namesSchema, value);
  return { skill_name, resource_name, approval_id: approval_id ?? null };
}

/** Tells whether a call of `load_skill` asks for all of the text. */
export function isWholeLoad(value: unknown): boolean {
  const { offset, limit } = readLoadArguments(value);
  return (offset ?? 0) === 0 && (limit ?? null) === null;
}

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) {
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `"${issue.path.join(".")}"` : "the arguments";
  throw new SkillsError(
    "arguments-invalid",
    `Cannot use ${where}: ${issue ? wordsFor(issue) : "something else"} is needed`,
  );
}

/** The files a caller gives to a run. Throws `arguments-invalid` for a path that leaves the skill or content that is not base64. */
export function inputFiles(given: RunArguments["files"]): RunInputFile[] {
  return (given ?? []).map(({ path, encoding, content }) => {
    if (!isSafePath(path)) {
      throw new SkillsError("arguments-invalid", `Cannot use file "${path}": its path is not inside the skill`);
    }
    return { path, bytes: encoding === "base64" ? fromBase64(path, content) : new TextEncoder().encode(content) };
  });
}

function fromBase64(path: string, content: string): Uint8Array {
  try {
    return Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  } catch {
    throw new SkillsError("arguments-invalid", `Cannot use file "${path}": its content is not base64`);
  }
}
