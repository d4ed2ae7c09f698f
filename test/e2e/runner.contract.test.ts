import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { type FunctionServer, startFunctionServer } from "../../src/node/function-server.ts";
import { compileJavaScript } from "../../src/pack/compile-javascript.ts";
import { CONTRACT_SCRIPTS, contractScript, runnerContract } from "../../src/testing.ts";
import { REPOSITORY } from "../repo/support/source-files.ts";

const RUNTIMES = ["python", "bash", "javascript"] as const;

/** An edge that runs one case of the suite over its service binding and answers what went wrong. */
const EDGE = `
  import { createHttpFunctionRunner } from "./src/runners/http-function-runner.ts";
  import { createServiceBindingRunner } from "./src/runners/service-binding-runner.ts";
  import { runnerContract } from "./src/testing.ts";
  export default {
    async fetch(request, env) {
      const { at, to, ...language } = await request.json();
      const create = () => (to === undefined ? createServiceBindingRunner(env.RUNNER) : createHttpFunctionRunner(to));
      const cases = runnerContract({ create, ...language });
      try {
        await cases[at].run();
        return Response.json(null);
      } catch (error) {
        return Response.json(String(error));
      }
    },
  };
`;

/** The suite's JavaScript as the packer compiles it. */
async function compileScripts(): Promise<Record<string, string>> {
  const scripts = CONTRACT_SCRIPTS.map(async (script) => {
    const { path, text } = contractScript("javascript", script);
    const files = new Map([[path, new TextEncoder().encode(text)]]);
    const compiled = await compileJavaScript({ path, files });
    if ("error" in compiled) {
      throw new Error(`${path}: ${compiled.error.message}`);
    }
    return [script, compiled.code] as const;
  });
  return Object.fromEntries(await Promise.all(scripts));
}

let compiled: Record<string, string>;
let runner: RunnerProcess;
let edge: Miniflare;

beforeAll(async () => {
  await buildSandbox();
  compiled = await compileScripts();
  runner = await startRunnerProcess();
  const { outputFiles } = await build({
    stdin: { contents: EDGE, resolveDir: REPOSITORY, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*"],
  });
  const contents = outputFiles[0]?.text ?? "";
  const manifest = {
    mainModule: "edge.js",
    modulesRoot: "/",
    modules: { "edge.js": { type: "esm", contents } },
  } as const;
  const config = { name: "edge", compatibilityDate: "2026-11-01", manifest, env: { RUNNER: runner.binding } };
  edge = new Miniflare({ host: "127.0.0.1", port: 0, workers: [{ config }, runner.worker] });
  await edge.ready;
});

afterAll(async () => {
  await edge?.dispose();
  await runner?.stop();
});

for (const runtime of RUNTIMES) {
  describe(`createServiceBindingRunner() keeps the contract of runners with ${runtime}: it`, () => {
    const cases = runnerContract({ create: () => Promise.reject(new Error("it is run in workerd")), runtime });
    it.each(cases.map(({ name }, at) => ({ name, at })))("$name", async ({ at }) => {
      const response = await edge.dispatchFetch("http://edge/", {
        method: "POST",
        body: JSON.stringify({ at, runtime, ...(runtime === "javascript" ? { compiled } : {}) }),
      });
      expect(await response.json()).toBeNull();
    });
  });
}

/** In Node it keeps the contract for each language (test/contract/function-runner.test.ts); here it is a Worker that sends. */
describe("createHttpFunctionRunner() in a Worker keeps the contract of runners with the function server: it", () => {
  const secret = "of-this-test-only";
  let server: FunctionServer;
  beforeAll(async () => {
    server = await startFunctionServer({ secret });
  });
  afterAll(() => server.stop());

  const cases = runnerContract({ create: () => Promise.reject(new Error("it is run in workerd")), runtime: "bash" });
  it.each(cases.map(({ name }, at) => ({ name, at })))("$name", async ({ at }) => {
    const to = { url: server.url.href, secret };
    const body = JSON.stringify({ at, to, runtime: "bash" });
    const response = await edge.dispatchFetch("http://edge/", { method: "POST", body });
    expect(await response.json()).toBeNull();
  });
});
