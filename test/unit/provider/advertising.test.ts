import { describe, expect, it } from "vitest";
import type { SkillEvent } from "../../../src/provider/events.ts";
import { AgentSkillsProvider, ANY_CALLER, type ProviderOptions } from "../../../src/provider/provider.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { plainSkill } from "../../helpers/plain-skills.ts";

const skill = plainSkill("a")
  .addResource("notes", "text")
  .addScript("go", () => "went");

function provide(options: ProviderOptions = {}): AgentSkillsProvider {
  return new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]), options);
}

describe("AgentSkillsProvider advertises", () => {
  it("in the system prompt by default, the tools' descriptions staying the same whatever the skills", async () => {
    const { instructions, tools } = await provide().getContext(ANY_CALLER);
    expect(instructions).toContain("<name>a</name>");
    expect(tools.map(({ description }) => description).join()).not.toContain("<name>");
  });

  it("in the description of load_skill where the host wants it", async () => {
    const { instructions, tools } = await provide({ advertise: "tool" }).getContext(ANY_CALLER);
    const [load, ...others] = tools.map(({ description }) => description);
    expect(instructions).toBe("");
    expect(load).toContain("<available_skills>\n  <skill>\n    <name>a</name>");
    expect(others.join()).not.toContain("<name>");
  });

  it("tools behind a prefix, named so everywhere", async () => {
    const provider = provide({ toolPrefix: "acme_" });
    const { instructions, tools } = await provider.getContext(ANY_CALLER);
    expect(tools.map(({ name }) => name)).toEqual([
      "acme_load_skill",
      "acme_read_skill_resource",
      "acme_run_skill_script",
    ]);
    const texts = [instructions, ...tools.map(({ description }) => description)].join("\n");
    expect(texts.match(/(?<!acme_)(?:load_skill|read_skill_resource|run_skill_script)`/g)).toBeNull();
    expect([provider.toolOf("acme_load_skill"), provider.toolOf("load_skill"), provider.toolOf("other")]).toEqual([
      "load_skill",
      "load_skill",
      null,
    ]);
  });

  it("a search in place of a list that does not fit its budget", async () => {
    const { instructions, tools } = await provide({ catalogueBudget: 10 }).getContext(ANY_CALLER);
    expect(tools.map(({ name }) => name)).toContain("search_skills");
    expect(instructions).toContain("There is 1 skill, too long to list.");
  });

  it("the same bytes each time", async () => {
    const provider = provide();
    expect(JSON.stringify(await provider.getContext(ANY_CALLER))).toBe(
      JSON.stringify(await provider.getContext(ANY_CALLER)),
    );
  });

  it("no script to a caller who may run none", async () => {
    const { instructions, tools } = await provide().getContext({ ...ANY_CALLER, mayRun: false });
    expect(tools.map(({ name }) => name)).toEqual(["load_skill", "read_skill_resource"]);
    expect(instructions).not.toMatch(/\bscripts?\b/);
  });
});

describe("the events of an AgentSkillsProvider", () => {
  it("name what was resolved, never what the model wrote", async () => {
    const events: SkillEvent[] = [];
    const provider = provide({ onEvent: (event) => events.push(event) });
    await provider.callTool("load_skill", { skill_name: "A" }, ANY_CALLER);
    await provider.callTool("read_skill_resource", { skill_name: "a", resource_name: "./Notes" }, ANY_CALLER);
    await provider.callTool("run_skill_script", { skill_name: "a", script_name: "GO" }, ANY_CALLER);
    await provider.callTool("load_skill", { skill_name: "secret guess" }, ANY_CALLER);
    const base = { "gen_ai.operation.name": "execute_tool" };
    expect(events.map(({ type, attributes }) => [type, attributes])).toEqual([
      ["load", { ...base, "gen_ai.tool.name": "load_skill", "gen_ai.skill.name": "a" }],
      [
        "read",
        {
          ...base,
          "gen_ai.tool.name": "read_skill_resource",
          "gen_ai.skill.name": "a",
          "gen_ai.skill.resource.name": "notes",
        },
      ],
      [
        "run",
        {
          ...base,
          "gen_ai.tool.name": "run_skill_script",
          "gen_ai.skill.name": "a",
          "gen_ai.skill.script.name": "go",
          "gen_ai.skill.script.exit_code": 0,
        },
      ],
      ["load", { ...base, "gen_ai.tool.name": "load_skill", "error.type": "skill-not-found" }],
    ]);
  });

  it("that their listener cannot take fail no call", async () => {
    const provider = provide({
      onEvent: () => {
        throw new Error("full");
      },
    });
    expect((await provider.callTool("load_skill", { skill_name: "a" }, ANY_CALLER)).is_error).toBe(false);
  });
});

describe("the arguments of a script", () => {
  it("are read by the host's marshaler where it has one", async () => {
    const echo = plainSkill("echo").addScript("go", (args) => args);
    const options: ProviderOptions = {
      marshalerFor: (_, script) => (script.name === "go" ? () => ({ taken: true }) : null),
    };
    const provider = new AgentSkillsProvider(new AgentInMemorySkillsSource([echo]), options);
    const { run } = await provider.callTool(
      "run_skill_script",
      { skill_name: "echo", script_name: "go", arguments: "x=1" },
      ANY_CALLER,
    );
    expect(run?.stdout).toBe('{"taken":true}');
  });
});
