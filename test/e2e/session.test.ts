import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runCli, startEdge } from "../../scripts/local-edge.ts";
import { describeSession, SKILLS } from "./session.suite.ts";

describeSession("`edge-skills dev`", async () => {
  const folder = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  const state = join(folder, "state");
  const edge = await startEdge([SKILLS, "--state", state, "--port", "0"]);
  const operate = async (...words: string[]): Promise<void> => {
    const { status, stderr } = await runCli([...words, "--state", state]);
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
  };
  return {
    url: edge.url,
    token: edge.token,
    tenants: edge.tenant_tokens,
    deploy: (directory) => operate("deploy", directory),
    rollback: () => operate("rollback"),
    async stop() {
      expect(await edge.stop()).toBe(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
