import { describe, expect, it } from "vitest";
import { BLOCK_LIST_KEY, blobKey, channelKey, indexKey, runtimeKey } from "../../../src/bundle/keys.ts";
import { changeBlockList } from "../../../src/deploy/block-list.ts";
import { deploy, dryRun } from "../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../src/deploy/deployable.ts";
import { promote } from "../../../src/deploy/promote.ts";
import { prune } from "../../../src/deploy/prune.ts";
import { planPurge, purge } from "../../../src/deploy/purge.ts";
import { block, digestMeant, lift } from "../../../src/deploy/recall.ts";
import { rollback } from "../../../src/deploy/rollback.ts";
import { LAG_MS } from "../../../src/deploy/work.ts";
import { type Digest, digestOf } from "../../../src/model/digest.ts";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { layerOf, readWhole } from "../../helpers/deployable.ts";
import { codeOf, failureOf } from "../../helpers/error-code.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";

const AT = "2026-11-30T12:00:00.000Z";
const now = () => new Date(AT);
const later = () => new Date(now().getTime() + LAG_MS);
const LIVE = { channel: "live", by: "ada", now };
const RECALL = { reason: "wrong dose", by: "eve", now };
const BACK = { layer: "platform", channel: "live", to: null, by: "ada", now };

/** Two skills that share a file. */
const version = (text: string, layer = "platform"): Promise<DeployableLayer> =>
  layerOf(layer, [
    { name: "dose", body: `${text}\n`, files: [{ path: "table.csv", content: `table ${text}` }, SHARED] },
    { name: "other", body: "Stays.\n", files: [SHARED] },
  ]);
const SHARED = { path: "shared.md", content: "shared\n" };

async function deployed(...texts: string[]) {
  const target = new MemoryTarget();
  const layers = await Promise.all(texts.map((text) => version(text)));
  for (const layer of layers) {
    await deploy(target, [layer], LIVE);
  }
  return { target, layers };
}

const tableOf = (text: string): Promise<Digest> => digestOf(`table ${text}`);

async function skillsOf(target: MemoryTarget, layer = "platform") {
  return createPackedSource(createMemoryStore(target.entries), { layer }).getSkills(NO_CONTEXT);
}

async function skillDigest(target: MemoryTarget, name: string): Promise<Digest> {
  const skill = (await skillsOf(target)).find((item) => item.name === name);
  if (!skill?.digest) {
    throw new TypeError(`no skill ${name}`);
  }
  return skill.digest;
}

async function blocksIn(target: MemoryTarget): Promise<unknown[]> {
  const pointers = await target.listPointers();
  const read = await Promise.all(pointers.map(({ layer, channel }) => target.readPointer(layer, channel)));
  return read.map(({ pointer }) => pointer?.blocked?.blocks.map(({ digest }) => digest) ?? []);
}

