import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RunResult } from "../../../src/model/run.ts";
import { DEFAULT_RUN_LIMITS } from "../../../src/model/run.ts";
import { Services, serviceKey } from "../../../src/model/services.ts";
import { type AgentSkill, NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProvider, ANY_CALLER } from "../../../src/provider/provider.ts";
import { AgentInlineSkill, type InlineSkillOptions } from "../../../src/skills/inline-skill.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { codeOf, failureOf } from "../../helpers/error-code.ts";

function converter(options: Partial<InlineSkillOptions> = {}): AgentInlineSkill {
  const base = { name: "unit-converter", description: "Converts units.", instructions: "Run `convert`." };
  return new AgentInlineSkill({ ...base, ...options });
}

const provide = (skill: AgentSkill) => new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]));

function run(skill: AgentSkill, args?: unknown) {
  const given = args === undefined ? {} : { arguments: args };
  return provide(skill).callTool(
    "run_skill_script",
    { skill_name: skill.name, script_name: "convert", ...given },
    ANY_CALLER,
  );
}

async function read(skill: AgentSkill, resource_name: string) {
  return provide(skill).callTool("read_skill_resource", { skill_name: skill.name, resource_name }, ANY_CALLER);
}

describe("AgentInlineSkill", () => {
  it("is loaded like a skill of files, its lists empty elements while it has nothing", async () => {
    const { content, skill } = await provide(converter()).callTool(
      "load_skill",
      { skill_name: "unit-converter" },
      ANY_CALLER,
    );
    expect(content).toBe(
      '<skill_content name="unit-converter">\nRun `convert`.\n</skill_content>\n<skill_resources></skill_resources>\n<skill_scripts></skill_scripts>\n',
    );
    expect(skill).toEqual({ name: "unit-converter", digest: null });
  });

  it("lists what was added, in order, with descriptions and parameters, also what is added later", async () => {
    const skill = converter().addResource("table", "kg=2.205lb", { description: "Pairs" });
    await skill.getContent();
    skill.addScript("convert", () => 1, {
      description: "Converts",
      parameters: { type: "object", required: ["value"] },
    });
    const { content } = await provide(skill).callTool("load_skill", { skill_name: "unit-converter" }, ANY_CALLER);
    expect(content.split("\n").slice(3)).toEqual([
      "<skill_resources>",
      '  <skill_resource name="table" description="Pairs" media_type="text/plain"/>',
      "</skill_resources>",
      "<skill_scripts>",
      '  <skill_script name="convert" description="Converts">{"type":"object","required":["value"]}</skill_script>',
      "</skill_scripts>",
      "",
    ]);
    expect(skill.counts).toEqual({ resources: 1, scripts: 1, runnable: 1 });
  });

  it.each([
    { name: "", problem: "it has no name" },
    {
      name: "Unit Converter",
      problem: "its name is not lower-case letters a–z and digits with single hyphens between",
    },
    { name: "a--b", problem: "its name is not lower-case letters a–z and digits with single hyphens between" },
    { name: "name\n", problem: "its name holds a control or invisible character" },
    { name: "a".repeat(65), problem: "its name has more than 64 characters" },
  ])("refuses the name $name", async ({ name, problem }) => {
    const failure = await failureOf(() => converter({ name }));
    expect([failure.code, failure.message]).toEqual([
      "skills-invalid",
      `Cannot make the skill ${JSON.stringify(name)}: ${problem}`,
    ]);
  });

  it("refuses a description that is blank or too long, and a compatibility that is too long", async () => {
    for (const options of [
      { description: " " },
      { description: "x".repeat(1_025) },
      { compatibility: "x".repeat(501) },
    ]) {
      expect(await codeOf(() => converter(options))).toBe("skills-invalid");
    }
  });

  it("refuses a name twice, also in another case", async () => {
    const skill = converter()
      .addResource("table", 1)
      .addScript("convert", () => 1);
    expect(await codeOf(() => skill.addResource("Table", 2))).toBe("skills-invalid");
    expect(await codeOf(() => skill.addScript("convert", () => 2))).toBe("skills-invalid");
    expect(await codeOf(() => skill.addScript(" ", () => 2))).toBe("skills-invalid");
  });

  it("is hidden from the model when it says so, and still found", async () => {
    const skill = converter({ disableModelInvocation: true });
    const provider = provide(skill);
    const { instructions } = await provider.getContext(ANY_CALLER);
    const loaded = await provider.callTool("load_skill", { skill_name: "unit-converter" }, ANY_CALLER);
    expect([instructions, loaded.is_error]).toEqual(["", false]);
    expect((await skill.getContent()).frontmatter["disable-model-invocation"]).toBe("true");
  });
});

