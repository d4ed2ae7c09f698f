/** Owns the runner Worker as a workerd process of its own that is killed and started anew when a run does not end; never the edge. */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Miniflare, MiniflareOptions } from "miniflare";
import type { WatchMessage, WatchVerdict } from "../model/run-watch.ts";
import { makeMiniflare } from "./make-miniflare.ts";
import { RunWatch } from "./run-watch.ts";

const GENERATED = join(dirname(fileURLToPath(import.meta.url)), "../sandbox/generated");
const HOST = "127.0.0.1";

const MODULES = [
  ["runner.js", "esm"],
  ["box.txt", "text"],
  ["javascript.txt", "text"],
  ["version.txt", "text"],
  ["python.wasm", "wasm"],
  ["stdlib.bin", "data"],
] as const;

export interface RunnerProcessOptions {
  /** Port of the run service on 127.0.0.1; default: any free one, kept over restarts. */
  readonly port?: number;
  /** Told of each restart, for the log. */
  readonly onRestart?: (why: string) => void;
  /** Told what the process itself prints: warnings, last words of a crash. Nobody by default: standard output is the caller's. */
  readonly onLog?: (line: string) => void;
}

export interface RunnerProcess {
  /**
   * The binding to give to the edge's Miniflare (`config.env`): RPC of the entrypoint `Runner`, in the other process.
   * It stays right over restarts.
   */
  readonly binding: { readonly type: "external"; readonly address: string; readonly http: Record<string, never> };
  /** How often the process was killed and started anew. */
  readonly restarts: number;
  stop(): Promise<void>;
}

/** Starts the runner Worker. Needs `src/sandbox/generated/`, which `scripts/build-sandbox.ts` makes. */
export async function startRunnerProcess(options: RunnerProcessOptions = {}): Promise<RunnerProcess> {
  const supervisor = new Supervisor(options.port ?? (await freePort()), options);
  await supervisor.start();
  return supervisor;
}

class Supervisor implements RunnerProcess {
  readonly binding;
  restarts = 0;
  readonly #port: number;
  readonly #onRestart: (why: string) => void;
  readonly #onLog: (line: string) => void;
  readonly #watch = new RunWatch((id) => this.#kill(id));
  #miniflare: Miniflare | null = null;
  #restarting: Promise<void> | null = null;
  #stopped = false;

  constructor(port: number, { onRestart, onLog }: RunnerProcessOptions) {
    this.#port = port;
    this.#onRestart = onRestart ?? (() => undefined);
    this.#onLog = onLog ?? (() => undefined);
    this.binding = { type: "external" as const, address: `${HOST}:${port}`, http: {} };
  }

  async start(): Promise<void> {
    // Locally nothing bounds an isolate's memory, and the process dies with whoever takes it all: better at 0.5 GB than at 4.
    process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--max-old-space-size=512";
    const options = runnerOptions(this.#port, (message) => this.#watch.note(message));
    this.#miniflare = makeMiniflare({
      ...options,
      unsafeHandleRuntimeRestart: () => this.#crashed(),
      handleStructuredLogs: ({ message }) => this.#onLog(message),
    });
    await this.#miniflare.ready;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#watch.clear();
    await this.#restarting;
    await this.#miniflare?.dispose();
  }

  /** Miniflare has started a process that died by itself anew. */
  #crashed(): void {
    this.restarts++;
    this.#watch.crashed();
    this.#onRestart("the process died");
  }

  #kill(id: string): void {
    if (this.#stopped || this.#restarting !== null) {
      return;
    }
    this.restarts++;
    this.#onRestart(`run ${id} did not end`);
    this.#restarting = this.#renew().finally(() => {
      this.#restarting = null;
    });
  }

  async #renew(): Promise<void> {
    await this.#miniflare?.dispose();
    await this.start();
  }
}

function runnerOptions(port: number, note: (message: WatchMessage) => Promise<WatchVerdict>): MiniflareOptions {
  return {
    host: HOST,
    port: 0,
    // It is reached by its own port. The registry would be shared by all of the user's processes, and needs a home directory to write to.
    enableDevRegistry: false,
    workers: [
      {
        config: {
          name: "edge-skills-runner",
          compatibilityDate: "2026-11-01",
          manifest: runnerManifest(),
          env: {
            LOADER: { type: "worker-loader" },
            WATCH: {
              type: "fetcher",
              handler: async (request) => {
                const verdict = await note((await request.json()) as WatchMessage);
                return Response.json(verdict) as never;
              },
            },
          },
        },
        dev: { unsafeDirectSockets: [{ host: HOST, port, entrypoint: "Runner" }] },
      },
    ],
  };
}

/** The runner Worker's modules, as Miniflare takes them. */
export function runnerManifest() {
  if (!existsSync(join(GENERATED, "runner.js"))) {
    throw new Error("the sandbox is not built: run `node scripts/build-sandbox.ts`");
  }
  const modules = MODULES.map(([name, type]) => {
    const bytes = readFileSync(join(GENERATED, name));
    const contents = type === "wasm" || type === "data" ? new Uint8Array(bytes) : bytes.toString("utf8");
    return [name, { type, contents }];
  });
  return { mainModule: "runner.js", modulesRoot: "/", modules: Object.fromEntries(modules) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
