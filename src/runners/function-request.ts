/** Owns what a function is told of a run: the script, its skill's files and those of the call, as JSON can carry them. Never sends it. */
import { toBase64 } from "../model/base64.ts";
import { FUNCTION_PROTOCOL, type FunctionFile, type FunctionRequest } from "../model/function-protocol.ts";
import type { SkillFile } from "../model/record.ts";
import type { ScriptJob } from "../model/runner.ts";

/** What goes with a run: all files of its skill, for a function that has none; or those of the call only, for one that has the skill. */
export type FunctionSends = "skill" | "call";

/** Bytes of a skill's files that go with a run. An isolate has 128 MB, and each byte is there several times on its way. */
const MOST_SENT_BYTES = 16 * 1024 * 1024;

/** The request of a run. Throws when the skill's files are more than can be sent; the message is for the log. */
export async function functionRequestOf(job: ScriptJob, sends: FunctionSends): Promise<FunctionRequest> {
  const { skill, script, argv, stdin, limits, actor = null } = job;
  const own = [skill.manifest, ...skill.files];
  const file = own.find(({ path }) => path === script.path);
  if (file === undefined) {
    throw new Error(`"${script.path}" is no file of the skill`);
  }
  const given = job.files.map(({ path, bytes }) => fileOf(path, bytes));
  const covered = new Set(given.map(({ path }) => path));
  const sent = sends === "call" ? [] : await readAll(job, own);
  const source = sent.find(({ path, encoding }) => path === script.path && encoding === "utf-8")?.content;
  const files = sent.filter(({ path }) => !covered.has(path) && (path !== script.path || source === undefined));
  return {
    protocol: FUNCTION_PROTOCOL,
    id: crypto.randomUUID(),
    ...(actor === null ? {} : { actor }),
    skill: { name: skill.name, digest: skill.digest },
    script: { name: script.path, digest: file.digest, ...(source === undefined ? {} : { source }) },
    arguments: job.arguments,
    argv,
    stdin,
    files: [...files, ...given],
    limits: { timeout_ms: limits.timeout_ms, output_bytes: limits.output_bytes },
  };
}

async function readAll(job: ScriptJob, own: readonly SkillFile[]): Promise<FunctionFile[]> {
  const size = own.reduce((sum, file) => sum + file.size, 0);
  if (size > MOST_SENT_BYTES) {
    throw new Error(
      `the files of "${job.skill.name}" have ${size} bytes, and ${MOST_SENT_BYTES} can be sent: give the function the skill, and set "sends" to "call"`,
    );
  }
  const contents = await job.readFiles(own.map(({ digest }) => digest));
  return own.map(({ path }, i) => fileOf(path, contents[i] ?? new Uint8Array()));
}

function fileOf(path: string, bytes: Uint8Array): FunctionFile {
  const text = textOf(bytes);
  return text === null
    ? { path, encoding: "base64", content: toBase64(bytes) }
    : { path, encoding: "utf-8", content: text };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
