import { describe, expect, it } from "vitest";
import { blobKey, indexKey, WORK_MS, workKey } from "../../../src/bundle/keys.ts";
import { deploy } from "../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../src/deploy/deployable.ts";
import { prune } from "../../../src/deploy/prune.ts";
import { rollback } from "../../../src/deploy/rollback.ts";
import { LAG_MS } from "../../../src/deploy/work.ts";
import { packSkills } from "../../../src/pack/pack.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { layerOf, readWhole } from "../../helpers/deployable.ts";
import { plant } from "../../helpers/directories.ts";
import { codeOf, failureOf } from "../../helpers/error-code.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";

const START = new Date("2026-11-30T12:00:00.000Z");
const now = () => START;
const later = (ms: number) => () => new Date(START.getTime() + ms);
const LIVE = { channel: "live", by: "ada", now };

const version = (text: string, layer = "platform"): Promise<DeployableLayer> =>
  layerOf(layer, [{ name: "a", body: `${text}\n`, files: [{ path: "notes.md", content: `notes ${text}` }] }]);

async function deployed(...texts: string[]) {
  const target = new MemoryTarget();
  const layers = await Promise.all(texts.map((text) => version(text)));
  for (const layer of layers) {
    await deploy(target, [layer], LIVE);
  }
  return { target, layers };
}

/** What is stored of a layer's bundle. */
const keysOf = ({ digest, blobs }: DeployableLayer) => [indexKey(digest), ...[...blobs.keys()].map(blobKey)].sort();
const stored = (target: MemoryTarget) => [...target.entries.keys()].filter((key) => !key.startsWith("channel/")).sort();

