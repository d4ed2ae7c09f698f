/** Owns reading the index of a discovery site: version 0.2.0 and the older 0.1.0. Never fetches. facts: agent-skills-discovery RFC. */
import * as z from "zod";
import { type Digest, isDigest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { isPortableName, MAX_NAME_LENGTH } from "../../model/name.ts";
import { isSafePath } from "../../model/path.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** A skill that a site offers. */
export type OfferedSkill = { readonly name: string } & (
  | { readonly kind: "skill-md" | "archive"; readonly url: URL; readonly digest: Digest }
  | { readonly kind: "files"; readonly files: readonly { readonly path: string; readonly url: URL }[] }
  /** An entry that cannot be used, and why. */
  | { readonly kind: "unusable"; readonly reason: string }
);

const name = z.string().refine((text) => isPortableName(text) && text.length <= MAX_NAME_LENGTH, "is no valid name");
const current = z.object({
  name,
  type: z.enum(["skill-md", "archive"]),
  description: z.string().min(1).max(1024),
  url: z.string(),
  digest: z.custom<Digest>(isDigest, "is no digest of the form sha256:<64 hex digits>"),
});
const older = z.object({
  name,
  description: z.string(),
  files: z.array(z.string().refine(isSafePath, "is no path below the skill")).min(1),
});
const index = z.object({ $schema: z.string().optional(), skills: z.array(z.unknown()) });

/** What an index offers; `url` is where it was read, which its addresses are relative to. Throws `source-invalid`. */
export function readIndex(bytes: Uint8Array, url: URL): OfferedSkill[] {
  const parsed = index.safeParse(parseJson(bytes, url));
  if (!parsed.success) {
    throw new SkillsError("source-invalid", `"${url.href}" is no index of skills: it has no list \`skills\``);
  }
  const { $schema, skills } = parsed.data;
  if ($schema !== undefined && $schema !== SCHEMA) {
    throw new SkillsError(
      "source-invalid",
      `"${url.href}" follows ${JSON.stringify($schema)}, which is not known here`,
      {
        hint: `discovery 0.2.0 ("${SCHEMA}") and 0.1.0 (without $schema) are read`,
      },
    );
  }
  return skills.map((entry) => ($schema === undefined ? readOlder(entry, url) : readCurrent(entry, url)));
}

function readCurrent(entry: unknown, base: URL): OfferedSkill {
  const parsed = current.safeParse(entry);
  if (!parsed.success) {
    return unusable(entry, parsed.error);
  }
  const { name, type, url, digest } = parsed.data;
  return URL.canParse(url, base.href)
    ? { name, kind: type, url: new URL(url, base), digest }
    : { name, kind: "unusable", reason: `url: ${JSON.stringify(url)} is no address` };
}

function readOlder(entry: unknown, base: URL): OfferedSkill {
  const parsed = older.safeParse(entry);
  if (!parsed.success) {
    return unusable(entry, parsed.error);
  }
  const { name, files } = parsed.data;
  const urlOf = (path: string) => new URL(`${name}/${path.split("/").map(encodeURIComponent).join("/")}`, base);
  return { name, kind: "files", files: files.map((path) => ({ path, url: urlOf(path) })) };
}

function unusable(entry: unknown, error: z.ZodError): OfferedSkill {
  const named = z.object({ name: z.string() }).safeParse(entry);
  const [issue] = error.issues;
  const reason = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it is not valid"}`;
  return { name: named.success ? named.data.name : "", kind: "unusable", reason };
}

function parseJson(bytes: Uint8Array, url: URL): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new SkillsError("source-invalid", `"${url.href}" is no index of skills: it is not JSON`, { cause });
  }
}
