import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/model/digest.ts";
import type { ScriptJob, ScriptRunner } from "../../src/model/runner.ts";
import type { AgentSkillsSource } from "../../src/model/skill.ts";
import { AgentFileSkillsSource } from "../../src/node/file-source.ts";
import { createRoutingRunner } from "../../src/runners/routing-runner.ts";
import { AggregatingAgentSkillsSource } from "../../src/sources/aggregating-source.ts";
import { CachingAgentSkillsSource } from "../../src/sources/caching-source.ts";
import { DeduplicatingAgentSkillsSource } from "../../src/sources/deduplicating-source.ts";
import { FilteringAgentSkillsSource } from "../../src/sources/filtering-source.ts";
import { AgentInMemorySkillsSource } from "../../src/sources/in-memory-source.ts";
import { AgentMcpSkillsSource } from "../../src/sources/mcp-source.ts";
import { createMemoryStore } from "../../src/sources/memory-store.ts";
import { createPackedSource } from "../../src/sources/packed-source.ts";
import { RemoteAgentSkillsSource } from "../../src/sources/remote-source.ts";
import { WellKnownAgentSkillsSource } from "../../src/sources/well-known-source.ts";
import { runnerContract, sourceContract } from "../../src/testing.ts";
import { edgeSite } from "../helpers/edge-site.ts";
import { serveSite } from "../helpers/http-site.ts";
import { liveEntries } from "../helpers/pack-skills.ts";
import { plainSkill } from "../helpers/plain-skills.ts";

const BUNDLED = new URL("../../skills-bundle/platform", import.meta.url).pathname;

const SPECS = [
  {
    name: "rules",
    files: [
      { path: "a.md", content: "a" },
      { path: "b.bin", content: Uint8Array.of(0, 255) },
      { path: "scripts/x.py", content: "" },
    ],
    scripts: ["scripts/x.py"],
  },
  { name: "tides" },
];

const packed = async () => createPackedSource(createMemoryStore(await liveEntries(SPECS)));
const inline = () =>
  new AgentInMemorySkillsSource([
    plainSkill("code")
      .addResource("a", "text")
      .addScript("go", () => 1),
    plainSkill("code-2"),
  ]);

const MANIFEST = "---\nname: rules\ndescription: The rules.\n---\nFollow them.\n";

async function mcp(): Promise<AgentMcpSkillsSource> {
  const server = new McpServer({ name: "docs", version: "1.0.0" }, { capabilities: { resources: {} } });
  const files = { "rules/SKILL.md": MANIFEST, "rules/z.md": "z", "rules/a/logo.png": Uint8Array.of(0, 255) };
  (await SkillsExtension.load(memorySkillFiles(files))).attach(server);
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return new AgentMcpSkillsSource(client);
}

