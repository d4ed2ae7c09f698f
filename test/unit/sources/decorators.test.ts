import { describe, expect, it } from "vitest";
import { type AgentSkill, NO_CONTEXT } from "../../../src/model/skill.ts";
import { AggregatingAgentSkillsSource } from "../../../src/sources/aggregating-source.ts";
import { DeduplicatingAgentSkillsSource } from "../../../src/sources/deduplicating-source.ts";
import { DelegatingAgentSkillsSource } from "../../../src/sources/delegating-source.ts";
import { FilteringAgentSkillsSource } from "../../../src/sources/filtering-source.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { asking, NotingLogger, namesOf, plainSkill, ToldSource } from "../../helpers/plain-skills.ts";

describe("AgentInMemorySkillsSource", () => {
  it("answers a copy of what it was given, always the same", async () => {
    const given: AgentSkill[] = [plainSkill("a")];
    const source = new AgentInMemorySkillsSource(given);
    given.push(plainSkill("b"));
    const skills = await source.getSkills();
    expect(namesOf(skills)).toEqual(["a"]);
    expect(await source.getSkills()).toBe(skills);
  });
});

describe("AggregatingAgentSkillsSource", () => {
  it("answers the skills of all sources in the order of the sources, the same array while theirs are", async () => {
    const [one, two] = [new ToldSource([plainSkill("b")]), new ToldSource([plainSkill("a"), plainSkill("b")])];
    const source = new AggregatingAgentSkillsSource([one, new ToldSource([]), two]);
    const skills = await source.getSkills(NO_CONTEXT);
    expect(namesOf(skills)).toEqual(["b", "a", "b"]);
    expect(await source.getSkills(asking({ tenant: "acme" }))).toBe(skills);
    one.answer = [plainSkill("c")];
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["c", "a", "b"]);
  });

  it("tells of a source that fails and uses the others", async () => {
    const logger = new NotingLogger();
    const source = new AggregatingAgentSkillsSource(
      [new ToldSource(new Error("down")), new ToldSource([plainSkill("a")])],
      {
        logger,
      },
    );
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["a"]);
    expect(logger.messages).toEqual(["A source of skills failed; its skills are missing"]);
  });

  it("uses what a failing source last answered, to callers of the same tenant only", async () => {
    const failing = new ToldSource([plainSkill("secret")]);
    const source = new AggregatingAgentSkillsSource([failing, new ToldSource([plainSkill("a")])]);
    await source.getSkills(asking({ tenant: "acme" }));
    failing.answer = new Error("down");
    expect(namesOf(await source.getSkills(asking({ tenant: "acme" })))).toEqual(["secret", "a"]);
    expect(namesOf(await source.getSkills(asking({ tenant: "globex" })))).toEqual(["a"]);
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["a"]);
  });

  it("keeps a bounded number of last answers", async () => {
    const failing = new ToldSource([plainSkill("a")]);
    const source = new AggregatingAgentSkillsSource([failing, new ToldSource([plainSkill("b")])], { maxKept: 3 });
    await source.getSkills(asking({ tenant: "one" }));
    await source.getSkills(asking({ tenant: "two" }));
    failing.answer = new Error("down");
    expect(namesOf(await source.getSkills(asking({ tenant: "one" })))).toEqual(["b"]);
    expect(namesOf(await source.getSkills(asking({ tenant: "two" })))).toEqual(["a", "b"]);
  });

  it("throws when every source failed and nothing is known: no skills would be a false answer", async () => {
    const source = new AggregatingAgentSkillsSource([
      new ToldSource(new Error("first")),
      new ToldSource(new Error("second")),
    ]);
    await expect(source.getSkills(NO_CONTEXT)).rejects.toThrow("first");
  });

  it("tells by caller whether the last answer had all sources", async () => {
    const failing = new ToldSource([plainSkill("a")]);
    const source = new AggregatingAgentSkillsSource([failing, new ToldSource([plainSkill("b")])]);
    const told = [];
    for (const answer of [[plainSkill("a")], new Error("down"), [plainSkill("a")]]) {
      failing.answer = answer;
      await source.getSkills(asking({ tenant: "acme" }));
      told.push(source.isComplete(asking({ tenant: "acme" })));
    }
    expect([told, source.isComplete(NO_CONTEXT)]).toEqual([[true, false, true], true]);
  });

  it("asks all sources at once, with the caller's context", async () => {
    const [one, two] = [new ToldSource([]), new ToldSource([])];
    const context = asking({ agent: "a", session: "s" });
    await new AggregatingAgentSkillsSource([one, two]).getSkills(context);
    expect([one.contexts, two.contexts]).toEqual([[context], [context]]);
  });

  it("disposes its sources", async () => {
    const [one, two] = [new ToldSource([]), new ToldSource([])];
    await new AggregatingAgentSkillsSource([one, two]).dispose();
    expect([one.disposals, two.disposals]).toEqual([1, 1]);
  });
});

