import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channelKey } from "../../../src/bundle/keys.ts";
import { deploy } from "../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../src/deploy/deployable.ts";
import { type LocalPlatform, startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../../src/deploy/local-target.ts";
import type { DeployTarget } from "../../../src/deploy/target.ts";
import type { BlobStore } from "../../../src/sources/blob-store.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { layerOf, readWhole } from "../../helpers/deployable.ts";
import { Killed, MemoryTarget } from "../../helpers/memory-target.ts";
import type { SkillSpec } from "../../helpers/pack-skills.ts";

const OPTIONS = { channel: "live", by: "test", now: () => new Date(0) };
/** Too large to travel inside a record, so that it is a blob that is read. */
const LARGE = "x".repeat(40_000);
const SHARED = { path: "references/shared.md", content: `shared ${LARGE}` };

function skills(version: string): SkillSpec[] {
  return ["alpha", "beta", "gamma"].map((name) => ({
    name,
    body: `${name} ${version}\n`,
    files: [
      { path: "references/big.md", content: `${name} ${version} ${LARGE}` },
      { path: "references/small.md", content: `${name} ${version}` },
      SHARED,
    ],
  }));
}

const LAYERS = ["platform", "acme"] as const;
const layersOf = (version: string): Promise<DeployableLayer[]> =>
  Promise.all(LAYERS.map((name) => layerOf(name, skills(`${name} ${version}`))));

let before: DeployableLayer[] = [];
let after: DeployableLayer[] = [];
/** What readers see of each layer. */
let whole: Record<string, Record<"before" | "after", unknown>> = {};

beforeAll(async () => {
  before = await layersOf("before");
  after = await layersOf("after");
  const views = await Promise.all([before, after].map(viewsOf));
  whole = Object.fromEntries(LAYERS.map((name, i) => [name, { before: views[0]?.[i], after: views[1]?.[i] }]));
});

async function viewsOf(layers: readonly DeployableLayer[]): Promise<unknown[]> {
  const target = new MemoryTarget();
  await deploy(target, layers, OPTIONS);
  return Promise.all(LAYERS.map((layer) => readWhole(createMemoryStore(target.entries), layer)));
}

/** `before` or `after` for each layer; fails when a reader sees anything else, or anything half. */
async function seen(store: BlobStore): Promise<string[]> {
  return Promise.all(
    LAYERS.map(async (layer) => {
      const view = await readWhole(store, layer);
      const isAfter = JSON.stringify(view) === JSON.stringify(whole[layer]?.after);
      expect(view).toEqual(isAfter ? whole[layer]?.after : whole[layer]?.before);
      return isAfter ? "after" : "before";
    }),
  );
}

describe("deploy() over a store that dies", () => {
  it("leaves readers the old bundle or the new one, whole, before whichever write it dies, and the next one ends the work", async () => {
    const old = new MemoryTarget();
    await deploy(old, before, OPTIONS);
    const uninterrupted = new MemoryTarget(old.entries);
    await deploy(uninterrupted, after, OPTIONS);
    const total = uninterrupted.writes.length;

    const views: string[][] = [];
    for (let n = 0; n < total; n++) {
      const target = new MemoryTarget(old.entries);
      target.writesLeft = n;
      await expect(deploy(target, after, OPTIONS)).rejects.toBeInstanceOf(Killed);
      views.push(await seen(createMemoryStore(target.entries)));

      target.writesLeft = Number.POSITIVE_INFINITY;
      await deploy(target, after, OPTIONS);
      expect(await seen(createMemoryStore(target.entries))).toEqual(["after", "after"]);
      // What was written the first time is not written again.
      expect(target.writes).toEqual(uninterrupted.writes);
    }
    // Only the pointers, which are written last, change what is seen.
    const expected = Array.from({ length: total }, (_, n) => [n < total - 1 ? "before" : "after", "before"]);
    expect(views).toEqual(expected);
  });

  it("leaves nothing to see before the first bundle is whole", async () => {
    const uninterrupted = new MemoryTarget();
    await deploy(uninterrupted, before, OPTIONS);
    const pointers = LAYERS.map((layer) => channelKey(layer, "live"));
    expect(uninterrupted.writes.slice(-pointers.length)).toEqual(pointers);
    for (let n = 0; n <= uninterrupted.writes.length - pointers.length; n++) {
      const target = new MemoryTarget();
      target.writesLeft = n;
      await expect(deploy(target, before, OPTIONS)).rejects.toBeInstanceOf(Killed);
      const views = LAYERS.map((layer) => readWhole(createMemoryStore(target.entries), layer));
      expect(await Promise.all(views)).toEqual([{}, {}]);
    }
  });
});

describe("deploy() over the local platform that dies", { timeout: 60_000 }, () => {
  let platform: LocalPlatform;
  let target: DeployTarget;

  beforeAll(async () => {
    platform = await startLocalPlatform({ state: null });
    target = await createLocalTarget(platform, "nowhere");
  }, 60_000);
  afterAll(() => target.close());

  async function localStore(): Promise<BlobStore> {
    const r2 = await platform.r2();
    return {
      getImmutable: (key) => target.get(key),
      async getCurrent(key) {
        const object = await r2.get(key);
        return object === null ? null : new Uint8Array(await object.arrayBuffer());
      },
    };
  }

  it("leaves readers the old bundle or the new one, whole", async () => {
    await deploy(target, before, OPTIONS);
    const store = await localStore();
    const views: string[][] = [];
    for (const n of [0, 1, 5, 9]) {
      await expect(deploy(dyingAfter(target, n), after, OPTIONS)).rejects.toBeInstanceOf(Killed);
      views.push(await seen(store));
    }
    await deploy(target, after, OPTIONS);
    views.push(await seen(store));
    expect(views).toEqual([...Array.from({ length: 4 }, () => ["before", "before"]), ["after", "after"]]);
  });
});

/** The same target, dead after so many written entries. */
function dyingAfter(target: DeployTarget, writes: number): DeployTarget {
  let left = writes;
  return {
    ...target,
    async put(entries) {
      const done = entries.slice(0, left);
      left -= done.length;
      await target.put(done);
      if (done.length < entries.length) {
        throw new Killed("killed before a write");
      }
    },
    async writePointer(...args) {
      if (left <= 0) {
        throw new Killed("killed before a write");
      }
      left--;
      return target.writePointer(...args);
    },
  };
}
