import { describe, expect, it } from "vitest";
import { digestOf } from "../../../src/model/digest.ts";
import type { ApprovalOptions } from "../../../src/provider/approval-gate.ts";
import { allToolsRule, readOnlyRule } from "../../../src/provider/approval-policy.ts";
import { MemoryApprovalStore } from "../../../src/provider/memory-approval-store.ts";
import { AgentSkillsProvider, type ToolCaller } from "../../../src/provider/provider.ts";
import type { ToolName } from "../../../src/provider/tools.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { liveEntries, type SkillSpec } from "../../helpers/pack-skills.ts";
import { plainSkill } from "../../helpers/plain-skills.ts";
import { CALLER, NotingRunner } from "../../helpers/provider.ts";

const RULES: SkillSpec = {
  name: "rules",
  files: [
    { path: "scripts/a.py", content: "print(1)\n" },
    { path: "scripts/b.py", content: "print(2)\n" },
  ],
  scripts: ["scripts/a.py", "scripts/b.py"],
};

const COMPILED = await digestOf("compiled");

async function scene(options: Partial<ApprovalOptions> = {}, skill: SkillSpec = RULES) {
  const time = { now: 0 };
  const store = new MemoryApprovalStore({ clock: () => time.now, lifetimeMs: 1_000 });
  const runner = new NotingRunner();
  const provideFor = async (spec: SkillSpec) =>
    new AgentSkillsProvider(createPackedSource(createMemoryStore(await liveEntries([spec])), { runner }), {
      approval: { store, ...options },
    });
  const provider = await provideFor(skill);
  const run = (more: object = {}, caller: ToolCaller = CALLER, on = provider) =>
    on.callTool("run_skill_script", { skill_name: "rules", script_name: "scripts/a.py", ...more }, caller);
  return { time, store, runner, provider, run, provideFor };
}

type Scene = Awaited<ReturnType<typeof scene>>;

async function ask({ run }: Scene, more: object = {}): Promise<string> {
  const { approval } = await run(more);
  return approval?.id ?? "nobody was asked";
}

const decide = (
  { store }: Scene,
  id: string,
  decision: "approve" | "deny",
  remember: "once" | "call" | "script" = "once",
) => store.decide(id, "acme", { decision, remember });

