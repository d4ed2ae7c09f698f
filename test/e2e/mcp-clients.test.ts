import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge } from "../helpers/local-edge.ts";

/** Over 100 MB with all it brings, so it is no dependency of this project; the registry has this version for good. */
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

const TEXT = "---\nname: sums\ndescription: Adds numbers.\n---\nAdd with scripts/sum.py.\n";
const NAMES = ["load_skill", "read_skill_resource", "run_skill_script"];

const call = promisify(execFile);

let runner: RunnerProcess;
let edge: LocalEdge;
let token = "";
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-inspector-"));
  runner = await startRunnerProcess();
  edge = await startLocalEdge({}, runner);
  const files = [
    { path: "notes/a.md", content: "# A\n" },
    { path: "scripts/sum.py", content: "import sys\nprint(sum(map(int, sys.argv[1:])))\n" },
  ];
  await edge.deploy([
    await layerOf("platform", [
      { name: "sums", body: "Add with scripts/sum.py.\n", manifest: TEXT, files, scripts: ["scripts/sum.py"] },
    ]),
    await layerOf("acme", [{ name: "theirs" }]),
  ]);
  token = await edge.token("platform", ["read", "run"]);
}, 120_000);

afterAll(async () => {
  await edge.stop();
  await runner.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the inspector's command line", () => {
  beforeAll(async () => {
    const flags = ["--prefix", folder, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
    await call("npm", ["install", ...flags, INSPECTOR], { cwd: folder });
  }, 300_000);

  async function inspect<T>(method: string, ...words: string[]): Promise<T> {
    const bin = join(folder, "node_modules", ".bin", "mcp-inspector");
    const server = [`${edge.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
    const env = { ...process.env, HOME: folder };
    const { stdout } = await call(process.execPath, [bin, "--cli", ...server, "--method", method, ...words], { env });
    return JSON.parse(stdout) as T;
  }

  it("lists tools, resources and skills, what is of other tenants left out", async () => {
    const { tools } = await inspect<{ tools: { name: string }[] }>("tools/list");
    const { resources } = await inspect<{ resources: { uri: string }[] }>("resources/list");
    const { skills } = await inspect<{ skills: { uri: string }[] }>("skills/list");
    expect([tools.map(({ name }) => name), resources.map(({ uri }) => uri), skills.map(({ uri }) => uri)]).toEqual([
      NAMES,
      ["skill://index.json", "skill://sums/SKILL.md"],
      ["skill://sums/SKILL.md"],
    ]);
  });

  it("reads a skill, and finds every digest and the whole extension as they must be", async () => {
    expect(await inspect("resources/read", "--uri", "skill://sums/SKILL.md")).toMatchObject({
      contents: [{ uri: "skill://sums/SKILL.md", text: TEXT }],
    });
    const verified = await inspect<{ files: { status: string }[] }>("skills/list", "--verify");
    expect(verified).toMatchObject({ name: "sums", conformance: [], ok: true, outcome: "verified" });
    expect(verified.files.map(({ status }) => status)).toEqual(["verified", "verified", "verified"]);
  });

  it("runs a script", async () => {
    const words = ["skill_name=sums", "script_name=scripts/sum.py", 'arguments=["2","3"]'];
    expect(await inspect("tools/call", "--tool-name", "run_skill_script", "--tool-arg", ...words)).toMatchObject({
      isError: false,
      structuredContent: { run: { exit_code: 0, stdout: "5\n" } },
    });
  });
});

/** Written apart from the official packages: its own transport, its own reading of the protocol. */
describe("the client of @ai-sdk/mcp", () => {
  it("lists, reads and runs", async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const client = await createMCPClient({ transport: { type: "http", url: `${edge.url}/mcp`, headers } });
    try {
      expect(client.instructions).toContain("<name>sums</name>");
      const { tools } = await client.listTools();
      const { resources } = await client.listResources();
      expect([tools.map(({ name }) => name), resources.map(({ uri }) => uri)]).toEqual([
        NAMES,
        ["skill://index.json", "skill://sums/SKILL.md"],
      ]);
      expect(await client.readResource({ uri: "skill://sums/notes/a.md" })).toMatchObject({
        contents: [{ text: "# A\n" }],
      });
      const loaded = await client.callTool({ name: "load_skill", arguments: { skill_name: "sums" } });
      expect(loaded).toMatchObject({ content: [{ text: expect.stringContaining("Add with scripts/sum.py.") }] });
      const args = { skill_name: "sums", script_name: "scripts/sum.py", arguments: '["2","3"]' };
      expect(await client.callTool({ name: "run_skill_script", arguments: args })).toMatchObject({
        structuredContent: { run: { exit_code: 0, stdout: "5\n" } },
      });
      expect(await client.callTool({ name: "load_skill", arguments: { skill_name: "theirs" } })).toMatchObject({
        isError: true,
      });
    } finally {
      await client.close();
    }
  });

  it("is refused without a token", async () => {
    await expect(createMCPClient({ transport: { type: "http", url: `${edge.url}/mcp` } })).rejects.toThrow("401");
  });
});