describe("block()", () => {
  it("writes the list and a copy into every pointer of every layer and channel, and tells who holds it", async () => {
    const { target, layers } = await deployed("one", "two");
    await deploy(target, [await version("one", "acme")], { ...LIVE, channel: "preview" });
    const digest = await tableOf("one");
    const report = await block(target, digest, RECALL);
    expect((await target.readBlockList()).list).toEqual({
      seq: 1,
      blocks: [{ digest, reason: "wrong dose", at: AT, by: "eve" }],
    });
    expect(await blocksIn(target)).toEqual([[digest], [digest]]);
    const [one] = layers;
    expect({
      ...report,
      holders: report.holders.map(({ places, skills }) => [places, skills.map(({ name }) => name)]),
    }).toEqual({
      digest,
      reason: "wrong dose",
      kind: "file",
      holders: [
        [
          [
            { layer: "acme", channel: "preview", live: true },
            { layer: "platform", channel: "live", live: false },
          ],
          ["dose"],
        ],
      ],
    });
    expect(report.holders[0]?.bundle).toBe(one?.digest);
  });

  it("blocks with a SKILL.md the skills whose it is, so that no list has their description", async () => {
    const { target } = await deployed("one");
    const manifest = await digestOf("---\nname: dose\n---\none\n");
    const skill = await skillDigest(target, "dose");
    await block(target, manifest, RECALL);
    const made = { reason: "wrong dose", at: AT, by: "eve" };
    expect((await target.readBlockList()).list.blocks).toEqual([
      { digest: manifest, ...made },
      { digest: skill, ...made, with: manifest },
    ]);
    expect((await skillsOf(target)).map(({ name, blocked }) => [name, blocked])).toEqual([
      ["dose", "wrong dose"],
      ["other", null],
    ]);
    await lift(target, manifest, {});
    expect((await target.readBlockList()).list).toEqual({ seq: 3, blocks: [] });
    expect((await skillsOf(target)).map(({ blocked }) => blocked)).toEqual([null, null]);
  });

  it("of what is not there is kept for what may come; dry it does nothing; without a reason it is refused", async () => {
    const { target } = await deployed("one");
    const unknown = await digestOf("not yet");
    expect(await block(target, unknown, { ...RECALL, mode: "dry" })).toMatchObject({ kind: "unknown", holders: [] });
    expect(await blocksIn(target)).toEqual([[]]);
    expect(await codeOf(() => block(target, unknown, { ...RECALL, reason: " " }))).toBe("usage");
    expect(await codeOf(() => block(target, unknown, { ...RECALL, reason: "x".repeat(501) }))).toBe("usage");
    await block(target, unknown, RECALL);
    expect(await blocksIn(target)).toEqual([[unknown]]);
  });

  it("reaches a pointer that a deploy makes at the same time, wherever the two meet", async () => {
    const digest = await digestOf("recalled");
    for (let steps = 0; steps < 14; steps++) {
      const { target } = await deployed("one");
      const gate = new StepTarget(target, steps, () =>
        changeBlockList(target, () => [{ digest, reason: "r", at: AT, by: "eve" }]),
      );
      await deploy(gate, [await version("new", "acme"), await version("two")], LIVE);
      await gate.done();
      expect([steps, await blocksIn(target)]).toEqual([steps, [[digest], [digest]]]);
    }
  });

  it("is no conflict for a deploy, while another deploy is", async () => {
    const { target } = await deployed("one");
    const digest = await digestOf("recalled");
    const made = { digest, reason: "r", at: AT, by: "eve" };
    const gate = new StepTarget(target, 3, () => changeBlockList(target, () => [made]));
    await deploy(gate, [await version("two")], LIVE);
    const { pointer } = await target.readPointer("platform", "live");
    expect([pointer?.bundle, pointer?.blocked?.blocks]).toEqual([(await version("two")).digest, [made]]);
  });

  it("of two at the same time loses none", async () => {
    const { target } = await deployed("one");
    const digests = await Promise.all(["a", "b", "c", "d"].map((text) => digestOf(text)));
    await Promise.all(digests.map((digest) => block(target, digest, RECALL)));
    expect((await blocksIn(target)).map((list) => (list as string[]).toSorted())).toEqual([digests.toSorted()]);
  });
});

/** Does something else after so many calls of a target. */
class StepTarget extends MemoryTarget {
  #left: number;
  #other: Promise<unknown> | null = null;

  constructor(target: MemoryTarget, steps: number, other: () => Promise<unknown>) {
    super();
    this.#left = steps;
    // The methods of the real target, each after the count.
    const names = ["missing", "put", "get", "readPointer", "writePointer", "readBlockList"] as const;
    for (const name of names) {
      const method = target[name].bind(target) as (...args: unknown[]) => Promise<unknown>;
      Object.assign(this, {
        [name]: async (...args: unknown[]) => {
          if (this.#left-- === 0) {
            this.#other = other();
            await this.#other;
          }
          return method(...args);
        },
      });
    }
    Object.assign(this, {
      listPointers: () => target.listPointers(),
      writeBlockList: target.writeBlockList.bind(target),
    });
  }

  async done(): Promise<void> {
    await this.#other;
  }
}