describe("a script that needs approval", () => {
  it("does not run, and answers whom to ask", async () => {
    const s = await scene({ urlOf: (id) => `https://console.example/${id}` });
    const { approval, ...answer } = await s.run();
    expect(approval).toEqual({
      id: approval?.id,
      status: "pending",
      url: `https://console.example/${approval?.id}`,
      expires_at: "1970-01-01T00:00:01.000Z",
    });
    expect([answer.is_error, answer.skill?.name, answer.run, s.runner.jobs]).toEqual([false, "rules", undefined, []]);
  });

  it("asks once for one call, however often it is made", async () => {
    const s = await scene();
    const ids = [await ask(s), await ask(s)];
    expect([ids[0] === ids[1], (await s.store.listPending("acme")).length]).toEqual([true, 1]);
  });

  it("runs once when it was approved, with or without its approval_id; a repeat gets that run's answer", async () => {
    const s = await scene();
    const id = await ask(s);
    await decide(s, id, "approve");
    const first = await s.run({ approval_id: id });
    const repeat = await s.run({ approval_id: id });
    expect([first.run?.exit_code, repeat === first, s.runner.jobs.length]).toEqual([0, true, 1]);
    expect((await s.run()).approval?.status).toBe("pending");
  });

  it("is refused when a person refused it", async () => {
    const s = await scene();
    const id = await ask(s);
    await decide(s, id, "deny");
    const { error, is_error } = await s.run({ approval_id: id });
    expect([is_error, error?.code, s.runner.jobs]).toEqual([true, "approval-denied", []]);
  });

  it.each([
    { what: "other arguments", more: { arguments: ["other"] } },
    { what: "another script", more: { script_name: "scripts/b.py" } },
    { what: "other input", more: { stdin: "other" } },
    { what: "other files", more: { files: [{ path: "x", content: "other" }] } },
    { what: "other limits", more: { limits: { timeout_ms: 5 } } },
  ])("does not run with $what under the same approval", async ({ more }) => {
    const s = await scene();
    const id = await ask(s);
    await decide(s, id, "approve");
    const { error } = await s.run({ ...more, approval_id: id });
    expect([error?.code, s.runner.jobs]).toEqual(["approval-invalid", []]);
  });

  it("asks again when any file of the skill has changed", async () => {
    const s = await scene();
    await decide(s, await ask(s), "approve");
    const changed = await s.provideFor({ ...RULES, body: "Other steps.\n" });
    expect((await s.run({}, CALLER, changed)).approval?.status).toBe("pending");
  });

  it.each([
    ["its script is read as another language", [{ path: "scripts/a.py", runtime: "bash" as const }, "scripts/b.py"]],
    [
      "its parameters are mapped otherwise",
      [{ path: "scripts/a.py", parameters: { type: "object", title: "other" } }, "scripts/b.py"],
    ],
    ["a script it can start was compiled otherwise", ["scripts/a.py", { path: "scripts/b.py", compiled: COMPILED }]],
  ])("asks again when the skill's files are the same, but %s", async (_, scripts) => {
    const s = await scene();
    await decide(s, await ask(s), "approve", "script");
    expect((await s.run()).run?.exit_code).toBe(0);
    const packedOtherwise = await s.provideFor({ ...RULES, scripts });
    expect((await s.run({}, CALLER, packedOtherwise)).approval?.status).toBe("pending");
  });

  it("belongs to its tenant", async () => {
    const s = await scene();
    const id = await ask(s);
    await decide(s, id, "approve");
    const other = { ...CALLER, tenant: "globex" };
    expect((await s.run({ approval_id: id }, other)).error?.code).toBe("approval-invalid");
    expect((await s.run({}, other)).approval?.status).toBe("pending");
    expect(await codeOf(() => s.store.decide(id, "globex", { decision: "approve" }))).toBe("approval-invalid");
  });

  it("asks anew when its time was up, undecided or unused", async () => {
    const s = await scene();
    const [waiting, approved] = [await ask(s), await ask(s, { stdin: "x" })];
    await decide(s, approved, "approve");
    s.time.now = 1_000;
    expect(await codeOf(() => decide(s, waiting, "approve"))).toBe("approval-invalid");
    expect((await s.run({ stdin: "x", approval_id: approved })).error?.code).toBe("approval-invalid");
    expect((await s.run({ stdin: "x" })).approval?.status).toBe("pending");
  });

  it("keeps its approval when nothing ran after all", async () => {
    const s = await scene();
    const id = await ask(s, { arguments: "no JSON" });
    await decide(s, id, "approve");
    expect((await s.run({ arguments: "no JSON", approval_id: id })).error?.code).toBe("arguments-invalid");
    expect((await s.store.get(id, "acme"))?.status).toBe("approved");
  });

  it("is taken by one of two calls at once", async () => {
    const s = await scene();
    const id = await ask(s);
    await decide(s, id, "approve");
    await Promise.all([s.run({ approval_id: id }), s.run({ approval_id: id })]);
    expect(s.runner.jobs.length).toBe(1);
  });
});

