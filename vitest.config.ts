import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** `node`: plain Node. `worker`: inside workerd with real local KV, R2 and Durable Objects. `e2e`: built Workers over HTTP. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/{unit,contract,repo,conformance,security}/**/*.test.ts"],
          exclude: ["test/**/*.worker.test.ts"],
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: { name: "worker", include: ["test/worker/*.test.ts", "test/contract/*.worker.test.ts"] },
      },
      {
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 120_000, hookTimeout: 120_000, fileParallelism: false },
      },
    ],
  },
});
