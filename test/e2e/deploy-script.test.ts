import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** `npm run deploy` without npm, and without what an environment may say of an account. */
function deploy(...words: string[]) {
  const { CLOUDFLARE_API_TOKEN: _, CLOUDFLARE_ACCOUNT_ID: __, ...env } = process.env;
  return spawnSync(process.execPath, ["scripts/deploy.ts", ...words], { cwd: ROOT, env, encoding: "utf8" });
}

describe("npm run deploy", () => {
  it("deploys nothing without an account, and says what to type", () => {
    const { status, stderr } = deploy();
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Nothing was deployed\. First:\n/)]);
    for (const words of [
      "export CLOUDFLARE_API_TOKEN=",
      "wrangler kv namespace create SKILLS_KV",
      "wrangler r2 bucket create edge-skills",
    ]) {
      expect(stderr).toContain(words);
    }
    expect(stderr).not.toContain("$ wrangler");
  });

  it("--dry-run builds both Workers, tells their sizes, and checks the skills", () => {
    const { status, stdout, stderr } = deploy("--dry-run");
    expect(status).toBe(0);
    expect(stdout.match(/Total Upload: [\d.]+ KiB \/ gzip: [\d.]+ KiB/g)).toHaveLength(2);
    for (const binding of ["env.LOADER", "env.SKILLS_KV", "env.SKILLS_R2", "env.RUNNER", "env.TENANTS"]) {
      expect(stdout).toContain(binding);
    }
    expect(stderr).toContain("Before a real deploy:");
  });
});
