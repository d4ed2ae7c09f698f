/** A recall under load, at every door of two isolates that have everything in their caches. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { deploy } from "../../src/deploy/deploy.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { block } from "../../src/deploy/recall.ts";
import { startRunnerProcess } from "../../src/deploy/runner-process.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { hashToken, newToken, type Scope } from "../../src/model/token.ts";
import { layerOf } from "../helpers/deployable.ts";

/** What stands in everything that is recalled, and in nothing else. */
const MARK = "MARK-RECALLED";
const CONNECTIONS = 64;
/** How long doors are asked after the last one stopped giving, so that an isolate reads its pointer again. */
const AFTER_MS = 6_000;

const now = () => new Date();
const CONFIG = JSON.stringify({
  audit: false,
  public: ["platform"],
  approval: { run_skill_script: "never" },
  tenants: Object.fromEntries([0, 1].map((i) => [`careful-${i}`, { approval: { run_skill_script: "ask" } }])),
});

const MANIFEST = `---\nname: dose\ndescription: ${MARK}\n---\n${MARK}\n`;

/** What a door answered: what was recalled, a refusal, or that there was no place for a run. */
type Outcome = "given" | "refused" | "busy";

interface Door {
  readonly name: string;
  readonly ask: () => Promise<Outcome>;
}

async function tokenFor(target: DeployTarget, tenant: string, scopes: readonly Scope[]): Promise<string> {
  const token = newToken(tenant);
  const record = { id: crypto.randomUUID(), hash: await hashToken(token), scopes, channel: "live" };
  await (await target.tokensOf(tenant)).addToken({ ...record, created_at: now().toISOString() });
  return token;
}

/** Every door of an edge; what is not listed, read, run or packed is refused. */
async function doorsOf(url: URL, tokens: { acme: string; careful: string; decider: string }): Promise<Door[]> {
  const send = (path: string, token: string | null, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (token !== null) {
      headers.set("Authorization", `Bearer ${token}`);
    }
    return fetch(new URL(path, url), { ...init, headers });
  };
  const post = (path: string, body: unknown, token = tokens.acme, headers: Record<string, string> = {}) =>
    send(path, token, { method: "POST", body: JSON.stringify(body), headers });
  const bundle = (await send("/v1/skills", tokens.acme)).headers.get("X-Skills-Bundle") ?? "";
  const pinned = { "X-Skills-Bundle": bundle };
  const skill_name = "dose";
  const run = { skill_name, script_name: "scripts/tell.sh" };
  const { approval } = (await (await post("/v1/tools/run_skill_script", run, tokens.careful)).json()) as {
    approval: { id: string };
  };
  await post(`/v1/approvals/${approval.id}`, { decision: "approve", remember: "script" }, tokens.decider);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), {
      requestInit: { headers: { Authorization: `Bearer ${tokens.acme}` } },
    }),
  );
  const text = (name: string, ask: () => Promise<Response>): Door => ({
    name,
    ask: async () => outcomeOf(await (await ask()).text()),
  });
  const whole = (name: string, path: string, token: string | null): Door => ({
    name,
    ask: async () => {
      const response = await send(path, token);
      await response.arrayBuffer();
      return response.status === 200 ? "given" : "refused";
    },
  });
  return [
    text("context", () => send("/v1/context", tokens.acme)),
    text("list", () => send("/v1/skills", tokens.acme)),
    text("query", () => send(`/v1/skills?query=${MARK}`, tokens.acme)),
    text("skill", () => send("/v1/skills/dose", tokens.acme)),
    text("file", () => send("/v1/skills/dose/files/table.txt", tokens.acme)),
    text("pinned file", () => send("/v1/skills/dose/files/table.txt", tokens.acme, { headers: pinned })),
    text("load", () => post("/v1/tools/load_skill", { skill_name })),
    text("pinned load", () => post("/v1/tools/load_skill", { skill_name }, tokens.acme, pinned)),
    text("read", () => post("/v1/tools/read_skill_resource", { skill_name, resource_name: "table.txt" })),
    text("search", () => post("/v1/tools/search_skills", { query: MARK })),
    text("run", () => post("/v1/tools/run_skill_script", run)),
    text("run with a standing approval", () => post("/v1/tools/run_skill_script", run, tokens.careful)),
    text("pinned run", () => post("/v1/tools/run_skill_script", run, tokens.acme, pinned)),
    text("kept run", () => post("/v1/tools/run_skill_script", run, tokens.acme, { "Idempotency-Key": "kept" })),
    text("tool calls", () =>
      post("/v1/tool-calls?format=anthropic", [
        { type: "tool_use", id: "1", name: "load_skill", input: { skill_name } },
        { type: "tool_use", id: "2", name: "run_skill_script", input: { ...run, arguments: null } },
      ]),
    ),
    text("discovery", () => send("/.well-known/agent-skills/index.json", tokens.acme)),
    text("public discovery", () => send("/.well-known/agent-skills/index.json", null)),
    text("public file", () => send("/.well-known/skills/dose/table.txt", null)),
    text("llms.txt", () => send("/llms.txt", null)),
    whole("archive", "/v1/skills/dose/archive.tar.gz", tokens.acme),
    whole("public archive", "/.well-known/agent-skills/dose.zip", null),
    {
      name: "MCP tool",
      ask: async () =>
        outcomeOf(JSON.stringify(await client.callTool({ name: "load_skill", arguments: { skill_name } }))),
    },
    {
      name: "MCP resources",
      ask: async () => outcomeOf(JSON.stringify(await client.listResources())),
    },
  ];
}

