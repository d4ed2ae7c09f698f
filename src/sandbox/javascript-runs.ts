/** Owns runs of JavaScript: a fresh child for each, with the bytes it needs; never Python or shell. */
import type { Digest } from "../model/digest.ts";
import { ByteCache, readThrough } from "./byte-cache.ts";
import { javascriptCode } from "./children.ts";
import { decodeAnswer } from "./files/delta-text.ts";
import type {
  ChildResult,
  JavaScriptHost,
  JavaScriptProgram,
  JavaScriptRun,
  NodeRequest,
  SpawnAnswer,
} from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

/** Bytes of skill files kept between runs, since the children keep nothing. */
const CACHE_BYTES = 24 << 20;

const cache = new ByteCache(CACHE_BYTES);

interface JavaScriptEntry extends Partial<Disposable> {
  run(run: JavaScriptRun, host: JavaScriptHost): Promise<string>;
  program(program: JavaScriptProgram, host: JavaScriptHost): Promise<string>;
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
    const answer = await inChild(order, compiled, (child, common) =>
      child.run({ ...common, script: path, argv, stdin }, host),
    );
    return checkedResult(JSON.parse(answer));
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
    const answer = await inChild(order, found.compiled, (child, common) =>
      child.program({ ...common, ...asked }, host),
    );
    return decodeAnswer(answer);
  } catch (error) {
    const stderr = new TextEncoder().encode(unloadable(error, asked.script));
    return { status: 1, stdout: new Uint8Array(0), stderr, delta: { dirs: [], files: [], links: [], removed: [] } };
  }
}

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

/** What Node.js would say of a script that is no JavaScript; throws what is no such error. */
function unloadable(error: unknown, path: string): string {
  const words = /\bUncaught (SyntaxError\b[^\n]*)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (words === undefined) {
    throw error;
  }
  // The packer takes no script that does not parse: something is wrong with what it made, and an operator has to hear of it.
  console.error(`the packed code of ${path} does not load: ${words}`);
  return `/skill/${path}\n\n${words}\n`;
}

type Common = Pick<JavaScriptRun, "skill" | "files" | "limits" | "deadline">;

async function inChild(
  { loader, request, host, deadline }: RunOrder,
  compiled: Digest,
  work: (child: JavaScriptEntry, common: Common) => Promise<string>,
): Promise<string> {
  const { skill_files, files, limits } = request;
  const digests: readonly Digest[] = [compiled, ...skill_files.map((file) => file.digest)];
  const [code, ...bytes] = await readThrough(cache, digests, (missing) => host.readFiles(missing));
  const child = loader.load(javascriptCode(new TextDecoder().decode(code)));
  const entry = child.getEntrypoint(undefined, { limits: { cpuMs: limits.cpu_ms } }) as unknown as JavaScriptEntry;
  const skill = skill_files.map((file, i) => ({ path: file.path, bytes: bytes[i] ?? new Uint8Array(0) }));
  try {
    return await work(entry, { skill, files, limits, deadline });
  } finally {
    // Locally nothing else lets go of an isolate without a name.
    entry[Symbol.dispose]?.();
    child[Symbol.dispose]?.();
  }
}

/** What comes out of a child that a script could change is looked at before it is believed to be a result. */
function checkedResult(value: unknown): ChildResult {
  const result = value as Partial<ChildResult> | null;
  const right =
    typeof result === "object" &&
    result !== null &&
    (result.exit_code === null || typeof result.exit_code === "number") &&
    typeof result.stdout === "string" &&
    typeof result.stderr === "string" &&
    Array.isArray(result.files) &&
    result.files.every(
      (file) =>
        typeof file?.path === "string" && !/^\/|(^|\/)\.\.(\/|$)/.test(file.path) && typeof file.content === "string",
    );
  if (!right) {
    throw new Error("the script's isolate gave no result");
  }
  return result as ChildResult;
}
