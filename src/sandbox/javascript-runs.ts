/** Owns runs of JavaScript: a fresh child for each, with the bytes it needs; never Python or shell. */
import type { Digest } from "../model/digest.ts";
import type { RunHost, RunRequest, RunResult } from "../model/run.ts";
import { ByteCache, readThrough } from "./byte-cache.ts";
import { javascriptCode, type Loader } from "./children.ts";
import type { ChildHost, JavaScriptRun } from "./protocol.ts";

/** Bytes of skill files kept between runs, since the children keep nothing. */
const CACHE_BYTES = 24 << 20;

const cache = new ByteCache(CACHE_BYTES);

interface JavaScriptEntry {
  run(run: JavaScriptRun, host: ChildHost): Promise<string>;
}

/** Runs a compiled script. */
export async function runJavaScript(loader: Loader, request: RunRequest, host: RunHost, deadline: number): Promise<RunResult> {
  const { compiled } = request.script;
  if (compiled === null) {
    throw new Error(`${request.script.path} was not compiled when it was packed`);
  }
  const digests: readonly Digest[] = [compiled, ...request.skill_files.map((file) => file.digest)];
  const [code, ...bytes] = await readThrough(cache, digests, (missing) => host.readFiles(missing));
  const entry = loader.load(javascriptCode(new TextDecoder().decode(code))).getEntrypoint() as unknown as JavaScriptEntry;
  const answer = await entry.run(
    {
      script: request.script.path,
      argv: request.argv,
      stdin: request.stdin,
      skill: request.skill_files.map((file, i) => ({ path: file.path, bytes: bytes[i] ?? new Uint8Array(0) })),
      files: request.files,
      limits: request.limits,
      deadline,
    },
    host,
  );
  return JSON.parse(answer) as RunResult;
}
