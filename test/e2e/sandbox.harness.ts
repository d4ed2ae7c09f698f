/** Owns starting the real runner in a process of its own and sending it runs through an edge's stand-in; never judges results. */
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import {
  DEFAULT_RUN_LIMITS,
  type RunLimits,
  type RunRefusal,
  type RunResult,
  type Runtime,
} from "../../src/model/run.ts";
import { compileJavaScript } from "../../src/pack/compile-javascript.ts";

/** A file as the cases write it. */
export interface CaseFile {
  readonly path: string;
  readonly text?: string;
  readonly base64?: string;
  /** The edge has no bytes for it. */
  readonly lost?: true;
}

export interface CaseRun {
  readonly runtime: Runtime;
  readonly source: string;
  readonly path?: string;
  /** By path, in place of what the packer makes of a script. */
  readonly compiled?: Readonly<Record<string, string>>;
  readonly files?: readonly CaseFile[];
  readonly inputs?: readonly CaseFile[];
  readonly argv?: readonly string[];
  readonly stdin?: string;
  readonly limits?: Partial<RunLimits>;
  readonly egress?: unknown;
  readonly isolation?: string;
  readonly share?: string;
  readonly protocol?: number;
}

export interface Answer {
  readonly result: RunResult & Partial<RunRefusal>;
  /** How long the caller waited. */
  readonly ms: number;
  /** How many files the runner asked the edge for. */
  readonly asked: number;
}

const ENDINGS: Readonly<Record<Runtime, string>> = { python: "py", bash: "sh", javascript: "js" };

export interface Harness {
  readonly runner: RunnerProcess;
  run(run: CaseRun): Promise<Answer>;
  stop(): Promise<void>;
}

/** Builds the sandbox and starts runner and edge. */
export async function startHarness(): Promise<Harness> {
  await buildSandbox();
  const runner = await startRunnerProcess();
  const edge = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    workers: [
      {
        config: {
          name: "edge",
          compatibilityDate: "2026-11-01",
          manifest: {
            mainModule: "edge.js",
            modulesRoot: "/",
            modules: {
              "edge.js": { type: "esm", contents: await edgeModule() },
            },
          },
          env: { RUNNER: runner.binding },
        },
      },
      runner.worker,
    ],
  });
  await edge.ready;
  return {
    runner,
    run: (run) => send(edge, run),
    stop: async () => {
      await edge.dispose();
      await runner.stop();
    },
  };
}

async function edgeModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("./sandbox.edge.js", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*"],
  });
  return outputFiles[0]?.text ?? "";
}

async function send(edge: Miniflare, run: CaseRun): Promise<Answer> {
  const path = run.path ?? `scripts/main.${ENDINGS[run.runtime]}`;
  const manifest = { path: "SKILL.md", text: "---\nname: case\ndescription: A case.\n---\n" };
  const files: CaseFile[] = [{ path, text: run.source }, manifest, ...(run.files ?? [])];
  const codeOf = async (script: string) => run.compiled?.[script] ?? (await compile(script, files));
  const compiled = run.runtime === "javascript" ? await codeOf(path) : null;
  const scripts = files.filter((file) => /^scripts\/.*\.(?:[cm]?js|ts)$/.test(file.path));
  const programs = await Promise.all(scripts.map(async (file) => ({ path: file.path, code: await codeOf(file.path) })));
  const started = performance.now();
  const response = await edge.dispatchFetch("http://edge/", {
    method: "POST",
    body: JSON.stringify({
      runtime: run.runtime,
      path,
      files,
      compiled,
      programs,
      argv: run.argv ?? [],
      stdin: run.stdin ?? "",
      limits: { ...DEFAULT_RUN_LIMITS, ...run.limits },
      egress: run.egress ?? null,
      isolation: run.isolation ?? "acme",
      share: run.share,
      protocol: run.protocol ?? 1,
      inputs: run.inputs ?? [],
    }),
  });
  const text = await response.text();
  if (response.status !== 200) {
    throw new Error(`the edge answered ${response.status}: ${text}`);
  }
  const ms = performance.now() - started;
  return { result: JSON.parse(text) as Answer["result"], ms, asked: Number(response.headers.get("x-files-asked")) };
}

async function compile(path: string, files: readonly CaseFile[]): Promise<string> {
  const made = await compileJavaScript({ path, files: new Map(files.map((file) => [file.path, bytesOf(file)])) });
  if ("error" in made) {
    throw new Error(`${path} does not compile: ${made.error.message}`);
  }
  return made.code;
}

function bytesOf(file: CaseFile): Uint8Array {
  return file.base64 === undefined
    ? new TextEncoder().encode(file.text ?? "")
    : new Uint8Array(Buffer.from(file.base64, "base64"));
}

/** A listener that nothing from the sandbox may ever reach. */
export async function startCanary(): Promise<{
  readonly port: number;
  readonly hits: () => number;
  readonly server: Server;
}> {
  let hits = 0;
  const server = createServer((_request, response) => response.end("CANARY"));
  server.on("connection", () => {
    hits++;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, hits: () => hits, server };
}
