import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { runnerContract } from "../../src/testing.ts";
import { REPOSITORY } from "../repo/support/source-files.ts";

/** JavaScript is compiled by the packer before it is run; the suite has it as it is written. */
const RUNTIMES = ["python", "bash"] as const;

/** An edge that runs one case of the suite over its service binding and answers what went wrong. */
const EDGE = `
  import { createServiceBindingRunner } from "./src/runners/service-binding-runner.ts";
  import { runnerContract } from "./src/testing.ts";
  export default {
    async fetch(request, env) {
      const { runtime, at } = await request.json();
      const cases = runnerContract({ create: () => createServiceBindingRunner(env.RUNNER), runtime });
      try {
        await cases[at].run();
        return Response.json(null);
      } catch (error) {
        return Response.json(String(error));
      }
    },
  };
`;

let runner: RunnerProcess;
let edge: Miniflare;

beforeAll(async () => {
  await buildSandbox();
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
  edge = new Miniflare({ host: "127.0.0.1", port: 0, workers: [{ config }] });
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
        body: JSON.stringify({ runtime, at }),
      });
      expect(await response.json()).toBeNull();
    });
  });
}
