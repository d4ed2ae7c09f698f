/** Owns the local runner: workerd processes of their own that are ended and started as the pool of them says, and the edge's way to them; never the edge. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MiniflareOptions } from "miniflare";
import { makeMiniflare } from "./make-miniflare.ts";
import { openPoolDoor, type PoolDoor } from "./pool-door.ts";
import { ProcessUse } from "./process-use.ts";
import { RunnerPool } from "./runner-pool.ts";
import type { PooledProcess } from "./runner-slot.ts";
import { MOST_PROCESSES } from "./runner-slots.ts";
import { strain } from "./strain.ts";

const GENERATED = join(dirname(fileURLToPath(import.meta.url)), "../sandbox/generated");
const HOST = "127.0.0.1";
const COMPATIBILITY_DATE = "2026-11-01";
const FRONT = "edge-skills-runner-front";

const MODULES = [
  ["runner.js", "esm"],
  ["box.txt", "text"],
  ["javascript.txt", "text"],
  ["version.txt", "text"],
  ["python.wasm", "wasm"],
  ["sqlite.wasm", "wasm"],
] as const;

/**
 * Locally nothing bounds an isolate's memory, and the process dies with whoever takes it all: better at 0.5 GB than at 4. And V8 throws
 * CPython's code away whenever an isolate ends, without giving back the memory of it: half a megabyte with each run of JavaScript.
 */
const V8_FLAGS = "--max-old-space-size=512 --no-flush-liftoff-code";

/** What workerd says once under other flags: it compiles its own modules rather than take them from its cache. */
const CACHE_WORDS = /bootstrap compile cache/;

/** A Worker as Miniflare takes it. */
type WorkerOptions = Extract<MiniflareOptions, { workers: unknown }>["workers"][number];

export interface RunnerProcessOptions {
  /** Told of each process that was ended or died, for the log. */
  readonly onRestart?: (why: string) => void;
  /** Told what a process itself prints: warnings, last words of a crash. Nobody by default: standard output is the caller's. */
  readonly onLog?: (line: string) => void;
}

export interface RunnerProcess {
  /** The Worker to put beside the edge in its Miniflare: it sends each run to a process. */
  readonly worker: WorkerOptions;
  /** The edge's binding to that Worker, for its `config.env`. */
  readonly binding: { readonly type: "worker"; readonly worker: string; readonly exportName: string };
  /** How often a process was ended, or died. */
  readonly restarts: number;
  stop(): Promise<void>;
}

/** Starts the runner Worker. Needs `src/sandbox/generated/`, which `scripts/build-sandbox.ts` makes. */
export async function startRunnerProcess(options: RunnerProcessOptions = {}): Promise<RunnerProcess> {
  const runner = new LocalRunner(await freePorts(MOST_PROCESSES), options);
  await runner.start();
  return runner;
}

class LocalRunner implements RunnerProcess {
  readonly binding = { type: "worker", worker: FRONT, exportName: "Runner" } as const;
  restarts = 0;
  readonly #ports: readonly number[];
  readonly #onLog: (line: string) => void;
  readonly #pool: RunnerPool;
  #door: PoolDoor | null = null;

  constructor(ports: readonly number[], { onRestart, onLog }: RunnerProcessOptions) {
    this.#ports = ports;
    this.#onLog = onLog ?? (() => undefined);
    this.#pool = new RunnerPool({
      start: (slot) => this.#startProcess(slot),
      strain,
      onLoss: (why) => {
        this.restarts++;
        onRestart?.(why);
      },
    });
  }

  get worker(): WorkerOptions {
    if (this.#door === null) {
      throw new Error("the runner was not started");
    }
    return frontWorker(this.#ports, this.#door);
  }

  async start(): Promise<void> {
    this.#door = await openPoolDoor((message) => this.#pool.note(message));
    await this.#pool.start();
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
    await this.#door?.close();
  }

  async #startProcess(slot: number): Promise<PooledProcess> {
    const giveBack = withFlags();
    const miniflare = makeMiniflare({
      ...processOptions(this.#ports[slot] ?? 0),
      // Miniflare has started a process that died by itself anew.
      unsafeHandleRuntimeRestart: () => this.#pool.died(slot),
      handleStructuredLogs: ({ message }) => CACHE_WORDS.test(message) || this.#onLog(message),
    });
    try {
      const health = new URL("/healthz", await miniflare.ready);
      const use = new ProcessUse(this.#ports[slot] ?? 0);
      return {
        ping: async () => (await fetch(health)).arrayBuffer(),
        memory: () => use.memory(),
        cpu: () => use.cpu(),
        end: () => miniflare.dispose(),
      };
    } catch (error) {
      await miniflare.dispose().catch(() => undefined);
      throw error;
    } finally {
      giveBack();
    }
  }
}

/** Sets V8's flags for a process that starts now: Miniflare takes them from the environment only, and the edge's are none of them. */
function withFlags(): () => void {
  const before = process.env.MINIFLARE_WORKERD_V8_FLAGS;
  process.env.MINIFLARE_WORKERD_V8_FLAGS = before ?? V8_FLAGS;
  return () => {
    if (before === undefined) {
      delete process.env.MINIFLARE_WORKERD_V8_FLAGS;
    }
  };
}

function processOptions(port: number): MiniflareOptions {
  return {
    host: HOST,
    port: 0,
    // It is reached by its own port. The registry would be shared by all of the user's processes, and needs a home directory to write to.
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "edge-skills-runner",
          compatibilityDate: COMPATIBILITY_DATE,
          manifest: runnerManifest(),
          env: { LOADER: { type: "worker-loader" } },
        },
        dev: { unsafeDirectSockets: [{ host: HOST, port, entrypoint: "Runner" }] },
      },
    ],
  };
}

function frontWorker(ports: readonly number[], door: PoolDoor): WorkerOptions {
  const processes = ports.map((port, slot) => {
    return [`PROCESS_${slot}`, { type: "external" as const, address: `${HOST}:${port}`, http: {} }] as const;
  });
  return {
    config: {
      name: FRONT,
      compatibilityDate: COMPATIBILITY_DATE,
      manifest: {
        mainModule: "front.js",
        modulesRoot: "/",
        modules: { "front.js": { type: "esm", contents: generated("front.js").toString("utf8") } },
      },
      env: {
        ...Object.fromEntries(processes),
        POOL: { type: "external", address: door.address, http: {} },
        POOL_PATH: { type: "text", value: door.path },
      },
    },
  };
}

/** The runner Worker's modules, as Miniflare takes them. */
export function runnerManifest() {
  const modules = MODULES.map(([name, type]) => {
    const bytes = generated(name);
    const contents = type === "wasm" ? new Uint8Array(bytes) : bytes.toString("utf8");
    return [name, { type, contents }];
  });
  return { mainModule: "runner.js", modulesRoot: "/", modules: Object.fromEntries(modules) };
}

function generated(name: string): Buffer {
  const path = join(GENERATED, name);
  if (!existsSync(path)) {
    throw new Error("the sandbox is not built: run `node scripts/build-sandbox.ts`");
  }
  return readFileSync(path);
}

/** Ports on 127.0.0.1 that are free at once. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.listen(0, HOST, resolve))));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
