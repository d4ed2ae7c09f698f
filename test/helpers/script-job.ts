/** Makes the job of a script, as a packed skill's call gives it to a runner. */
import { digestOf } from "../../src/model/digest.ts";
import type { SkillFile } from "../../src/model/record.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits, type Runtime } from "../../src/model/run.ts";
import type { ScriptJob } from "../../src/model/runner.ts";

/** What a test says of a job. */
export interface JobFacts
  extends Partial<Pick<ScriptJob, "actor" | "arguments" | "argv" | "stdin" | "files" | "signal">> {
  readonly skill?: string;
  readonly path?: string;
  readonly runtime?: Runtime | null;
  readonly source?: string | Uint8Array;
  readonly own?: Readonly<Record<string, string | Uint8Array>>;
  readonly limits?: Partial<RunLimits>;
}

export async function jobOf(facts: JobFacts = {}): Promise<ScriptJob> {
  const { skill = "tools", path = "scripts/main.sh", runtime = "bash", source = "echo fine\n" } = facts;
  const contents = new Map<string, Uint8Array>();
  const fileOf = async (name: string, content: string | Uint8Array): Promise<SkillFile> => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const digest = await digestOf(bytes);
    contents.set(digest, bytes);
    return { path: name, size: bytes.length, digest, media_type: "text/plain", text: true };
  };
  const manifest = await fileOf("SKILL.md", `---\nname: ${skill}\ndescription: Tools.\n---\n`);
  const own = Object.entries({ ...facts.own, [path]: source });
  const files = await Promise.all(own.map(([name, content]) => fileOf(name, content)));
  const script = { path, description: null, runtime, parameters: {}, runnable: true, reason: null, compiled: null };
  const record = {
    name: skill,
    aliases: [],
    digest: manifest.digest,
    description: "Tools.",
    frontmatter: {},
    metadata: {},
  };
  return {
    skill: { ...record, allowed_tools: [], body: "", manifest, files, scripts: [script] },
    script,
    arguments: facts.arguments ?? null,
    argv: facts.argv ?? [],
    stdin: facts.stdin ?? "",
    files: facts.files ?? [],
    limits: { ...DEFAULT_RUN_LIMITS, ...facts.limits },
    isolation: "acme",
    actor: facts.actor ?? null,
    signal: facts.signal ?? null,
    readFiles: async (digests) => digests.map((digest) => contents.get(digest) ?? new Uint8Array()),
  };
}