describe("what is recalled is not made live", () => {
  it.each(["skill", "file", "SKILL.md", "bundle", "record"] as const)(
    "deploy() refuses a blocked %s before anything is sent, naming it and the reason",
    async (what) => {
      const { target } = await deployed("one");
      const [two, record] = [await version("two"), (await skillsOf(target))[0]?.revision as Digest];
      const digests = {
        skill: await skillDigest(target, "dose"),
        file: await tableOf("one"),
        "SKILL.md": await digestOf("---\nname: dose\n---\none\n"),
        bundle: (await version("one")).digest,
        record,
      };
      const digest = digests[what];
      await deploy(target, [two], LIVE);
      await block(target, digest, RECALL);
      const writes = target.writes.length;
      const failure = await failureOf(async () => deploy(target, [await version("one")], LIVE));
      const code = { bundle: "bundle-blocked", file: "file-blocked" }[what as string] ?? "skill-blocked";
      expect([
        failure.code,
        /^Cannot .*(dose|platform|table).*sha256:[0-9a-f]{64} was recalled: wrong dose/.test(failure.message),
      ]).toEqual([code, true]);
      expect(await codeOf(async () => dryRun(target, [await version("one")], LIVE))).toBe(code);
      expect(target.writes.slice(writes)).toEqual([]);
      await deploy(target, [two], LIVE);
    },
  );

  it("rollback() refuses a recalled bundle, and passes over it when none is named", async () => {
    const { target, layers } = await deployed("one", "two", "three");
    const [one, two] = layers;
    await block(target, two?.digest as Digest, RECALL);
    expect(await codeOf(() => rollback(target, { ...BACK, to: two?.digest ?? "" }))).toBe("bundle-blocked");
    expect(await rollback(target, BACK)).toMatchObject({ bundle: one?.digest });
  });

  it("promote() refuses a recalled bundle", async () => {
    const { target } = await deployed("one");
    const two = await version("two");
    await deploy(target, [two], { ...LIVE, channel: "preview" });
    await block(target, two.digest, RECALL);
    const options = { from: "preview", to: "live", layer: null, by: "ada", now };
    expect(await codeOf(() => promote(target, options))).toBe("bundle-blocked");
  });
});

describe("digestMeant()", () => {
  it("takes whole digests of anything, and the first digits of what is there", async () => {
    const { target, layers } = await deployed("one");
    const table = await tableOf("one");
    const bundle = layers[0]?.digest as Digest;
    expect(await digestMeant(target, table.slice(7, 15))).toBe(table);
    expect(await digestMeant(target, bundle.slice(0, 20))).toBe(bundle);
    const unknown = await digestOf("nowhere");
    expect(await digestMeant(target, unknown.slice(7))).toBe(unknown);
    expect(await codeOf(() => digestMeant(target, unknown.slice(7, 20)))).toBe("digest-unknown");
    expect(await codeOf(() => digestMeant(target, table.slice(7, 12)))).toBe("digest-unknown");
  });
});

