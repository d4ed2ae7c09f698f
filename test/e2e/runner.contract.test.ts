import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { compileJavaScript } from "../../src/pack/compile-javascript.ts";
import { CONTRACT_SCRIPTS, contractScript, runnerContract } from "../../src/testing.ts";
import { REPOSITORY } from "../repo/support/source-files.ts";

const RUNTIMES = ["python", "bash", "javascript"] as const;

/** An edge that runs one case of the suite over its service binding and answers what went wrong. */
const EDGE = `
  import { createServiceBindingRunner } from "./src/runners/service-binding-runner.ts";
  import { runnerContract } from "./src/testing.ts";
  export default {
    async fetch(request, env) {
      const { at, ...language } = await request.json();
      const cases = runnerContract({ create: () => createServiceBindingRunner(env.RUNNER), ...language });
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