describe("prune()", () => {
  it("removes what nothing refers to, and nothing of any bundle in any history", async () => {
    const { target, layers } = await deployed("one", "two");
    await deploy(target, [await version("two", "acme")], { ...LIVE, channel: "preview" });
    const kept = stored(target);
    // A deploy that was killed before its pointer moved.
    const orphan = await version("orphan");
    await target.put([{ key: indexKey(orphan.digest), bytes: orphan.index }]);
    await target.put([...orphan.blobs].map(([digest, bytes]) => ({ key: blobKey(digest), bytes })));

    const would = await prune(target, { now, mode: "dry" });
    expect(stored(target)).toEqual([...new Set([...kept, ...keysOf(orphan)])].sort());
    const did = await prune(target, { now });
    expect(did).toEqual(would);
    expect(did.removed).toEqual({ indexes: 1, blobs: 3 });
    expect(stored(target)).toEqual(kept);
    expect(layers.flatMap(keysOf).every((key) => target.entries.has(key))).toBe(true);
    const again = await prune(target, { now: later(LAG_MS) });
    expect(again.removed).toEqual({ indexes: 0, blobs: 0 });
  });

  it("removes nothing of what the packer makes of skills: portable forms, compiled scripts", async () => {
    const root = plant({
      "PDF Tools/SKILL.md": "---\nname: PDF Tools\ndescription: Reads.\nmetadata:\n  tags: [a, b]\n---\nRead.\n",
      "PDF Tools/scripts/run.ts": "export const one: number = 1;\nconsole.log(one);\n",
      "PDF Tools/scripts/run.py": "print(1)\n",
    });
    const { layers } = await packSkills({ roots: [root] });
    const [layer] = layers;
    const target = new MemoryTarget();
    await deploy(target, layers, LIVE);
    // The manifest, its portable form, two scripts, a compiled one, the record.
    expect(layer?.blobs.size).toBe(6);
    expect(await prune(target, { now })).toEqual({
      dropped: [],
      shortened: [],
      removed: { indexes: 0, blobs: 0 },
      kept: { indexes: 1, blobs: 6 },
    });
  });

  it("with keep forgets older bundles before it removes them, so that nobody can go back to what is gone", async () => {
    const { target, layers } = await deployed("one", "two", "three");
    const [one, two, three] = layers;
    const report = await prune(target, { now, keep: 2 });
    expect(report.shortened).toEqual([{ layer: "platform", channel: "live", forgotten: [one?.digest] }]);
    expect(stored(target)).toEqual([...new Set([two, three].flatMap((layer) => (layer ? keysOf(layer) : [])))].sort());
    const { pointer } = await target.readPointer("platform", "live");
    expect(pointer?.history.map(({ bundle }) => bundle)).toEqual([three?.digest, two?.digest]);
    const back = { layer: "platform", channel: "live", to: one?.digest ?? "", by: "bob", now };
    expect(await codeOf(() => rollback(target, back))).toBe("bundle-unknown");
  });

  it("drops channels, and what only they needed", async () => {
    const { target } = await deployed("one");
    const kept = stored(target);
    for (const channel of ["preview-1", "preview-2"]) {
      await deploy(target, [await version(channel)], { ...LIVE, channel });
    }
    const report = await prune(target, { now, drop: ["preview-1", "preview-2", "nobodys"] });
    expect(report.dropped.map(({ channel }) => channel).sort()).toEqual(["preview-1", "preview-2"]);
    expect([stored(target), await target.listPointers()]).toEqual([kept, [{ layer: "platform", channel: "live" }]]);
  });

  it("is refused while a deploy is under way, and told until when at most", async () => {
    const { target } = await deployed("one");
    const put = target.put.bind(target);
    const seen: unknown[] = [];
    target.put = async (entries) => {
      seen.push(await failureOf(() => prune(target, { now })));
      await put(entries);
    };
    await deploy(target, [await version("two")], LIVE);
    expect(seen.map((error) => (error as { code: string }).code)).toEqual(["target-busy", "target-busy"]);
    expect(target.notes.size).toBe(0);
    expect(Object.keys(await readWhole(createMemoryStore(target.entries), "platform"))).toEqual(["a"]);
  });

  it("is not held up for ever by a deploy that was killed", async () => {
    const { target } = await deployed("one");
    target.notes.add(workKey("deploy", `${START.getTime() + WORK_MS}-killed`));
    expect(await failureOf(() => prune(target, { now }))).toMatchObject({
      code: "target-busy",
      hint: expect.stringContaining("2026-11-30T12:10:00.000Z"),
    });
    expect((await prune(target, { now: later(WORK_MS) })).removed).toEqual({ indexes: 0, blobs: 0 });
  });

  it("waits for a deploy to end when it is told to, and keeps others out meanwhile", async () => {
    const { target } = await deployed("one");
    let time = START.getTime();
    const clock = () => new Date(time);
    const other = workKey("deploy", `${time + WORK_MS}-upload-of-a-tenant`);
    target.notes.add(other);
    const told: number[] = [];
    const during: unknown[] = [];
    const waiting = {
      ms: 15 * 60_000,
      sleep: async (ms: number) => {
        time += ms;
        during.push(await codeOf(async () => deploy(target, [await version("two")], { ...LIVE, now: clock })));
      },
      onWait: (until: number) => told.push(until),
    };
    const { removed } = await prune(target, { now: clock, waiting });
    expect(removed).toEqual({ indexes: 0, blobs: 0 });
    expect([told, new Set(during)]).toEqual([[START.getTime() + WORK_MS], new Set(["target-busy"])]);
    expect(time).toBe(START.getTime() + WORK_MS);

    const endless = workKey("deploy", `${time + 60 * 60_000}-somebody`);
    target.notes.add(endless);
    expect(await failureOf(() => prune(target, { now: clock, waiting }))).toMatchObject({ code: "target-busy" });
    expect([...target.notes].filter((key) => key.startsWith("work/prune/"))).toEqual([]);
    const stopped = { ...waiting, sleep: () => Promise.reject(new Error("stopped")) };
    await expect(prune(target, { now: clock, waiting: stopped })).rejects.toThrow("stopped");
    expect([...target.notes].filter((key) => key.startsWith("work/prune/"))).toEqual([]);
  });

  it("keeps deploys out while it removes; the next one uploads also what a listing still has", async () => {
    const { target } = await deployed("one", "two");
    const again = await version("one");
    const remove = target.remove.bind(target);
    const during: unknown[] = [];
    target.remove = async (keys) => {
      during.push(await codeOf(async () => deploy(target, [await version("three")], LIVE)));
      await remove(keys);
    };
    await prune(target, { now, keep: 1 });
    expect(during).toEqual(["target-busy"]);

    // A store whose listing lags behind: everything seems to be there.
    target.missing = async () => [];
    await deploy(target, [again], { ...LIVE, now: later(1_000) });
    expect((await readWhole(createMemoryStore(target.entries), "platform")).a?.[""]).toBe("one\n");
  });

  it("removes nothing when it cannot be told what a kept bundle refers to", async () => {
    const { target, layers } = await deployed("one", "two");
    await target.remove([indexKey(layers[0]?.digest ?? expect.fail())]);
    const before = stored(target);
    expect(await codeOf(() => prune(target, { now }))).toBe("bundle-damaged");
    expect([stored(target), target.notes.size]).toEqual([before, 0]);
  });
});

describe("rollback()", () => {
  it("refuses a bundle whose index is gone, and moves nothing", async () => {
    const { target, layers } = await deployed("one", "two");
    await target.remove([indexKey(layers[0]?.digest ?? expect.fail())]);
    target.writes.length = 0;
    const back = { layer: "platform", channel: "live", to: null, by: "bob", now };
    expect([await codeOf(() => rollback(target, back)), target.writes]).toEqual(["bundle-gone", []]);
  });

  it("names the git commit that its bundle was deployed from", async () => {
    const target = new MemoryTarget();
    for (const text of ["one", "two"]) {
      await deploy(target, [await version(text)], { ...LIVE, commit: `commit of ${text}` });
    }
    await rollback(target, { layer: "platform", channel: "live", to: null, by: "bob", now });
    const { pointer } = await target.readPointer("platform", "live");
    const moves = pointer?.history.map(({ reason, commit }) => [reason, commit]);
    expect(moves).toEqual([
      ["rollback", "commit of one"],
      ["deploy", "commit of two"],
      ["deploy", "commit of one"],
    ]);
  });
});
