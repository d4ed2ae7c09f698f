import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** What the binding RUNNER leads to: the real runner is tested by itself. */
const RUNNER_STAND_IN = {
  name: "edge-skills-runner",
  modules: true,
  scriptPath: "test/worker/support/runner-stand-in.js",
  compatibilityDate: "2026-11-01",
};

/** Build machines are shared and slow at times: only what hangs fails by time. */
const HANG_MS = 60_000;

/** `node`: plain Node. `worker`: inside workerd with real local KV, R2 and Durable Objects. `e2e`: built Workers over HTTP. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/{unit,contract,repo,conformance,security}/**/*.test.ts"],
          exclude: ["test/**/*.worker.test.ts"],
          testTimeout: HANG_MS,
          hookTimeout: HANG_MS,
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                EDGE_SKILLS_CONFIG: JSON.stringify({ approval: { run_skill_script: "never" }, audit: false }),
              },
              workers: [RUNNER_STAND_IN],
            },
          }),
        ],
        test: {
          name: "worker",
          include: ["test/worker/*.test.ts", "test/contract/*.worker.test.ts"],
          testTimeout: HANG_MS,
          hookTimeout: HANG_MS,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts", ...(process.env.LONG ? ["test/long/**/*.test.ts"] : [])],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
