import { execFile } from "node:child_process";
import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge, startTokenProxy } from "../helpers/local-edge.ts";

const SUITE = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

/** Scenarios and the revisions they are run for; README.md says why no others. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
    "tools-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "http-header-validation",
    "input-required-result-unsupported-methods",
  ],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list"],
  "2025-06-18": ["server-initialize", "ping", "tools-list", "resources-list"],
};

const manifest = (name: string): string => `---\nname: ${name}\ndescription: Skill ${name}.\n---\nBody.\n`;

let edge: LocalEdge;
let proxy: { url: string; server: Server };

beforeAll(async () => {
  edge = await startLocalEdge();
  const scripts = ["scripts/run.py"];
  const files = ["references/a.md", ...scripts].map((path) => ({ path, content: "print(1)\n" }));
  const layer = await layerOf("platform", [
    { name: "guides", manifest: manifest("guides"), files, scripts },
    { name: "own", manifest: manifest("own") },
    {
      name: "Odd Notes",
      manifest: "---\nname: Odd Notes\ndescription: Notes.\nmetadata:\n  version: 1.0\n---\nBody.\n",
      portable: '---\nname: odd-notes\ndescription: Notes.\nmetadata:\n  version: "1.0"\n---\nBody.\n',
    },
  ]);
  await edge.deploy([layer]);
  proxy = await startTokenProxy(edge.url, await edge.token("platform", ["read", "run"]));
}, 60_000);

afterAll(async () => {
  proxy.server.close();
  await edge.stop();
});

describe.each(Object.entries(SCENARIOS))("the official suite, revision %s", (version, scenarios) => {
  it.each(scenarios)("%s", { timeout: 60_000 }, async (scenario) => {
    const flags = ["--url", `${proxy.url}/mcp`, "--scenario", scenario, "--spec-version", version, "--force"];
    const { stdout } = await promisify(execFile)(process.execPath, [SUITE, "server", ...flags]);
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
  });
});
