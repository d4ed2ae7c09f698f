import { describe, expect, it } from "vitest";
import { channelKey } from "../../../src/bundle/keys.ts";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { CountingStore } from "../../helpers/counting-store.ts";
import { liveEntries, packSkills, pointerEntry, type SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER } from "../../helpers/provider.ts";

function manySkills(count: number): SkillSpec[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `skill-${i}`,
    files: [{ path: "references/notes.md", content: `Notes of skill ${i}.\n` }],
  }));
}

describe("createPackedSource()", () => {
  it.each([1, 1_000, 10_000])(
    "answers a cold load_skill among %d skills after three reads, a warm one after none",
    async (count) => {
      const store = new CountingStore(await liveEntries(manySkills(count)));
      const provider = new AgentSkillsProvider(createPackedSource(store, { clock: () => 0 }));
      const load = () => provider.callTool("load_skill", { skill_name: `skill-${count - 1}` }, CALLER);

      const cold = await load();
      expect({ failed: cold.is_error, reads: store.reads.length }).toEqual({ failed: false, reads: 3 });
      expect(await load()).toEqual(cold);
      expect(store.reads).toHaveLength(3);
    },
  );

  it("reads a small text resource of a loaded skill without a read", async () => {
    const store = new CountingStore(await liveEntries(manySkills(3)));
    const provider = new AgentSkillsProvider(createPackedSource(store, { clock: () => 0 }));
    await provider.callTool("load_skill", { skill_name: "skill-1" }, CALLER);
    const args = { skill_name: "skill-1", resource_name: "references/notes.md" };
    const answer = await provider.callTool("read_skill_resource", args, CALLER);
    expect([answer.content, store.reads.length]).toEqual(["Notes of skill 1.\n", 3]);
  });

  it("has no skills where the channel has no pointer", async () => {
    const source = createPackedSource(new CountingStore(new Map()), { channel: "preview" });
    expect(await source.getSkills(NO_CONTEXT)).toEqual([]);
  });

  it("reads the layer and channel it is told, and names the layer in each skill", async () => {
    const layer = await packSkills([{ name: "own" }]);
    const entries = new Map([...layer.entries, pointerEntry("acme", "preview", layer.bundle)]);
    const store = new CountingStore(entries);
    const source = createPackedSource(store, { layer: "acme", channel: "preview" });
    const skills = await source.getSkills(NO_CONTEXT);
    expect(skills.map(({ name, layer }) => ({ name, layer }))).toEqual([{ name: "own", layer: "acme" }]);
    expect(store.reads[0]).toBe(channelKey("acme", "preview"));
  });

  it("serves what it knows while storage fails after the pointer's time was up", async () => {
    const store = new CountingStore(await liveEntries(manySkills(2)));
    const clock = { now: 0 };
    const source = createPackedSource(store, { clock: () => clock.now });
    const before = await source.getSkills(NO_CONTEXT);
    store.failure = new Error("storage is down");
    clock.now += 60_000;
    expect(await source.getSkills(NO_CONTEXT)).toBe(before);
  });
});
