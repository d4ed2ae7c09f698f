/** Owns runs of JavaScript: a fresh child for each, with the bytes it needs; never Python or shell. */
import { RpcTarget } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import type { RunHost } from "../model/run.ts";
import { spawnInBox } from "./box-runs.ts";
import { ByteCache, readThrough } from "./byte-cache.ts";
import { javascriptCode } from "./children.ts";
import type { ChildResult, JavaScriptHost, JavaScriptRun, SpawnAnswer, SpawnRequest } from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

/** Bytes of skill files kept between runs, since the children keep nothing. */
const CACHE_BYTES = 24 << 20;

const cache = new ByteCache(CACHE_BYTES);

interface JavaScriptEntry extends Partial<Disposable> {
  run(run: JavaScriptRun, host: JavaScriptHost): Promise<string>;
}

/** Runs a compiled script. */
export async function runJavaScript(order: RunOrder): Promise<ChildResult> {
  const { loader, request, host, deadline } = order;
  const { compiled } = request.script;
  if (compiled === null) {
    throw new Error(`${request.script.path} was not compiled when it was packed`);
  }
  const digests: readonly Digest[] = [compiled, ...request.skill_files.map((file) => file.digest)];
  const [code, ...bytes] = await readThrough(cache, digests, (missing) => host.readFiles(missing));
  const child = loader.load(javascriptCode(new TextDecoder().decode(code)));
  const entry = child.getEntrypoint(undefined, {
    limits: { cpuMs: request.limits.cpu_ms },
  }) as unknown as JavaScriptEntry;
  try {
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
      new Host(order, host),
    );
    return checkedResult(JSON.parse(answer));
  } finally {
    // Locally nothing else lets go of an isolate without a name.
    entry[Symbol.dispose]?.();
    child[Symbol.dispose]?.();
  }
}

/** What a JavaScript child may ask for. */
class Host extends RpcTarget implements JavaScriptHost {
  readonly #order: RunOrder;
  readonly #host: RunHost;
  #spawned = 0;

  constructor(order: RunOrder, host: RunHost) {
    super();
    this.#order = order;
    this.#host = host;
  }

  fetch(request: Request): Promise<Response> {
    return this.#host.fetch(request);
  }

  async spawn(request: SpawnRequest): Promise<SpawnAnswer> {
    const { limits, skill_files, packages = [], files } = this.#order.request;
    if (++this.#spawned > limits.processes) {
      throw new Error("spawn EAGAIN");
    }
    const { deadline } = this.#order;
    return await spawnInBox(this.#order, { ...request, skill_files, packages, files, limits, deadline });
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
