/** Owns the workerd that is measured: the edge, and beside it what a user would otherwise write. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import { EDGE_ALIAS } from "../../src/deploy/build-edge.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import type { RunnerProcess } from "../../src/deploy/runner-process.ts";
import { hashToken, newToken } from "../../src/model/token.ts";

const EDGE = "edge-skills";

/** Deploys a layer into a state directory and answers a token for it. */
export async function seed(state: string, layer: DeployableLayer): Promise<string> {
  const target = await createLocalTarget(await startLocalPlatform({ state }), state);
  await deploy(target, [layer], { channel: "live", by: "bench", now: () => new Date() });
  const token = newToken(layer.name);
  const tokens = await target.tokensOf(layer.name);
  const record = {
    id: "bench",
    hash: await hashToken(token),
    scopes: ["read"] as const,
    channel: "live",
    created_at: "",
  };
  await tokens.addToken(record);
  await target.close();
  return token;
}

/** What a measurement starts. */
export interface BenchOptions {
  readonly state: string;
  /** The module that is the edge; default the real one. */
  readonly entry?: string;
  /** Source of a second Worker to compare with. */
  readonly other?: string;
  readonly otherEnv?: Readonly<Record<string, { readonly type: "text"; readonly value: string }>>;
  readonly inspector?: "on";
  /** Where scripts are sent to; without one they do not run. */
  readonly runner?: RunnerProcess;
  /** Settings and mode of the edge, as its environment has them. */
  readonly edgeEnv?: Readonly<Record<string, string>>;
}

/** A running workerd, each Worker on a socket of its own: no proxy in between. */
export interface BenchPlatform {
  readonly edge: URL;
  readonly other: URL | null;
  readonly inspector: URL | null;
  stop(): Promise<void>;
}

export async function startBench(options: BenchOptions): Promise<BenchPlatform> {
  const socket = [{ host: "127.0.0.1", port: 0 }];
  const edge = {
    config: {
      name: EDGE,
      compatibilityDate: "2026-11-01",
      manifest: manifest(await bundle(options.entry ?? "../../src/worker.ts")),
      exports: { TenantObject: { type: "durable-object", storage: "sqlite" } },
      env: {
        SKILLS_KV: { type: "kv", id: EDGE },
        SKILLS_R2: { type: "r2", name: EDGE },
        TENANTS: { type: "durable-object", worker: EDGE, exportName: "TenantObject" },
        ...(options.runner ? { RUNNER: options.runner.binding } : {}),
        ...textBindings(options.edgeEnv ?? {}),
      },
    },
    dev: { unsafeDirectSockets: socket },
  } as const;
  const other = {
    config: {
      name: "other",
      compatibilityDate: "2026-11-01",
      manifest: manifest(options.other ?? "export default {}"),
      env: { ...options.otherEnv },
    },
    dev: { unsafeDirectSockets: socket },
  } as const;
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    ...(options.inspector ? { inspectorPort: 0 } : {}),
    log: new Log(LogLevel.NONE),
    enableDevRegistry: false,
    // What the edge logs of each call is not for whoever reads the tables.
    handleStructuredLogs: () => undefined,
    resourcePersistencePath: join(options.state, "storage"),
    workers: [
      edge,
      ...(options.other === undefined ? [] : [other]),
      ...(options.runner ? [options.runner.worker] : []),
    ],
  });
  await miniflare.ready;
  return {
    edge: await miniflare.unsafeGetDirectURL(EDGE),
    other: options.other === undefined ? null : await miniflare.unsafeGetDirectURL("other"),
    inspector: options.inspector ? await miniflare.getInspectorURL() : null,
    stop: () => miniflare.dispose(),
  };
}

/** Bundles a module of this repository, or a text, as production would. */
export async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*", "node:*"],
    alias: EDGE_ALIAS,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

function textBindings(env: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, { type: "text", value } as const]));
}

function manifest(contents: string) {
  return { mainModule: "worker.js", modulesRoot: "/", modules: { "worker.js": { type: "esm" as const, contents } } };
}
