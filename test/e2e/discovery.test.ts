import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AgentSkillsProvider, ANY_CALLER, NO_CONTEXT, type ToolName } from "../../src/index.ts";
import { WellKnownAgentSkillsSource } from "../../src/remote.ts";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge } from "../helpers/local-edge.ts";

const INSTALLER = fileURLToPath(new URL("../../node_modules/skills/bin/cli.mjs", import.meta.url));

const manifest = (name: string): string => `---\nname: ${name}\ndescription: Skill ${name}.\n---\nBody of ${name}.\n`;

let edge: LocalEdge;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  edge = await startLocalEdge({ public: ["platform"] });
  const files = ["references/a.md", "scripts/run.py"].map((path) => ({ path, content: `${path}\n` }));
  await edge.deploy([
    await layerOf("platform", [
      { name: "guides", manifest: manifest("guides"), files },
      { name: "own", manifest: manifest("own") },
    ]),
    await layerOf("acme", [{ name: "theirs", manifest: manifest("theirs") }]),
  ]);
});

afterAll(async () => {
  await edge.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function skills(...words: string[]): Promise<string> {
  const env = { ...process.env, HOME: folder, DISABLE_TELEMETRY: "1", DO_NOT_TRACK: "1", NO_COLOR: "1" };
  return (await promisify(execFile)(process.execPath, [INSTALLER, ...words], { cwd: folder, env })).stdout;
}

it("the public installer lists what is public, and nothing else", async () => {
  const listed = await skills("add", edge.url, "--list");
  expect([listed.includes("guides"), listed.includes("own"), listed.includes("theirs")]).toEqual([true, true, false]);
});

it("the library's source of well-known sites offers the same, and reads what is in the archives", async () => {
  const source = new WellKnownAgentSkillsSource(edge.url);
  expect((await source.getSkills(NO_CONTEXT)).map(({ name }) => name)).toEqual(["guides", "own"]);
  const provider = new AgentSkillsProvider(source);
  const call = async (name: ToolName, args: object) => (await provider.callTool(name, args, ANY_CALLER)).content;
  expect(await call("load_skill", { skill_name: "guides" })).toContain("Body of guides.");
  expect(await call("read_skill_resource", { skill_name: "guides", resource_name: "scripts/run.py" })).toBe(
    "scripts/run.py\n",
  );
});

it("the public installer installs archives and single files, every digest as the index said", async () => {
  await skills("add", edge.url, "--skill", "*", "--agent", "universal", "--yes", "--copy");
  const index = (await (await fetch(`${edge.url}/.well-known/agent-skills/index.json`)).json()) as {
    skills: { name: string; digest: string }[];
  };
  const lock = JSON.parse(readFileSync(join(folder, "skills-lock.json"), "utf8")) as {
    skills: Record<string, { wellKnownDigest: string }>;
  };
  const digests = Object.entries(lock.skills).map(([name, { wellKnownDigest }]) => [name, wellKnownDigest]);
  expect(digests).toEqual(index.skills.map(({ name, digest }) => [name, digest]));

  const installed = join(folder, ".agents", "skills");
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1)).sort();
  expect(paths).toEqual(["guides/SKILL.md", "guides/references/a.md", "guides/scripts/run.py", "own/SKILL.md"]);
  expect(readFileSync(join(installed, "guides/scripts/run.py"), "utf8")).toBe("scripts/run.py\n");
});
