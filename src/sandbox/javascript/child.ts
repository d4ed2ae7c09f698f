/** Owns the child isolate of one packed script: for one run, or for the runs that may share it (docs/scripts.md); never another script. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { RunLimitName } from "../../model/run.ts";
import { ENVIRONMENT } from "../box/environment.ts";
import { ByteCache, readThrough } from "../byte-cache.ts";
import { encodeAnswer } from "../files/delta-text.ts";
import { type PlacedFile, SKILL_ROOT } from "../files/layout.ts";
import type { ChildResult, JavaScriptHost, JavaScriptProgram, JavaScriptRun, SkillBytes } from "../protocol.ts";
import { execute, type Outcome } from "./execution.ts";

// The script may replace it before its end.
const stringify = JSON.stringify;

/** Bytes of the skill's files that an isolate of several runs keeps. */
const CACHE_BYTES = 24 << 20;

const cache = new ByteCache(CACHE_BYTES);

export default class Child extends WorkerEntrypoint {
  /** The result as JSON: a text is the one thing that nothing a script changed can turn into something else on its way. */
  run(run: JavaScriptRun, host: JavaScriptHost): Promise<string> {
    const stdin = new TextEncoder().encode(run.stdin);
    return begin({ ...run, stdin, cwd: SKILL_ROOT, env: ENVIRONMENT, delta: NO_DELTA }, host, describe);
  }

  /** Runs the script for another program of the run: what it changed comes back as it is. */
  program(program: JavaScriptProgram, host: JavaScriptHost): Promise<string> {
    return begin(program, host, ({ ending, stdout, stderr, files, realm }) =>
      encodeAnswer(
        {
          status: ending.status ?? KILLED,
          ...(ending.limit === "cpu" || ending.limit === "wall" ? { limit: ending.limit } : {}),
          ...notedIn(ending.limit ?? (files?.isFull ? "files" : null)),
          stdout: stdout.bytes(),
          stderr: stderr.bytes(),
          delta: files?.delta() ?? NO_DELTA,
        },
        (answer) => stringify({ ...(answer as object), realm }),
      ),
    );
  }
}

const notedIn = (limit: RunLimitName | null) => (limit === null ? {} : { noted: limit });

const NO_DELTA = { dirs: [], files: [], links: [], removed: [] };
/** What a program that was killed ends with. */
const KILLED = 137;

function begin(program: JavaScriptProgram, host: JavaScriptHost, text: (outcome: Outcome) => string): Promise<string> {
  const { skill } = program;
  if (skill.every(hasBytes)) {
    return execute(program, skill, host, text);
  }
  return (async () => execute(program, await readSkill(skill, host), host, text))();
}

function hasBytes(file: SkillBytes): file is SkillBytes & PlacedFile {
  return file.bytes !== null;
}

/** The files' bytes, of which the isolate keeps what it was told before. */
async function readSkill(skill: readonly SkillBytes[], host: JavaScriptHost): Promise<PlacedFile[]> {
  const digests = skill.map((file) => file.digest);
  const bytes = await readThrough(cache, digests, (missing) => host.readFiles(missing));
  return skill.map(({ path }, i) => ({ path, bytes: bytes[i] ?? new Uint8Array(0) }));
}

function describe({ ending, stdout, stderr, files, duration_ms, realm }: Outcome): string {
  const changes = files?.changes() ?? { files: [], cut: false, isFull: false };
  const result: ChildResult = {
    exit_code: ending.status,
    stdout: stdout.text(),
    stderr: stderr.text(),
    timed_out: ending.status === null && (ending.limit === "wall" || ending.limit === "cpu"),
    truncated: stdout.truncated || stderr.truncated || changes.cut,
    limit: ending.limit ?? (changes.isFull ? "files" : null),
    duration_ms,
    files: changes.files,
  };
  return stringify({ ...result, realm });
}
