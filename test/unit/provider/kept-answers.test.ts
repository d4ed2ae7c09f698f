import { describe, expect, it } from "vitest";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { liveEntries, type SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER } from "../../helpers/provider.ts";

async function providerKeeping(answers: ByteCache, skill: SkillSpec): Promise<AgentSkillsProvider> {
  return new AgentSkillsProvider(createPackedSource(createMemoryStore(await liveEntries([skill]))), { answers });
}

const load = (provider: AgentSkillsProvider, more: object = {}) =>
  provider.callTool("load_skill", { skill_name: "rules", ...more }, CALLER);

describe("the answers that load_skill keeps", () => {
  it("are given again as long as the skill is the same", async () => {
    const provider = await providerKeeping(new ByteCache(), { name: "rules" });
    const first = await load(provider);
    expect(await load(provider)).toBe(first);
    expect(await load(provider, { offset: 0, limit: null })).toBe(first);
  });

  it("are not given for a skill of the same name with other text", async () => {
    const answers = new ByteCache();
    const [one, other] = [
      await providerKeeping(answers, { name: "rules", body: "one\n" }),
      await providerKeeping(answers, { name: "rules", body: "other\n" }),
    ];
    const contents = [(await load(one)).content, (await load(other)).content, (await load(one)).content];
    expect(contents.map((content) => content.split("\n")[1])).toEqual(["one", "other", "one"]);
  });

  it("are not given for another part of the text, nor is such a part kept", async () => {
    const answers = new ByteCache();
    const provider = await providerKeeping(answers, { name: "rules", body: "0123456789" });
    await load(provider);
    const bytes = answers.bytes;
    const parts = [await load(provider, { offset: 4 }), await load(provider, { limit: 4 })];
    expect(parts.map(({ content }) => content.split("\n")[1])).toEqual(["456789", "0123"]);
    expect(answers.bytes).toBe(bytes);
  });

  it("are never those of a call that failed", async () => {
    const answers = new ByteCache();
    const provider = await providerKeeping(answers, { name: "rules" });
    await provider.callTool("load_skill", { skill_name: "nothing" }, CALLER);
    expect(answers.bytes).toBe(0);
  });
});