function outcomeOf(answer: string): Outcome {
  return answer.includes(MARK) ? "given" : answer.includes("runner-busy") ? "busy" : "refused";
}

it("block() stops every door of every isolate under load, and none gives again what it refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "edge-skills-recall-"));
  const state = join(folder, "state");
  const runner = await startRunnerProcess();
  const options = { state, runner, config: CONFIG, mode: "production" } as const;
  const platforms = [await startLocalPlatform(options), await startLocalPlatform(options)];
  // As the command does it: from a workerd of its own, over the same state.
  const target = await createLocalTarget(await startLocalPlatform({ state }), state);
  try {
    const layer = await layerOf("platform", [
      {
        name: "dose",
        description: MARK,
        body: `${MARK}\n`,
        manifest: MANIFEST,
        files: [
          { path: "scripts/tell.sh", content: `echo ${MARK}\n` },
          { path: "table.txt", content: `${MARK} `.repeat(2_000) },
        ],
        scripts: [{ path: "scripts/tell.sh", runtime: "bash" }],
      },
      { name: "other", manifest: "---\nname: other\ndescription: Stays.\n---\nStays.\n" },
    ]);
    await deploy(target, [layer], { channel: "live", by: "test", now });
    const skill = JSON.parse(new TextDecoder().decode(layer.index)).skills[0];
    const doors: Door[] = [];
    for (const [i, { url }] of platforms.entries()) {
      // Tenants of its own for each edge: locally, two processes cannot write one Durable Object at the same time.
      const tokens = {
        acme: await tokenFor(target, `acme-${i}`, ["read", "run"]),
        careful: await tokenFor(target, `careful-${i}`, ["read", "run"]),
        decider: await tokenFor(target, `careful-${i}`, ["approve"]),
      };
      doors.push(...(await doorsOf(url, tokens)).map((door) => ({ ...door, name: `${door.name} of edge ${i}` })));
    }
    // Every door gives, and every cache is warm.
    for (const { name, ask } of doors) {
      let outcome = await ask();
      for (let tries = 0; outcome === "busy" && tries < 50; tries++) {
        await pause(100);
        outcome = await ask();
      }
      expect([name, outcome]).toEqual([name, "given"]);
    }

    const refusedAt = new Map<string, number>();
    const wrong: string[] = [];
    let isBlocked = false;
    let goOn = true;
    const connection = async (first: number): Promise<void> => {
      for (let i = first; goOn; i++) {
        const door = doors[i % doors.length] as Door;
        const begun = performance.now();
        const outcome = await door.ask();
        const refused = refusedAt.get(door.name);
        if (outcome === "given" && refused !== undefined && begun > refused) {
          wrong.push(door.name);
        }
        if (outcome === "refused" && !isBlocked) {
          wrong.push(`${door.name} before anything was blocked`);
        }
        if (outcome === "refused" && refused === undefined) {
          refusedAt.set(door.name, performance.now());
        }
      }
    };
    const connections = Array.from({ length: CONNECTIONS }, (_, i) => connection(i));
    const load = Promise.all(connections);
    await pause(500);
    isBlocked = true;
    await block(target, skill.digest, { reason: "wrong dose", by: "test", now });
    while (refusedAt.size < doors.length) {
      await Promise.race([pause(100), load]);
    }
    await pause(AFTER_MS);
    goOn = false;
    await load;
    expect(wrong).toEqual([]);
  } finally {
    await Promise.all(platforms.map((platform) => platform.stop()));
    await target.close();
    await runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
