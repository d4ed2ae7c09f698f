import { describe, expect, it } from "vitest";
import { encodeBlockList } from "../../../src/bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../../../src/bundle/keys.ts";
import { decodePointer, encodePointer, withBlockList } from "../../../src/bundle/pointer-format.ts";
import { type BlockList, NOTHING_BLOCKED } from "../../../src/model/blocks.ts";
import type { Digest } from "../../../src/model/digest.ts";
import type { Grant } from "../../../src/model/token.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { BundleReader } from "../../../src/sources/bundle-reader.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import { ChannelReader } from "../../../src/sources/channel-reader.ts";
import { type Snapshot, Snapshots } from "../../../src/tenancy/snapshots.ts";
import { CountingStore } from "../../helpers/counting-store.ts";
import { codeOf, failureOf } from "../../helpers/error-code.ts";
import { packSkills, pointerEntry, type SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER } from "../../helpers/provider.ts";

const ACME: Grant = { token: "t", tenant: "acme", scopes: ["read"], channel: "live" };
const BETA: Grant = { ...ACME, tenant: "beta" };
const PLATFORM: Grant = { ...ACME, tenant: "platform" };

/** Storage, and isolates that read it; each isolate has a cache of its own. */
class Scene {
  readonly store = new CountingStore(new Map());
  readonly clock = { now: 0 };

  isolate(): Snapshots {
    const cache = new ByteCache();
    const channels = new ChannelReader(this.store, () => this.clock.now);
    return new Snapshots(channels, { reader: new BundleReader(this.store, cache), cache, runner: null });
  }

  /** Deploys to a layer; earlier bundles stay in its history. */
  async deploy(layer: string, skills: readonly SkillSpec[], earlier: readonly Digest[] = []): Promise<Digest> {
    const { bundle, entries } = await packSkills(skills);
    for (const [key, bytes] of entries) {
      this.store.entries.set(key, bytes);
    }
    this.store.entries.set(...pointerEntry(layer, "live", bundle, ...earlier));
    return bundle;
  }

  /** Blocks digests: the list itself, and its copies in the pointers of some layers. */
  block(digests: readonly Digest[], layers: readonly string[] = ["platform"]): void {
    const blocks = digests.map((digest) => ({
      digest,
      reason: "wrong dose",
      at: "2026-11-30T12:00:00.000Z",
      by: "eve",
    }));
    const list: BlockList = { seq: 1, blocks };
    this.store.entries.set(BLOCK_LIST_KEY, encodeBlockList(list));
    for (const layer of layers) {
      const key = channelKey(layer, "live");
      const pointer = decodePointer(this.store.entries.get(key) ?? new Uint8Array());
      this.store.entries.set(key, encodePointer(withBlockList(pointer, list)));
    }
  }
}

function namesOf({ skills }: Snapshot): string[] {
  return skills.map((skill) => `${skill.layer}/${skill.name}`);
}

async function loadedFrom(snapshot: Snapshot, skill_name: string): Promise<string> {
  const provider = new AgentSkillsProvider({ getSkills: async () => snapshot.skills });
  return (await provider.callTool("load_skill", { skill_name }, CALLER)).content.split("\n")[1] ?? "";
}

