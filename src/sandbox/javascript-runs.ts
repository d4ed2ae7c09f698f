/** Owns runs of JavaScript: which child serves one, with the bytes it needs; never Python or shell. */
import type { Digest } from "../model/digest.ts";
import type { RunRequest } from "../model/run.ts";
import { ByteCache, readThrough } from "./byte-cache.ts";
import { javascriptChildId } from "./child-id.ts";
import { javascriptCode, javascriptVersion, type WorkerCode } from "./children.ts";
import { wordsOf } from "./error-words.ts";
import { decodeAnswer } from "./files/delta-text.ts";
import { readJavaScriptAnswer } from "./javascript-answer.ts";
import type {
  ChildResult,
  JavaScriptHost,
  JavaScriptProgram,
  JavaScriptRun,
  NodeRequest,
  SpawnAnswer,
} from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";
import { callWarm } from "./warm-children.ts";

/** Bytes of skill files and of compiled scripts kept between runs. */
const CACHE_BYTES = 24 << 20;

/** Bytes of a skill's files that an isolate of JavaScript can be given: it has all of them before it starts, since it reads without waiting. */
const MOST_SKILL_BYTES = 32 << 20;

const cache = new ByteCache(CACHE_BYTES);

/** A skill that is too large for JavaScript. */
class SkillTooLarge extends Error {}

interface JavaScriptEntry extends Partial<Disposable> {
  run(run: JavaScriptRun, host: JavaScriptHost): Promise<string>;
  program(program: JavaScriptProgram, host: JavaScriptHost): Promise<string>;
}

/** What runs of JavaScript are counted under: an isolate of their own, or the one they share. */
export async function javascriptKey(request: RunRequest): Promise<string> {
  const { share, script } = request;
  return share === undefined || script.compiled === null
    ? `javascript:${request.id}`
    : await idOf(request, script.compiled, share);
}

function idOf({ isolation: tenant, skill }: RunRequest, compiled: Digest, share: string): Promise<string> {
  return javascriptChildId({ version: javascriptVersion(), tenant, skill: skill.name, compiled, share });
}

/** Bytes of the skill's files and of its compiled scripts, for a child that keeps none yet. */
export function readForChild({ host }: RunOrder, digests: readonly Digest[]): Promise<Uint8Array[]> {
  return readThrough(cache, digests, (missing) => host.readFiles(missing));
}

/** Runs the script that the request is about. */
export async function runJavaScript(order: RunOrder, host: JavaScriptHost): Promise<ChildResult> {
  const { request } = order;
  const { compiled, path } = request.script;
  if (compiled === null) {
    throw new Error(`${path} was not compiled when it was packed`);
  }
  const { argv, stdin } = request;
  try {
    return await inChild(order, compiled, async (child, common) => {
      const text = await child.run({ ...common, script: path, argv, stdin }, host);
      const { result, realm } = readJavaScriptAnswer(text, request.limits);
      // What was stopped in the middle may go on for a while.
      return { answer: result, child: result.exit_code !== null && realm === "whole" ? "good" : "spent" };
    });
  } catch (error) {
    return { ...FAILED, stderr: unloadable(error, path) };
  }
}

/** Runs a packed script for another program of the run. */
export async function runNode(order: RunOrder, asked: NodeRequest, host: JavaScriptHost): Promise<SpawnAnswer> {
  const found = order.request.programs?.find((one) => one.path === asked.script);
  if (found === undefined) {
    throw new Error(`${asked.script} is no packed script of the skill`);
  }
  try {
    return await inChild(order, found.compiled, async (child, common) => {
      const { realm, ...answer } = decodeAnswer(await child.program({ ...common, ...asked }, host));
      return { answer, child: answer.status !== KILLED && realm === "whole" ? "good" : "spent" };
    });
  } catch (error) {
    const stderr = new TextEncoder().encode(unloadable(error, asked.script));
    return { status: 1, stdout: new Uint8Array(0), stderr, delta: { dirs: [], files: [], links: [], removed: [] } };
  }
}

/** What a program ends with that was stopped. */
const KILLED = 137;

/** The result of a script that did not begin. */
const FAILED: ChildResult = {
  exit_code: 1,
  stdout: "",
  stderr: "",
  timed_out: false,
  truncated: false,
  limit: null,
  duration_ms: 0,
  files: [],
};

/** What is said of a script that cannot begin: what Node.js would say of one that is no JavaScript. Throws what is no such error. */
function unloadable(error: unknown, path: string): string {
  if (error instanceof SkillTooLarge) {
    return `node: ${error.message}\n`;
  }
  const line = /\bUncaught (SyntaxError\b[^\n]*)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (line === undefined) {
    throw error;
  }
  const words = wordsOf(line);
  // The packer takes no script that does not parse: something is wrong with what it made, and an operator has to hear of it.
  console.error(`the packed code of ${path} does not load: ${words}`);
  return `/skill/${path}\n\n${words}\n`;
}

type Common = Pick<JavaScriptRun, "isolate" | "skill" | "files" | "limits" | "deadline">;
type Work<T> = (
  child: JavaScriptEntry,
  common: Common,
) => Promise<{ readonly answer: T; readonly child: "good" | "spent" }>;

async function inChild<T>(order: RunOrder, compiled: Digest, work: Work<T>): Promise<T> {
  const { share, skill_files } = order.request;
  const bytes = skill_files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_SKILL_BYTES) {
    throw new SkillTooLarge(
      `the skill's files have ${bytes} bytes, and JavaScript gets all of them before it starts: ${MOST_SKILL_BYTES} at most`,
    );
  }
  return share === undefined ? inOwnChild(order, compiled, work) : inSharedChild(order, compiled, share, work);
}

/** A child for this run only: it gets all bytes with its order. */
async function inOwnChild<T>(order: RunOrder, compiled: Digest, work: Work<T>): Promise<T> {
  const { request, loader, deadline } = order;
  const { skill_files, files, limits } = request;
  const [code, ...bytes] = await readForChild(order, [compiled, ...skill_files.map((file) => file.digest)]);
  const child = loader.load(javascriptCode(new TextDecoder().decode(code)));
  const entry = child.getEntrypoint(undefined, { limits: { cpuMs: limits.cpu_ms } }) as unknown as JavaScriptEntry;
  const skill = skill_files.map(({ path, digest }, i) => ({ path, digest, bytes: bytes[i] ?? new Uint8Array(0) }));
  try {
    return (await work(entry, { isolate: "own", skill, files, limits, deadline })).answer;
  } finally {
    // Where the platform lets stubs be disposed of, the isolate need not wait for the end of the request.
    entry[Symbol.dispose]?.();
    child[Symbol.dispose]?.();
  }
}

/** A child that other runs have used or will use: it keeps the skill's bytes, and asks for those that it lacks. */
async function inSharedChild<T>(order: RunOrder, compiled: Digest, share: string, work: Work<T>): Promise<T> {
  const { request, loader, deadline, slot, acts } = order;
  const { skill_files, files, limits } = request;
  const [code] = await readForChild(order, [compiled]);
  const name = `${await idOf(request, compiled, share)}:${slot}`;
  const skill = skill_files.map(({ path, digest }) => ({ path, digest, bytes: null }));
  return await callWarm<JavaScriptEntry, T, WorkerCode>(
    {
      loader,
      run: request.id,
      name,
      code: javascriptCode(new TextDecoder().decode(code)),
      cpuMs: limits.cpu_ms,
      deadline,
      mayRepeat: () => !acts.any,
    },
    (entry) => work(entry, { isolate: "shared", skill, files, limits, deadline }),
  );
}