async function wellKnown(): Promise<WellKnownAgentSkillsSource> {
  const entry = {
    name: "rules",
    type: "skill-md",
    description: "The rules.",
    url: "/rules.md",
    digest: await digestOf(MANIFEST),
  };
  const index = { $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json", skills: [entry] };
  const site = (request: Request) => (request.url.endsWith(".md") ? new Response(MANIFEST) : Response.json(index));
  return new WellKnownAgentSkillsSource(await serveSite(site));
}

const SOURCES: Readonly<Record<string, () => AgentSkillsSource | Promise<AgentSkillsSource>>> = {
  "createPackedSource()": packed,
  AgentInMemorySkillsSource: inline,
  "AgentFileSkillsSource over skills-bundle": () => new AgentFileSkillsSource(BUNDLED),
  RemoteAgentSkillsSource: async () =>
    new RemoteAgentSkillsSource(await serveSite(edgeSite(await packed())), { token: "es_acme_secret" }),
  AgentMcpSkillsSource: mcp,
  WellKnownAgentSkillsSource: wellKnown,
  AggregatingAgentSkillsSource: async () => new AggregatingAgentSkillsSource([await packed(), inline()]),
  CachingAgentSkillsSource: async () => new CachingAgentSkillsSource(await packed()),
  "CachingAgentSkillsSource, shared": async () =>
    new CachingAgentSkillsSource(await packed(), { singleFlight: "shared" }),
  FilteringAgentSkillsSource: async () =>
    new FilteringAgentSkillsSource(await packed(), ({ name }) => name === "rules"),
  DeduplicatingAgentSkillsSource: async () =>
    new DeduplicatingAgentSkillsSource(new AggregatingAgentSkillsSource([await packed(), await packed()])),
};

for (const [name, create] of Object.entries(SOURCES)) {
  describe(`${name} keeps the contract of sources: it`, () => {
    for (const { name: promised, run } of sourceContract({ create })) {
      it(promised, run);
    }
  });
}

describe("sourceContract()", () => {
  it("names the promise that a source does not keep", async () => {
    const create = () => ({
      getSkills: async () =>
        [{ ...plainSkill("a"), name: "a", description: " ", aliases: [], metadata: {}, hidden: false }] as never,
    });
    const [again, facts] = sourceContract({ create });
    await expect(again?.run()).rejects.toThrow("a second call answers another array");
    await expect(facts?.run()).rejects.toThrow('skill "a" has no description');
  });
});

/** Runs JavaScript with this Node on a directory of its own: for the suite only; the product never runs a script beside itself. */
class LocalNodeRunner implements ScriptRunner {
  async run(job: ScriptJob) {
    const directory = mkdtempSync(join(tmpdir(), "edge-skills-run-"));
    const before = new Map<string, string>();
    const put = (path: string, bytes: Uint8Array) => {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), bytes);
      before.set(path, Buffer.from(bytes).toString("utf8"));
    };
    const own = await job.readFiles(job.skill.files.map(({ digest }) => digest));
    job.skill.files.forEach(({ path }, i) => void put(path, own[i] ?? new Uint8Array()));
    job.files.forEach(({ path, bytes }) => void put(path, bytes));
    const begun = Date.now();
    const { timeout_ms, output_bytes } = job.limits;
    const out = await new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
      const child = execFile(
        process.execPath,
        [job.script.path, ...job.argv],
        { cwd: directory, timeout: timeout_ms, maxBuffer: 1e8 },
        (_, stdout, stderr) => done({ code: child.exitCode, stdout, stderr }),
      );
      child.stdin?.end(job.stdin);
    });
    const files = readdirSync(directory, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .map((path) => ({ path, content: readFileSync(join(directory, path), "utf8") }))
      .filter(({ path, content }) => before.get(path) !== content)
      .map(({ path, content }) => ({
        path,
        size: content.length,
        media_type: "text/plain",
        encoding: "utf-8" as const,
        content,
      }));
    rmSync(directory, { recursive: true, force: true });
    return {
      exit_code: out.code,
      stdout: out.stdout.slice(0, output_bytes),
      stderr: out.stderr,
      timed_out: out.code === null,
      truncated: out.stdout.length > output_bytes,
      limit: out.code === null ? ("wall" as const) : null,
      duration_ms: Date.now() - begun,
      files,
    };
  }
}

describe("a runner behind createRoutingRunner() keeps the contract of runners: it", () => {
  const create = () => createRoutingRunner({ runtimes: { javascript: new LocalNodeRunner() } });
  for (const { name, run } of runnerContract({ create, runtime: "javascript" })) {
    it(name, run);
  }
});

describe("createRoutingRunner()", () => {
  it("asks a skill's own runner before its language's, and refuses what none serves", async () => {
    const asked: string[] = [];
    const note = (name: string): ScriptRunner => ({
      run: async () => {
        asked.push(name);
        throw new Error("noted");
      },
    });
    const runner = createRoutingRunner({
      skills: { own: note("own"), off: null },
      runtimes: { python: note("python") },
      otherwise: note("other"),
    });
    const job = (name: string, runtime: string) =>
      ({ skill: { name }, script: { path: "x", runtime } }) as unknown as ScriptJob;
    const calls = [
      job("own", "python"),
      job("any", "python"),
      job("any", "bash"),
      job("off", "python"),
      job("own", "bash"),
    ];
    const outcomes = await Promise.allSettled(calls.map((call) => runner.run(call)));
    expect(asked).toEqual(["own", "python", "other", "own"]);
    expect(outcomes[3]).toMatchObject({ reason: { code: "script-not-runnable" } });
  });
});