describe("Snapshots.resolve()", () => {
  it("sees the tenant's own layer before the platform's: the nearer skill wins by name", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [
      { name: "common", body: "platform's\n" },
      { name: "shared", body: "platform's\n" },
    ]);
    await scene.deploy("acme", [{ name: "own" }, { name: "shared", body: "acme's\n" }]);
    const snapshot = await scene.isolate().resolve(ACME, null);
    expect(namesOf(snapshot)).toEqual(["acme/own", "acme/shared", "platform/common", "platform/shared"]);
    expect([await loadedFrom(snapshot, "shared"), await loadedFrom(snapshot, "common")]).toEqual([
      "acme's",
      "platform's",
    ]);
  });

  it("shows a tenant nothing of another one, and the platform nothing of any", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "common" }]);
    await scene.deploy("acme", [{ name: "own" }]);
    const isolate = scene.isolate();
    const seen = await Promise.all([BETA, PLATFORM].map(async (grant) => namesOf(await isolate.resolve(grant, null))));
    expect(seen).toEqual([["platform/common"], ["platform/common"]]);
  });

  it("has no skills where nothing was deployed", async () => {
    expect(await new Scene().isolate().resolve(ACME, null)).toEqual({
      name: "v1.none.none",
      skills: [],
      stale: false,
      blocked: NOTHING_BLOCKED,
      emptied: false,
    });
  });

  it("reads the channel of the grant", async () => {
    const scene = new Scene();
    const { bundle, entries } = await packSkills([{ name: "preview-only" }]);
    for (const [key, bytes] of [...entries, pointerEntry("platform", "preview", bundle)]) {
      scene.store.entries.set(key, bytes);
    }
    const isolate = scene.isolate();
    const seen = [await isolate.resolve(ACME, null), await isolate.resolve({ ...ACME, channel: "preview" }, null)];
    expect(seen.map(namesOf)).toEqual([[], ["platform/preview-only"]]);
  });

  it("gives the same array while nothing changed, so that what is made of it can be kept", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "common" }]);
    await scene.deploy("acme", [{ name: "own" }]);
    const isolate = scene.isolate();
    const first = await isolate.resolve(ACME, null);
    const reads = scene.store.reads.length;
    expect((await isolate.resolve(ACME, null)).skills).toBe(first.skills);
    expect(scene.store.reads).toHaveLength(reads);
  });

  it("says stale when storage fails and this is the last state that was known", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "common" }]);
    const isolate = scene.isolate();
    const known = await isolate.resolve(PLATFORM, null);
    scene.store.failure = new Error("storage is down");
    scene.clock.now += 60_000;
    expect(await isolate.resolve(PLATFORM, null)).toEqual({ ...known, stale: true });
  });

  it("keeps a pinned caller on the snapshot it began with, also after a deploy of either layer", async () => {
    const scene = new Scene();
    const first = await scene.deploy("platform", [{ name: "old" }]);
    const own = await scene.deploy("acme", [{ name: "own" }]);
    const isolate = scene.isolate();
    const begun = await isolate.resolve(ACME, null);

    await scene.deploy("platform", [{ name: "new" }], [first]);
    await scene.deploy("acme", [{ name: "own-2" }], [own]);
    scene.clock.now += 10_000;

    expect(namesOf(await isolate.resolve(ACME, null))).toEqual(["acme/own-2", "platform/new"]);
    expect(await isolate.resolve(ACME, begun.name)).toEqual({ ...begun, stale: false });
    expect(namesOf(await scene.isolate().resolve(ACME, begun.name))).toEqual(["acme/own", "platform/old"]);
  });

  it("finds a bundle newer than the pointer this isolate knows", async () => {
    const scene = new Scene();
    const first = await scene.deploy("platform", [{ name: "old" }]);
    const behind = scene.isolate();
    await behind.resolve(PLATFORM, null);
    await scene.deploy("platform", [{ name: "new" }], [first]);
    const ahead = await scene.isolate().resolve(PLATFORM, null);
    expect(namesOf(await behind.resolve(PLATFORM, ahead.name))).toEqual(["platform/new"]);
  });

  it("keeps a caller who began before the first deploy of a layer without it", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "common" }]);
    const isolate = scene.isolate();
    const begun = await isolate.resolve(ACME, null);
    await scene.deploy("acme", [{ name: "own" }]);
    scene.clock.now += 10_000;
    expect(namesOf(await isolate.resolve(ACME, begun.name))).toEqual(["platform/common"]);
  });

  it("throws bundle-gone, in the same words, for whatever is not kept in the caller's own layers", async () => {
    const scene = new Scene();
    const gone = (await packSkills([{ name: "forgotten" }])).bundle;
    await scene.deploy("platform", [{ name: "common" }]);
    const isolate = scene.isolate();
    await scene.deploy("beta", [{ name: "private" }]);
    const others = (await isolate.resolve(BETA, null)).name;
    const hex = gone.slice("sha256:".length, "sha256:".length + 32);
    const names = [others, `v1.${hex}.none`, "v1.none", "v1.none.none.none", "v1", "", "nonsense", gone];
    const failures = await Promise.all(names.map((name) => failureOf(() => isolate.resolve(ACME, name))));
    expect(new Set(failures.map(({ code, message }) => `${code} ${message}`))).toEqual(
      new Set([
        "bundle-gone Cannot use this bundle: it is not among those kept for your skills. Begin again without X-Skills-Bundle",
      ]),
    );
  });

  it("throws bundle-damaged when the index that a pointer names is not there, and works again once it is", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "common" }]);
    const key = [...scene.store.entries.keys()].find((name) => name.startsWith("index/")) ?? "";
    const bytes = scene.store.entries.get(key) ?? new Uint8Array();
    scene.store.entries.delete(key);
    const isolate = scene.isolate();
    expect(await codeOf(() => isolate.resolve(PLATFORM, null))).toBe("bundle-damaged");
    scene.store.entries.set(key, bytes);
    expect(namesOf(await isolate.resolve(PLATFORM, null))).toEqual(["platform/common"]);
  });

  it("reads the pointers of all layers at the same time, once each", async () => {
    const scene = new Scene();
    await scene.isolate().resolve(ACME, null);
    expect(scene.store.reads).toEqual([channelKey("platform", "live"), channelKey("acme", "live")]);
  });
});

