import { describe, expect, it } from "vitest";
import { MAX_RUNTIME_SKILLS } from "../../src/model/runtime-state.ts";
import type { Tenancy } from "../../src/tenancy/open-tenancy.ts";
import { CountingStore } from "../helpers/counting-store.ts";
import { codeOf } from "../helpers/error-code.ts";
import { tenancyOver } from "./support/edge.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let edges = 0;

async function scene(settings = {}) {
  const edge = new PrivateEdge(`runtime-${edges++}`, { approval: { run_skill_script: "never" }, ...settings });
  await edge.deploy("platform", [{ name: "soil", description: "Platform's." }]);
  const { token } = await edge.token("acme", ["read", "run", "write"]);
  return { edge, token };
}

function put(name: string, files: Readonly<Record<string, string>> = {}, description = "Put."): RequestInit {
  const all = { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}.\n`, ...files };
  return {
    method: "PUT",
    body: JSON.stringify({ files: Object.entries(all).map(([path, content]) => ({ path, content })) }),
  };
}

function load(skill_name: string): RequestInit & { method: string } {
  return { method: "POST", body: JSON.stringify({ skill_name }) };
}

describe("PUT /v1/runtime/skills/{name}", () => {
  it("serves the skill at once, over a deployed one of its name, until it is deleted", async () => {
    const { edge, token } = await scene();
    const before = (await edge.ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
    const response = await edge.ask(token, "/v1/runtime/skills/soil", put("soil", { "a.md": "A\n" }));
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        name: "soil",
        description: "Put.",
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        layer: "runtime",
        scripts: [],
        diagnostics: [],
      },
    ]);
    const list = async (headers = {}) => (await edge.ask(token, "/v1/skills", { headers })).json();
    expect(await list()).toMatchObject({ skills: [{ name: "soil", layer: "runtime", resources: 1 }] });
    expect(await (await edge.ask(token, "/v1/skills/soil/files/a.md")).text()).toBe("A\n");
    expect(await list({ "X-Skills-Bundle": before })).toMatchObject({
      bundle: before,
      skills: [{ layer: "platform" }],
    });

    const during = (await edge.ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
    const remove = () => edge.ask(token, "/v1/runtime/skills/soil", { method: "DELETE" });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect(await list()).toMatchObject({ skills: [{ name: "soil", layer: "platform" }] });
    expect(await list({ "X-Skills-Bundle": during })).toMatchObject({ bundle: during, skills: [{ layer: "runtime" }] });
  });

  it("runs Python and shell; JavaScript is listed as not runnable", async () => {
    const { edge, token } = await scene();
    const scripts = {
      "scripts/convert.py": "print(1)\n",
      "scripts/b.sh": "echo 1\n",
      "scripts/c.js": "console.log(1)\n",
    };
    const response = await edge.ask(token, "/v1/runtime/skills/mixed", put("mixed", scripts));
    const reason = "it is JavaScript put at run time, which the pack step has not compiled; deploy it to run it";
    expect(await response.json()).toMatchObject({
      scripts: [
        { name: "scripts/b.sh", runtime: "bash", runnable: true, reason: null },
        { name: "scripts/c.js", runtime: "javascript", runnable: false, reason },
        { name: "scripts/convert.py", runtime: "python", runnable: true, reason: null },
      ],
      diagnostics: [{ code: "script-not-runnable", file: "scripts/c.js" }],
    });
    const run = async (script_name: string) => {
      const body = JSON.stringify({ skill_name: "mixed", script_name });
      return (await edge.ask(token, "/v1/tools/run_skill_script", { method: "POST", body })).json();
    };
    expect(await run("scripts/c.js")).toMatchObject({ is_error: true, error: { code: "script-not-runnable" } });
    expect(await run("scripts/convert.py")).toMatchObject({ is_error: false, run: { exit_code: 0 } });
  });

  it("refuses a broken skill with every diagnostic, and changes nothing", async () => {
    const { edge, token } = await scene();
    const body = JSON.stringify({ files: [{ path: "SKILL.md", content: "---\nname: bad\n---\n" }] });
    const response = await edge.ask(token, "/v1/runtime/skills/bad", { method: "PUT", body });
    expect([response.status, await response.json()]).toEqual([
      422,
      expect.objectContaining({
        code: "skills-invalid",
        diagnostics: [expect.objectContaining({ code: "description-missing", severity: "error" })],
      }),
    ]);
    expect(await (await edge.ask(token, "/v1/tools/load_skill", load("bad"))).json()).toMatchObject({ is_error: true });
  });

  it.each([
    ["another name", "other", put("soil")],
    ["no valid name", "No%20Name", put("No Name")],
    ["a path that leaves the skill", "soil", put("soil", { "../x": "x" })],
    ["a path with a backslash", "soil", put("soil", { "a\\b": "x" })],
    ["a path with a drive", "soil", put("soil", { "C:/x": "x" })],
    ["a path that is no text", "soil", put("soil", { "half\ud800": "x" })],
    [
      "a path twice",
      "soil",
      { method: "PUT", body: '{"files":[{"path":"a","content":""},{"path":"a","content":""}]}' },
    ],
    [
      "content that is not base64",
      "soil",
      { method: "PUT", body: '{"files":[{"path":"a","encoding":"base64","content":"*"}]}' },
    ],
    ["no files", "soil", { method: "PUT", body: "{}" }],
  ])("refuses %s", async (_, name, request) => {
    const { edge, token } = await scene();
    const { status, body } = await problemOf(await edge.ask(token, `/v1/runtime/skills/${name}`, request));
    expect([status, body]).toEqual([400, expect.objectContaining({ code: "request-invalid" })]);
  });

  it("leaves out what systems and tools leave behind, as packing does", async () => {
    const { edge, token } = await scene();
    const junk = { ".git/config": "x", "a/.DS_Store": "x", "node_modules/x/i.js": "x", "b.pyc": "x", "c.md": "kept" };
    const [plain, more] = [
      await (await edge.ask(token, "/v1/runtime/skills/tidy", put("tidy", { "c.md": "kept" }))).json(),
      await (await edge.ask(token, "/v1/runtime/skills/tidy", put("tidy", junk))).json(),
    ];
    expect(more).toEqual(plain);
  });

  it("holds a skill to its size", async () => {
    const { edge, token } = await scene();
    const large = put("large", { "a.txt": "x".repeat(5 * 1024 * 1024 + 1) });
    const response = await edge.ask(token, "/v1/runtime/skills/large", large);
    const { diagnostics } = (await response.json()) as { diagnostics: { code: string; severity: string }[] };
    expect([response.status, diagnostics.map(({ code, severity }) => `${code} ${severity}`)]).toEqual([
      422,
      ["skill-too-large error", "file-too-large error"],
    ]);
  });

  it("needs the scope write", async () => {
    const { edge } = await scene();
    const { token } = await edge.token("acme", ["read", "run", "approve", "deploy"]);
    const refused = problem(
      403,
      "scope-missing",
      "Token lacks a scope",
      'Cannot do this: the token lacks the scope "write"',
    );
    expect(await problemOf(await edge.ask(token, "/v1/runtime/skills/soil", put("soil")))).toEqual(refused);
    expect(await problemOf(await edge.ask(token, "/v1/runtime/skills/soil", { method: "DELETE" }))).toEqual(refused);
  });

  it("takes no protected name, nor one that looks like it", async () => {
    const { edge, token } = await scene({ protected: ["customer-*"] });
    for (const name of ["customer-risk", "custorner-risk", "\u0441ustomer-risk"]) {
      const { status, body } = await problemOf(
        await edge.ask(token, `/v1/runtime/skills/${encodeURIComponent(name)}`, put(name)),
      );
      expect([status, body]).toEqual([403, expect.objectContaining({ code: "name-protected" })]);
    }
  });
});

describe("a cold isolate", () => {
  it.each([
    ["a deployed skill", "own", ["channel", "channel", "index", "index", "blob"]],
    ["a skill put at run time", "soil", ["channel", "channel", "index", "index", "runtime"]],
  ])(
    "answers load_skill of %s after at most three reads a layer and one question to the tenant",
    async (_, name, kinds) => {
      const { edge, token } = await scene();
      await edge.deploy("acme", [{ name: "own" }]);
      await edge.ask(token, "/v1/runtime/skills/soil", put("soil"));
      // Other settings: the isolate makes everything anew.
      const cold = new PrivateEdge(`runtime-${edges - 1}`, { limits: {} });
      const answer = await (await cold.ask(token, "/v1/tools/load_skill", load(name))).json();
      expect(answer).toMatchObject({ is_error: false, skill: { name } });
      expect(cold.reads.map((key) => key.split("/")[0]).sort()).toEqual([...kinds].sort());
      expect(cold.asked).toBe(1);
    },
  );
});

describe("skills put at run time", () => {
  const FILES = new Map([["SKILL.md", new TextEncoder().encode("---\nname: x\ndescription: X.\n---\nX\n")]]);
  const clock = { now: 0 };
  const isolate = (): Tenancy => tenancyOver(new CountingStore(new Map()), { clock: () => clock.now });
  const namesFor = async ({ snapshots }: Tenancy, tenant: string) => {
    const { skills } = await snapshots.resolve({ token: "t", tenant, scopes: ["read"], channel: "live" }, null);
    return skills.map((skill) => skill.name);
  };

  it("are seen within 10 s by another isolate, at once by their own, never by another tenant", async () => {
    const [here, there] = [isolate(), isolate()];
    expect([await namesFor(here, "putter"), await namesFor(there, "putter")]).toEqual([[], []]);
    await here.runtime.put("putter", "x", FILES);
    expect([await namesFor(here, "putter"), await namesFor(there, "putter")]).toEqual([["x"], []]);
    clock.now += 10_000;
    expect([await namesFor(there, "putter"), await namesFor(there, "somebody-else")]).toEqual([["x"], []]);
  });

  it("are at most so many for a tenant, however they are put", async () => {
    const { runtime } = isolate();
    const name = (i: number) => `skill-${i}`;
    const text = (i: number) => new TextEncoder().encode(`---\nname: ${name(i)}\ndescription: X.\n---\n`);
    const puts = Array.from({ length: MAX_RUNTIME_SKILLS + 5 }, (_, i) =>
      codeOf(() => runtime.put("crowded", name(i), new Map([["SKILL.md", text(i)]]))).catch(() => "put"),
    );
    const outcomes = await Promise.all(puts);
    expect(outcomes.filter((outcome) => outcome === "runtime-full")).toHaveLength(5);
    expect(await namesFor(isolate(), "crowded")).toHaveLength(MAX_RUNTIME_SKILLS);
  });
});