describe("purge()", () => {
  const everything = (target: MemoryTarget): string =>
    [...target.entries]
      .filter(([key]) => !key.startsWith("channel/") && key !== BLOCK_LIST_KEY)
      .map(([, bytes]) => new TextDecoder().decode(bytes))
      .join("\n");

  it("of a file removes its bytes, the records that hold its text, and nothing that other skills need", async () => {
    const { target, layers } = await deployed("one", "two");
    const digest = await tableOf("one");
    const plan = await planPurge(target, digest);
    const [one] = layers;
    expect([plan.kind, plan.breaks]).toEqual([
      "file",
      [{ bundle: one?.digest, places: [{ layer: "platform", channel: "live", live: false }], skills: ["dose"] }],
    ]);
    expect(target.entries.has(blobKey(digest))).toBe(true);
    await purge(target, digest, RECALL);
    expect([target.entries.has(blobKey(digest)), everything(target).includes("table one")]).toEqual([false, false]);
    await rollback(target, BACK);
    const skills = await skillsOf(target);
    expect(skills.map(({ name, blocked }) => [name, blocked])).toEqual([
      ["dose", "wrong dose"],
      ["other", null],
    ]);
    expect(await codeOf(async () => skills[0]?.getContent())).toBe("skill-blocked");
    expect((await skills[1]?.getContent())?.body).toBe("Stays.\n");
    // The history still names what is gone: that holds up no prune, and cannot be lifted.
    expect((await prune(target, { now: later })).removed).toMatchObject({ indexes: 0 });
    expect(await codeOf(() => lift(target, digest, {}))).toBe("bundle-gone");
  });

  it("of a SKILL.md or a skill removes the index too, which has its description", async () => {
    const { target, layers } = await deployed("one", "two");
    const [one, two] = layers;
    const manifest = await digestOf("---\nname: dose\n---\none\n");
    const { breaks } = await purge(target, manifest, RECALL);
    expect(breaks).toMatchObject([{ bundle: one?.digest, skills: null }]);
    expect(target.entries.has(indexKey(one?.digest as Digest))).toBe(false);
    expect(everything(target)).not.toContain("one");
    expect(await codeOf(() => rollback(target, { ...BACK, to: one?.digest ?? "" }))).toBe("bundle-blocked");
    expect(Object.keys(await readWhole(createMemoryStore(target.entries), "platform"))).toEqual(["dose", "other"]);
    expect((await prune(target, { now: later, keep: 1 })).shortened).toMatchObject([{ forgotten: [one?.digest] }]);
    expect(await lift(target, manifest, {})).toHaveLength(3);
    expect((await target.readPointer("platform", "live")).pointer?.bundle).toBe(two?.digest);
  });

  it("of a bundle removes what only it needs; a live one leaves a layer without skills", async () => {
    const { target, layers } = await deployed("one", "two");
    const [, two] = layers;
    const { breaks, kind } = await purge(target, two?.digest as Digest, RECALL);
    expect([kind, breaks]).toMatchObject(["bundle", [{ bundle: two?.digest, places: [{ live: true }], skills: null }]]);
    expect([await skillsOf(target), everything(target).includes("table two")]).toEqual([[], false]);
    await rollback(target, BACK);
    expect(Object.keys(await readWhole(createMemoryStore(target.entries), "platform"))).toEqual(["dose", "other"]);
  });

  it("reaches what tenants put at run time", async () => {
    const { target } = await deployed("one");
    const digest = await tableOf("one");
    const [record = new Uint8Array()] = [...target.entries]
      .filter(([key, bytes]) => key.startsWith("blob/") && new TextDecoder().decode(bytes).includes(`"${digest}"`))
      .map(([, bytes]) => bytes);
    const recordKey = runtimeKey("acme", blobKey(await digestOf(record)));
    const [fileKey, otherKey] = [runtimeKey("acme", blobKey(digest)), runtimeKey("acme", blobKey(await digestOf("x")))];
    target.entries.set(recordKey, record);
    target.entries.set(fileKey, new TextEncoder().encode("table one"));
    target.entries.set(otherKey, new TextEncoder().encode("x"));
    await purge(target, digest, RECALL);
    expect([recordKey, fileKey, otherKey].map((key) => target.entries.has(key))).toEqual([false, false, true]);
  });

  it("takes no skill whose text only names the digest", async () => {
    const { target } = await deployed("one");
    const digest = await tableOf("one");
    const layer = await layerOf("acme", [{ name: "diary", body: `Recalled: ${digest}\n`, files: [SHARED] }]);
    await deploy(target, [layer], LIVE);
    const { breaks } = await purge(target, digest, RECALL);
    expect(breaks.map(({ skills }) => skills)).toEqual([["dose"]]);
    expect(await readWhole(createMemoryStore(target.entries), "acme")).toMatchObject({
      diary: { "shared.md": "shared\n" },
    });
  });

  it("keeps out of the way of deploys, and changes nothing then", async () => {
    const { target } = await deployed("one");
    target.notes.add(`work/deploy/${now().getTime() + 60_000}-other`);
    const before = [...target.entries.keys()];
    expect(await codeOf(async () => purge(target, await tableOf("one"), RECALL))).toBe("target-busy");
    expect([...target.entries.keys()]).toEqual(before);
    expect(target.entries.has(channelKey("platform", "live"))).toBe(true);
  });
});