describe("a standing approval", () => {
  it("of a call lets the same call pass, and no other", async () => {
    const s = await scene();
    await decide(s, await ask(s), "approve", "call");
    await s.run();
    await s.run();
    expect([s.runner.jobs.length, (await s.run({ stdin: "other" })).approval?.status]).toEqual([2, "pending"]);
  });

  it("of a script lets it pass with any arguments, as long as its skill stays as it is", async () => {
    const s = await scene();
    await decide(s, await ask(s), "approve", "script");
    await s.run({ arguments: ["1"] });
    await s.run({ stdin: "2" });
    const changed = await s.provideFor({ ...RULES, body: "Other steps.\n" });
    expect([s.runner.jobs.length, (await s.run({}, CALLER, changed)).approval?.status]).toEqual([2, "pending"]);
  });

  it("cannot be given to a skill in code, which has no digest that would tell when it changes", async () => {
    const store = new MemoryApprovalStore();
    const source = new AgentInMemorySkillsSource([plainSkill("a").addScript("go", () => 1)]);
    const provider = new AgentSkillsProvider(source, { approval: { store } });
    const { approval } = await provider.callTool("run_skill_script", { skill_name: "a", script_name: "go" }, CALLER);
    const id = approval?.id ?? "";
    expect(await codeOf(() => store.decide(id, "acme", { decision: "approve", remember: "script" }))).toBe(
      "approval-invalid",
    );
    await store.decide(id, "acme", { decision: "approve" });
    expect(
      (await provider.callTool("run_skill_script", { skill_name: "a", script_name: "go" }, CALLER)).run?.stdout,
    ).toBe("1");
  });
});

describe("an approval policy", () => {
  const ALL: readonly ToolName[] = ["load_skill", "read_skill_resource", "run_skill_script"];

  async function asked(options: Partial<ApprovalOptions>): Promise<ToolName[]> {
    const { provider } = await scene(options);
    const args = { skill_name: "rules", resource_name: "scripts/a.py", script_name: "scripts/a.py" };
    const answers = await Promise.all(ALL.map((tool) => provider.callTool(tool, args, CALLER)));
    return ALL.filter((_, i) => answers[i]?.approval !== undefined);
  }

  it.each<{ name: string; options: Partial<ApprovalOptions>; tools: readonly ToolName[] }>([
    { name: "asks for runs only, by default", options: {}, tools: ["run_skill_script"] },
    {
      name: "asks for whatever tool it says",
      options: { tools: { load_skill: "ask", read_skill_resource: "ask", run_skill_script: "ask" } },
      tools: ALL,
    },
    { name: "asks nobody where it says never", options: { tools: { run_skill_script: "never" } }, tools: [] },
    {
      name: "asks for one skill",
      options: { tools: { run_skill_script: "never" }, skills: { rules: "ask" } },
      tools: ["run_skill_script"],
    },
    {
      name: "asks for one skill's tools",
      options: { skills: { rules: { load_skill: "ask", run_skill_script: "never" } } },
      tools: ["load_skill"],
    },
    {
      name: "lets one script pass that its skill would ask for",
      options: { skills: { rules: "ask" }, scripts: { "rules/scripts/a.py": "never" } },
      tools: [],
    },
    {
      name: "lets what a rule finds fine pass",
      options: {
        tools: { load_skill: "auto", read_skill_resource: "auto", run_skill_script: "auto" },
        rules: [readOnlyRule],
      },
      tools: ["run_skill_script"],
    },
    {
      name: "lets everything pass by a rule for everything",
      options: { tools: { run_skill_script: "auto" }, rules: [allToolsRule] },
      tools: [],
    },
    {
      name: "asks where it is auto without rules",
      options: { tools: { run_skill_script: "auto" } },
      tools: ["run_skill_script"],
    },
  ])("$name", async ({ options, tools }) => {
    expect(await asked(options)).toEqual(tools);
  });

  it("asks for two calls at once, and makes it once", async () => {
    const answered = new Promise<"approve">((resolve) => setTimeout(() => resolve("approve"), 50));
    const { run, runner } = await scene({ ask: () => answered });
    await Promise.all([run(), run()]);
    expect(runner.jobs.length).toBe(1);
  });

  it("may ask a person at once and wait", async () => {
    const questions: string[] = [];
    const { run, runner } = await scene({
      ask: async (_, { skill, item }) => {
        questions.push(`${skill.name} ${item}`);
        return questions.length === 1 ? "deny" : "approve";
      },
    });
    const answers = [await run(), await run({ stdin: "again" })];
    expect(answers.map(({ error, run: outcome }) => error?.code ?? outcome?.exit_code)).toEqual(["approval-denied", 0]);
    expect([questions, runner.jobs.length]).toEqual([["rules scripts/a.py", "rules scripts/a.py"], 1]);
  });
});