describe("what is recalled", () => {
  const TWO = [{ name: "dose", body: "one\n" }, { name: "other" }];

  async function digestOfSkill(isolate: Snapshots, name: string): Promise<Digest> {
    const skill = (await isolate.resolve(ACME, null)).skills.find((item) => item.name === name);
    return skill?.digest as Digest;
  }

  const find = async (isolate: Snapshots, skill_name: string, pinned: string | null = null) => {
    const { skills } = await isolate.resolve(ACME, pinned);
    const provider = new AgentSkillsProvider({ getSkills: async () => skills });
    const { skills: listed } = await provider.getCatalogue(CALLER);
    const { error, content } = await provider.callTool("load_skill", { skill_name }, CALLER);
    return [listed.map(({ name }) => name), error?.code ?? content.split("\n")[1]];
  };

  it("is gone from an isolate that has it in its caches once its pointer is read again, for who is pinned too", async () => {
    const scene = new Scene();
    const first = await scene.deploy("platform", TWO);
    const isolate = scene.isolate();
    const { name } = await isolate.resolve(ACME, null);
    await scene.deploy("platform", [{ name: "new" }], [first]);
    scene.clock.now += 5_000;
    expect(await find(isolate, "dose", name)).toEqual([["dose", "other"], "one"]);
    const reads = scene.store.reads.length;

    scene.block([(await scene.isolate().resolve(ACME, name)).skills[0]?.digest as Digest]);
    scene.store.reads.length = 0;
    scene.clock.now += 5_000;
    expect(await find(isolate, "dose", name)).toEqual([["other"], "skill-blocked"]);
    expect([reads > 0, scene.store.reads]).toEqual([
      true,
      expect.arrayContaining([channelKey("platform", "live"), channelKey("acme", "live")]),
    ]);
    expect(scene.store.reads.filter((key) => key.startsWith("blob/") || key === BLOCK_LIST_KEY)).toEqual([]);
  });

  it("costs no read: the list comes with the pointers", async () => {
    const scene = new Scene();
    await scene.deploy("platform", TWO);
    scene.block([await digestOfSkill(scene.isolate(), "dose")]);
    scene.store.reads.length = 0;
    expect(await find(scene.isolate(), "other")).toMatchObject([["other"], "Follow the steps."]);
    expect(scene.store.reads.map((key) => key.split("/")[0])).toEqual(["channel", "channel", "index", "blob"]);
  });

  it("counts for all layers of a caller when one pointer tells it, and keeps its name: no farther skill takes its place", async () => {
    const scene = new Scene();
    await scene.deploy("platform", [{ name: "dose", body: "platform's\n" }]);
    await scene.deploy("acme", [{ name: "dose", body: "acme's\n" }]);
    scene.block([await digestOfSkill(scene.isolate(), "dose")], ["platform"]);
    expect(await find(scene.isolate(), "DOSE")).toEqual([[], "skill-blocked"]);
  });

  it("as a live bundle leaves its layer without skills, and is no bundle to be pinned to", async () => {
    const scene = new Scene();
    const bundle = await scene.deploy("platform", TWO);
    await scene.deploy("acme", [{ name: "own" }]);
    const isolate = scene.isolate();
    const { name } = await isolate.resolve(ACME, null);
    scene.block([bundle]);
    scene.clock.now += 5_000;
    const live = await isolate.resolve(ACME, null);
    expect([namesOf(live), live.emptied]).toEqual([["acme/own"], true]);
    expect(await failureOf(() => isolate.resolve(ACME, name))).toMatchObject({
      code: "bundle-blocked",
      message: "Cannot use this bundle: it was recalled. Reason: wrong dose",
    });
    expect(namesOf(await isolate.resolve(ACME, live.name))).toEqual(["acme/own"]);
    expect(await isolate.resolvePublic(["platform"])).toEqual([]);
  });

  it("is read from the list itself by who has no pointer", async () => {
    const scene = new Scene();
    scene.block([(await packSkills(TWO)).bundle], []);
    const blocked = await scene.isolate().blockedFor("acme");
    expect(blocked.of((await packSkills(TWO)).bundle)?.reason).toBe("wrong dose");
  });
});