describe("FilteringAgentSkillsSource", () => {
  const skills = [plainSkill("a", { role: "agent" }), plainSkill("b"), plainSkill("c", { role: "lead" })];
  const source = new FilteringAgentSkillsSource(new AgentInMemorySkillsSource(skills), ({ metadata }, { agent }) => {
    return metadata.role === undefined || metadata.role === agent;
  });

  it("answers the skills that pass, in their order, by who asks", async () => {
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["b"]);
    expect(namesOf(await source.getSkills(asking({ agent: "agent" })))).toEqual(["a", "b"]);
    expect(namesOf(await source.getSkills(asking({ agent: "lead" })))).toEqual(["b", "c"]);
  });

  it("answers the same array for the same outcome, whoever asks", async () => {
    const lead = await source.getSkills(asking({ agent: "lead" }));
    await source.getSkills(NO_CONTEXT);
    expect(await source.getSkills(asking({ agent: "lead", session: "other" }))).toBe(lead);
  });

  it("answers the source's own array when all pass", async () => {
    const inner = new AgentInMemorySkillsSource(skills);
    expect(await new FilteringAgentSkillsSource(inner, () => true).getSkills(NO_CONTEXT)).toBe(await inner.getSkills());
  });
});

describe("DeduplicatingAgentSkillsSource", () => {
  it("keeps the first skill of each name, whatever its case, and warns once of the others", async () => {
    const logger = new NotingLogger();
    const first = { ...plainFacts("Rules"), layer: "acme" };
    const inner = new ToldSource([first as AgentSkill, plainSkill("rules"), plainSkill("other")]);
    const source = new DeduplicatingAgentSkillsSource(inner, { logger });
    const skills = await source.getSkills(NO_CONTEXT);
    expect(namesOf(skills)).toEqual(["Rules", "other"]);
    expect(await source.getSkills(NO_CONTEXT)).toBe(skills);
    expect(logger.messages).toEqual(['The skill "rules" is there twice; the first one counts']);
  });

  it("answers the source's own array when each name is there once", async () => {
    const inner = new AgentInMemorySkillsSource([plainSkill("a"), plainSkill("b")]);
    expect(await new DeduplicatingAgentSkillsSource(inner).getSkills(NO_CONTEXT)).toBe(await inner.getSkills());
  });
});

describe("DelegatingAgentSkillsSource", () => {
  it("passes on what its source answers, and disposes it", async () => {
    const inner = new ToldSource([plainSkill("a")]);
    const source = new (class extends DelegatingAgentSkillsSource {})(inner);
    expect(await source.getSkills(NO_CONTEXT)).toBe(inner.answer);
    await source.dispose();
    expect(inner.disposals).toBe(1);
  });
});

function plainFacts(name: string): Partial<AgentSkill> {
  return { name, description: "Rules.", aliases: [], metadata: {}, hidden: false };
}
