/** Owns the local platform: the edge Worker with KV, R2 and Durable Objects in workerd, kept in a state directory. What `dev` serves and `deploy` writes. */

import { accessSync, constants } from "node:fs";
import { join, resolve } from "node:path";
import { Log, LogLevel, type Miniflare, type MiniflareOptions } from "miniflare";
import { SkillsError } from "../model/errors.ts";
import { FIRST_TOKEN_SECRET, type TokenStore } from "../model/token.ts";
import { makeDirectory } from "../pack/make-directory.ts";
import { buildEdge } from "./build-edge.ts";
import { localAssets } from "./local-assets.ts";
import { localKey } from "./local-key.ts";
import { makeMiniflare } from "./make-miniflare.ts";
import type { RunnerProcess } from "./runner-process.ts";

/** Where local state lies when nothing else is said. */
export const DEFAULT_STATE_DIRECTORY = ".edge-skills";

const EDGE = "edge-skills";

/** Where in the state directory Miniflare keeps what it stores. */
const STORAGE = "storage";

/** How the local platform is started. */
export interface LocalPlatformOptions {
  /** Directory for KV, R2 and Durable Objects, made when it is not there; null to keep nothing. */
  readonly state: string | null;
  /** Port on 127.0.0.1; 0 or absent for any free one. */
  readonly port?: number;
  /** Where scripts are sent to; without one they do not run. */
  readonly runner?: RunnerProcess;
  /** The text of edge-skills.json. */
  readonly config?: string;
  /** Network rules to try out: JSON of `{ allow, stub }` (model/egress.ts). */
  readonly egress?: string;
  /** Hash of the first token, as the secret of a deployed Worker has it. */
  readonly firstToken?: string;
  /** `production` behaves as deployed: any host, runs ask, pointers are kept for seconds. Default `dev`. */
  readonly mode?: "dev" | "production";
  /** Told of each line the Workers log. */
  readonly onLog?: (line: string) => void;
}

/**
 * Starts the local platform. Several may run on one state directory at the same time; SQLite orders their writes.
 * Throws `storage-unavailable` when the state directory cannot be used, or workerd does not start.
 */
export async function startLocalPlatform(options: LocalPlatformOptions): Promise<LocalPlatform> {
  const { state } = options;
  if (state !== null) {
    makeStorage(join(resolve(state), STORAGE));
  }
  const miniflare = makeMiniflare(await platformOptions(options));
  try {
    const url = await miniflare.ready;
    return new LocalPlatform(miniflare, url);
  } catch (cause) {
    // What did start would keep this process alive.
    await miniflare.dispose().catch(() => undefined);
    throw new SkillsError("storage-unavailable", `Cannot start the local platform: ${reasonOf(cause)}`, { cause });
  }
}

function makeStorage(directory: string): void {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot keep state in "${directory}": ${reasonOf(cause)}`, {
      cause,
      hint: "name another directory with --state",
    });
  }
}

function reasonOf(thrown: unknown): string {
  const { message } = thrown instanceof Error ? thrown : { message: String(thrown) };
  return SkillsError.is(thrown) && thrown.cause instanceof Error ? thrown.cause.message : message;
}

/** What a running local platform offers. */
export type RunningPlatform = Pick<LocalPlatform, "url" | "kv" | "r2" | "tokensOf" | "stop">;

/** A running local platform. */
export class LocalPlatform {
  /** Where the edge answers. */
  readonly url: URL;
  readonly #miniflare: Miniflare;

  constructor(miniflare: Miniflare, url: URL) {
    this.#miniflare = miniflare;
    this.url = url;
  }

  /** The namespace that holds blobs and indexes. */
  kv(): ReturnType<Miniflare["getKVNamespace"]> {
    return this.#miniflare.getKVNamespace("SKILLS_KV", EDGE);
  }

  /** The bucket that holds pointers and large blobs. */
  r2(): ReturnType<Miniflare["getR2Bucket"]> {
    return this.#miniflare.getR2Bucket("SKILLS_R2", EDGE);
  }

  /** The tokens of a tenant, in its Durable Object. */
  async tokensOf(tenant: string): Promise<TokenStore> {
    const namespace = await this.#miniflare.getDurableObjectNamespace("TENANTS", EDGE);
    return namespace.get(namespace.idFromName(tenant)) as unknown as TokenStore;
  }

  /** Ends it; state stays in its directory. */
  async stop(): Promise<void> {
    await this.#miniflare.dispose();
  }
}

async function platformOptions(options: LocalPlatformOptions): Promise<MiniflareOptions> {
  const { state, port = 0, runner, config, egress, firstToken, mode = "dev", onLog } = options;
  const text = (value: string) => ({ type: "text", value }) as const;
  return {
    host: "127.0.0.1",
    port,
    log: new Log(LogLevel.NONE),
    enableDevRegistry: false,
    ...(state === null ? {} : { resourcePersistencePath: join(resolve(state), STORAGE) }),
    ...(onLog ? { handleStructuredLogs: ({ message }) => onLog(message) } : {}),
    workers: [
      {
        config: {
          name: EDGE,
          compatibilityDate: "2026-11-01",
          manifest: {
            mainModule: "worker.js",
            modulesRoot: "/",
            modules: { "worker.js": { type: "esm", contents: await buildEdge() } },
          },
          exports: { TenantObject: { type: "durable-object", storage: "sqlite" } },
          env: {
            SKILLS_KV: { type: "kv", id: EDGE },
            SKILLS_R2: { type: "r2", name: EDGE },
            ASSETS: localAssets(),
            TENANTS: { type: "durable-object", worker: EDGE, exportName: "TenantObject" },
            ...(runner ? { RUNNER: runner.binding } : {}),
            ...(config === undefined ? {} : { EDGE_SKILLS_CONFIG: text(config) }),
            ...(egress === undefined ? {} : { EDGE_SKILLS_EGRESS: text(egress) }),
            EDGE_SKILLS_KEY: text(localKey(state === null ? null : resolve(state))),
            ...(firstToken === undefined ? {} : { [FIRST_TOKEN_SECRET]: text(firstToken) }),
            ...(mode === "dev" ? { EDGE_SKILLS_MODE: text("dev") } : {}),
          },
        },
      },
      ...(runner ? [runner.worker] : []),
    ],
  };
}
