import { describe, expect, it } from "vitest";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProviderBuilder } from "../../../src/provider/builder.ts";
import { ANY_CALLER } from "../../../src/provider/provider.ts";
import { RecordSkill } from "../../../src/sources/record-skill.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { packSkills } from "../../helpers/pack-skills.ts";
import { asking, NotingLogger, namesOf, plainSkill, ToldSource } from "../../helpers/plain-skills.ts";
import { GOOD_RUN } from "../../helpers/provider.ts";

const build = (source: ToldSource) => new AgentSkillsProviderBuilder().useSource(source);

describe("AgentSkillsProviderBuilder", () => {
  it("builds a provider that offers nothing when it is given nothing", async () => {
    const provider = new AgentSkillsProviderBuilder().build();
    expect(await provider.getContext(ANY_CALLER)).toEqual({ instructions: "", tools: [] });
  });

  it("puts skills of all kinds together in the order they were given in; the first of a name counts", async () => {
    const logger = new NotingLogger();
    const [first, second] = [plainSkill("b"), plainSkill("B".toLowerCase())];
    const provider = new AgentSkillsProviderBuilder()
      .useLoggerFactory(() => logger)
      .useSkill(first)
      .useInlineSkills(plainSkill("c"))
      .useClassSkills(second)
      .useSource(new ToldSource([plainSkill("a")]))
      .useMcpSkills(() => new ToldSource([plainSkill("d")]))
      .build();
    const catalogue = await provider.getCatalogue(NO_CONTEXT);
    expect([namesOf(catalogue.skills), catalogue.find("b")]).toEqual([["a", "b", "c", "d"], first]);
    expect(logger.messages).toEqual(['The skill "b" is there twice; the first one counts']);
  });

  it("asks its sources once, on every call when caching is off, per key when one is given", async () => {
    const sources = [new ToldSource([]), new ToldSource([]), new ToldSource([])] as const;
    const providers = [
      build(sources[0]).build(),
      build(sources[1]).disableCaching().build(),
      build(sources[2])
        .useCachingOptions({ isolationKey: ({ session }) => session })
        .build(),
    ];
    for (const provider of providers) {
      for (const session of ["one", "two", "one"]) {
        await provider.getCatalogue(asking({ session }));
      }
    }
    expect(sources.map(({ calls }) => calls)).toEqual([1, 3, 2]);
  });

  it("does not keep for good what lacks a source that failed", async () => {
    const failing = new ToldSource(new Error("down"));
    const time = { now: 0 };
    const provider = new AgentSkillsProviderBuilder()
      .useSource(failing)
      .useSkill(plainSkill("b"))
      .useCachingOptions({ clock: () => time.now })
      .build();
    const seen = [];
    for (const [at, answer] of [
      [0, new Error("down")],
      [4_999, [plainSkill("a")]],
      [5_000, [plainSkill("a")]],
      [1e9, new Error("down")],
    ] as const) {
      time.now = at;
      failing.answer = answer;
      seen.push(namesOf((await provider.getCatalogue(NO_CONTEXT)).skills));
    }
    expect(seen).toEqual([["b"], ["b"], ["a", "b"], ["a", "b"]]);
  });

  it("filters behind the cache, so that a filter sees who asks each time; every filter has to agree", async () => {
    const source = new ToldSource([plainSkill("a"), plainSkill("b"), plainSkill("c")]);
    const provider = build(source)
      .useFilter(({ name }) => name !== "a")
      .useFilter(({ name }, { agent }) => name !== agent)
      .build();
    const seen = [];
    for (const agent of [null, "b", "c"]) {
      seen.push(namesOf((await provider.getCatalogue(asking({ agent }))).skills));
    }
    expect([seen, source.calls]).toEqual([[["b", "c"], ["c"], ["b"]], 1]);
  });

  it("lets a filter in front of the names decide which skill of a name counts", async () => {
    const [draft, done] = [plainSkill("a", { stage: "draft" }), plainSkill("a")];
    const provider = new AgentSkillsProviderBuilder()
      .useSkills([draft, done])
      .useFilter(({ metadata }) => metadata.stage !== "draft")
      .build();
    expect((await provider.getCatalogue(NO_CONTEXT)).find("a")).toBe(done);
  });

  it("hands sources the runner that is set, also when it is set after them", async () => {
    const { records } = await packSkills([
      { name: "a", scripts: ["scripts/x.py"], files: [{ path: "scripts/x.py", content: "" }] },
    ]);
    const jobs: string[] = [];
    const provider = new AgentSkillsProviderBuilder()
      .useSource(({ runner }) => {
        const parts = { revision: null, layer: null, runner, readBlob: async () => new Uint8Array() };
        return new ToldSource(records.map((record) => new RecordSkill(record, parts)));
      })
      .useFileScriptRunner(async ({ script }) => {
        jobs.push(script.path);
        return GOOD_RUN;
      })
      .build();
    const answer = await provider.callTool(
      "run_skill_script",
      { skill_name: "a", script_name: "scripts/x.py" },
      ANY_CALLER,
    );
    expect([answer.run, jobs]).toEqual([GOOD_RUN, ["scripts/x.py"]]);
  });

  it("takes a prompt template with its placeholder, and refuses one without", async () => {
    const provider = build(new ToldSource([plainSkill("a")]))
      .usePromptTemplate("Use {other} and $& of:\n{skills}")
      .build();
    const { instructions } = await provider.getContext(ANY_CALLER);
    expect(instructions).toBe(
      "Use {other} and $& of:\n<available_skills>\n  <skill>\n    <name>a</name>\n    <description>Does a.</description>\n  </skill>\n</available_skills>",
    );
    expect(await codeOf(() => new AgentSkillsProviderBuilder().usePromptTemplate("no place"))).toBe("usage");
    expect(
      await codeOf(() => new AgentSkillsProviderBuilder().useOptions({ promptTemplate: "no place" }).build()),
    ).toBe("usage");
  });

  it("builds a provider that owns its sources and may be disposed twice", async () => {
    const source = new ToldSource([]);
    const provider = build(source).build();
    await provider.dispose();
    await provider.dispose();
    expect(source.disposals).toBe(1);
    expect(await codeOf(() => provider.getCatalogue(NO_CONTEXT))).toBe("usage");
  });
});