describe("the resources of an AgentInlineSkill", () => {
  it("are values, bytes, or whatever JSON can hold", async () => {
    const skill = converter()
      .addResource("text", "ä")
      .addResource("bytes", Uint8Array.of(0, 255))
      .addResource("data", { a: [1] });
    const answers = await Promise.all(["text", "bytes", "data"].map((name) => read(skill, name)));
    expect(answers.map(({ content, resource }) => [content, resource?.media_type, resource?.encoding])).toEqual([
      ["ä", "text/plain", "utf-8"],
      ["AP8=", "application/octet-stream", "base64"],
      ['{"a":[1]}', "application/json", "utf-8"],
    ]);
  });

  it("are functions that are called each time, with the caller's services and signal", async () => {
    const DATABASE = serviceKey<{ rate: number }>("database");
    let calls = 0;
    const skill = converter().addResource(
      "rate",
      async ({ services }: typeof NO_CONTEXT) => `${services?.get(DATABASE)?.rate} ${++calls}`,
    );
    const caller = { ...ANY_CALLER, services: new Services().add(DATABASE, { rate: 7 }) };
    const args = { skill_name: "unit-converter", resource_name: "rate" };
    const contents = [];
    for (const _ of [1, 2]) {
      contents.push((await provide(skill).callTool("read_skill_resource", args, caller)).content);
    }
    expect(contents).toEqual(["7 1", "7 2"]);
  });

  it("use the skill's serializer, or their own", async () => {
    const skill = converter({ serialize: () => "skill's" })
      .addResource("a", { x: 1 })
      .addResource("b", { x: 1 }, { serialize: () => "own" });
    expect([(await read(skill, "a")).content, (await read(skill, "b")).content]).toEqual(["skill's", "own"]);
  });

  it("that throw are thrown on to the host", async () => {
    const skill = converter().addResource("bad", () => {
      throw new TypeError("broken");
    });
    await expect(read(skill, "bad")).rejects.toThrow("broken");
  });
});

describe("the scripts of an AgentInlineSkill", () => {
  const parameters = z.object({ value: z.number(), factor: z.optional(z.number()) });

  it("take named arguments, checked by a zod schema, which the model is shown as JSON Schema", async () => {
    const skill = converter().addScript("convert", ({ value, factor = 2 }) => ({ result: value * factor }), {
      parameters,
    });
    const { run: outcome } = await run(skill, { value: 3 });
    expect([outcome?.stdout, outcome?.exit_code]).toEqual(['{"result":6}', 0]);
    const [script] = await skill.listScripts();
    expect(script?.parameters).toEqual({
      type: "object",
      properties: { value: { type: "number" }, factor: { type: "number" } },
      required: ["value"],
    });
  });

  it("answer arguments-invalid with what does not fit", async () => {
    const skill = converter().addScript("convert", () => 1, { parameters });
    const { error } = await run(skill, { value: "three" });
    expect(error).toEqual({
      code: "arguments-invalid",
      message: 'Cannot use arguments: "value": Invalid input: expected number, received string',
      candidates: [],
    });
  });

  it.each([
    { given: undefined, taken: {} },
    { given: null, taken: {} },
    { given: { a: 1 }, taken: { a: 1 } },
    { given: '{"a":1}', taken: { a: 1 } },
  ])("take $given as $taken", async ({ given, taken }) => {
    const skill = converter().addScript("convert", (args) => args);
    expect(JSON.parse((await run(skill, given)).run?.stdout ?? "")).toEqual(taken);
  });

  it.each([{ given: [1] }, { given: 7 }, { given: "text" }, { given: '"text"' }])(
    "refuse $given",
    async ({ given }) => {
      const skill = converter().addScript("convert", () => 1);
      expect((await run(skill, given)).error?.code).toBe("arguments-invalid");
    },
  );

  it("take what the skill's marshaler makes of the arguments, or their own", async () => {
    const skill = converter({ marshal: (given) => ({ skills: given ?? null }) }).addScript("convert", (args) => args);
    expect((await run(skill, [1])).run?.stdout).toBe('{"skills":[1]}');
    const own = converter({ marshal: () => ({}) }).addScript("convert", (args) => args, {
      marshal: (given) => ({ own: given ?? null }),
    });
    expect((await run(own, [1])).run?.stdout).toBe('{"own":[1]}');
  });

  it("are given the skill, the context and the signal", async () => {
    const skill = converter().addScript("convert", (_, call) => `${call.skill.name} ${call.context.tenant}`);
    const args = { skill_name: "unit-converter", script_name: "convert" };
    const answer = await provide(skill).callTool("run_skill_script", args, { ...ANY_CALLER, tenant: "acme" });
    expect(answer.run?.stdout).toBe("unit-converter acme");
  });

  it("may answer a whole outcome of their own", async () => {
    const failed: RunResult = {
      exit_code: 2,
      stdout: "",
      stderr: "no",
      timed_out: false,
      truncated: false,
      limit: null,
      duration_ms: 1,
      files: [],
    };
    const answer = await run(converter().addScript("convert", () => failed));
    expect([answer.is_error, answer.run]).toEqual([true, failed]);
  });

  it("are not waited for beyond the time they have", async () => {
    const skill = converter().addScript("convert", () => new Promise(() => undefined));
    const [script] = await skill.listScripts();
    const call = {
      skill,
      context: NO_CONTEXT,
      arguments: null,
      stdin: "",
      files: [],
      limits: { ...DEFAULT_RUN_LIMITS, timeout_ms: 20 },
    };
    expect(await codeOf(() => script?.run(call))).toBe("runner-failed");
  });

  it("that throw are thrown on, or answered with the message where the host wants it", async () => {
    const skill = converter().addScript("convert", () => {
      throw new TypeError("the database is down");
    });
    await expect(run(skill)).rejects.toThrow("the database is down");
    const provider = new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]), { includeDetailedErrors: true });
    const args = { skill_name: "unit-converter", script_name: "convert" };
    expect((await provider.callTool("run_skill_script", args, ANY_CALLER)).content).toBe("Error: the database is down");
  });
});
