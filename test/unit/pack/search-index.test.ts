import { describe, expect, it } from "vitest";
import { decodeIndex } from "../../../src/bundle/index-format.ts";
import { blobKey, indexKey } from "../../../src/bundle/keys.ts";
import { deploy } from "../../../src/deploy/deploy.ts";
import { prune } from "../../../src/deploy/prune.ts";
import { packSkills } from "../../../src/pack/pack.ts";
import { BundleDirectory } from "../../../src/pack/read-bundle.ts";
import { SEARCH_INDEX_FROM } from "../../../src/pack/search-blob.ts";
import { writeBundle } from "../../../src/pack/write-bundle.ts";
import { AgentSkillsProvider, ANY_CALLER } from "../../../src/provider/provider.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { CountingStore } from "../../helpers/counting-store.ts";
import { manifest, plant, temporaryDirectory } from "../../helpers/directories.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";
import { pointerEntry } from "../../helpers/pack-skills.ts";

async function packed(count: number) {
  const names = Array.from({ length: count }, (_, i) => `skill-${String(i).padStart(3, "0")}`);
  const root = plant(Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, manifest(name)])));
  const [layer] = (await packSkills({ roots: [root] })).layers;
  if (layer === undefined) {
    throw new Error("nothing was packed");
  }
  return { layer, search: decodeIndex(layer.index).search ?? null };
}

describe("the search index of a bundle", () => {
  it("is packed from so many skills on, the same bytes each time, and is one of the bundle's blobs", async () => {
    const few = await packed(SEARCH_INDEX_FROM - 1);
    const [one, two] = [await packed(SEARCH_INDEX_FROM), await packed(SEARCH_INDEX_FROM)];
    expect([few.search, one.search, one.layer.digest]).toEqual([null, two.search, two.layer.digest]);
    expect(one.search && one.layer.blobs.has(one.search)).toBe(true);
  });

  it("is written with a bundle, read back, deployed, and kept by a prune", async () => {
    const { layer, search } = await packed(SEARCH_INDEX_FROM);
    const out = `${temporaryDirectory()}/bundle`;
    await writeBundle([layer], out);
    const again = BundleDirectory.open(out);
    const [written] = again.layers;
    const blobs = written && again.readLayer(written).blobs;
    expect(search && blobs?.get(search)).toEqual(search && layer.blobs.get(search));

    const target = new MemoryTarget();
    const now = () => new Date("2026-11-30T12:00:00.000Z");
    await deploy(target, [layer], { channel: "live", by: "ada", now });
    expect((await prune(target, { now })).removed).toEqual({ indexes: 0, blobs: 0 });
    expect(search && target.entries.has(blobKey(search))).toBe(true);
  });

  it("is read when somebody searches, once, and for nothing else", async () => {
    const { layer, search } = await packed(SEARCH_INDEX_FROM);
    const blobs = [...layer.blobs].map(([digest, bytes]) => [blobKey(digest), bytes] as const);
    const store = new CountingStore(
      new Map([...blobs, [indexKey(layer.digest), layer.index], pointerEntry("platform", "live", layer.digest)]),
    );
    const provider = new AgentSkillsProvider(createPackedSource(store));
    await provider.callTool("load_skill", { skill_name: "skill-007" }, ANY_CALLER);
    expect(store.reads).toHaveLength(3);
    const searched = await provider.callTool("search_skills", { query: "007" }, ANY_CALLER);
    expect([searched.content, store.reads.at(-1)]).toEqual(["- skill-007: Does skill-007.", search && blobKey(search)]);
    await provider.callTool("search_skills", { query: "008" }, ANY_CALLER);
    expect(store.reads).toHaveLength(4);
  });
});
