import { describe, expect, it } from "vitest";
import { blobKey, channelKey, indexKey } from "../../../src/bundle/keys.ts";
import { deploy, dryRun } from "../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../src/deploy/deployable.ts";
import { rollback } from "../../../src/deploy/rollback.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { layerOf, readWhole } from "../../helpers/deployable.ts";
import { codeOf, failureOf } from "../../helpers/error-code.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";
import type { SkillSpec } from "../../helpers/pack-skills.ts";

const OPTIONS = { channel: "live", by: "ada", now: () => new Date("2026-11-30T12:00:00.000Z") };
const BACK = { layer: "platform", channel: "live", to: null, by: "bob", now: OPTIONS.now };
const NOTES = { path: "references/notes.md", content: "the same notes" };

function skill(name: string, body = "first\n"): SkillSpec {
  return { name, body, files: [NOTES, { path: "references/own.md", content: `of ${name}` }] };
}

const platform = (body?: string): Promise<DeployableLayer> => layerOf("platform", [skill("a", body), skill("b")]);

/** A target to which these bodies of skill `a` were deployed in turn, and the bundles. */
async function deployed(...bodies: string[]): Promise<{ target: MemoryTarget; layers: DeployableLayer[] }> {
  const target = new MemoryTarget();
  const layers = await Promise.all(bodies.map(platform));
  for (const layer of layers) {
    await deploy(target, [layer], OPTIONS);
  }
  target.writes.length = 0;
  return { target, layers };
}

describe("deploy()", () => {
  it("writes blobs, then the index, then the pointer, each once, files that are the same once", async () => {
    const target = new MemoryTarget();
    const layer = await platform();
    const report = await deploy(target, [layer], OPTIONS);
    const blobs = [...layer.blobs.keys()].map(blobKey);
    expect(target.writes).toEqual([...blobs, indexKey(layer.digest), channelKey("platform", "live")]);
    // Two manifests, two own files, one of both, two records.
    expect(blobs).toHaveLength(7);
    const bytes = [...layer.blobs.values()].reduce((sum, blob) => sum + blob.byteLength, 0);
    expect(report).toEqual({
      channel: "live",
      layers: [{ layer: "platform", bundle: layer.digest, previous: null, moved: true }],
      blobs: { uploaded: 7, unchanged: 0, bytes },
    });
  });

  it("writes a blob of two layers once", async () => {
    const target = new MemoryTarget();
    const layers = [await layerOf("platform", [skill("a")]), await layerOf("acme", [skill("a")])];
    await deploy(target, layers, OPTIONS);
    expect(target.writes.toSorted()).toEqual([...new Set(target.writes)].toSorted());
    expect(await readWhole(createMemoryStore(target.entries), "acme")).toEqual(
      await readWhole(createMemoryStore(target.entries), "platform"),
    );
  });

  it("writes nothing when nothing has changed", async () => {
    const { target, layers } = await deployed("first\n");
    const report = await deploy(target, layers, OPTIONS);
    expect(target.writes).toEqual([]);
    expect(report.blobs).toEqual({ uploaded: 0, unchanged: 7, bytes: 0 });
    expect(report.layers.map(({ moved }) => moved)).toEqual([false]);
  });

  it("mends what lacks of what is live, without a note and without a move", async () => {
    const { target, layers } = await deployed("first\n");
    const [lost = ""] = [...target.entries.keys()].filter((key) => key.startsWith("blob/"));
    target.entries.delete(lost);
    target.work.put = () => expect.fail("no pointer moves");
    const report = await deploy(target, layers, OPTIONS);
    expect([target.writes, report.blobs.uploaded, report.layers[0]?.moved]).toEqual([[lost], 1, false]);
  });

  it("uploads of one changed file its blob, the record, the index and the pointer", async () => {
    const { target, layers } = await deployed("first\n");
    const changed = await platform("second\n");
    await deploy(target, [changed], OPTIONS);
    const fresh = [...changed.blobs.keys()].filter((digest) => !layers[0]?.blobs.has(digest)).map(blobKey);
    expect(fresh).toHaveLength(2);
    expect(target.writes).toEqual([...fresh, indexKey(changed.digest), channelKey("platform", "live")]);
  });

  it("uploads everything again when it is told to, and moves nothing that is there", async () => {
    const { target, layers } = await deployed("first\n");
    for (const key of target.entries.keys()) {
      if (key.startsWith("blob/")) {
        target.entries.set(key, new Uint8Array());
      }
    }
    const report = await deploy(target, layers, { ...OPTIONS, upload: "all" });
    expect(report.blobs).toMatchObject({ uploaded: 7, unchanged: 0 });
    expect(target.writes.filter((key) => key.startsWith("channel/"))).toEqual([]);
    expect(Object.keys(await readWhole(createMemoryStore(target.entries), "platform"))).toEqual(["a", "b"]);
  });

  it("of two at the same time lets one win, refuses the other, and loses nothing", async () => {
    const { target, layers } = await deployed("first\n");
    const mine = await platform("mine\n");
    const theirs = await platform("theirs\n");
    // Both have read the pointer before either writes it.
    const ends = await Promise.allSettled([deploy(target, [mine], OPTIONS), deploy(target, [theirs], OPTIONS)]);
    const lost = ends.find((end) => end.status === "rejected");
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(lost?.reason.code).toBe("deploy-conflict");

    const winner = ends[0].status === "fulfilled" ? mine : theirs;
    const { pointer } = await target.readPointer("platform", "live");
    expect(pointer?.history.map(({ bundle }) => bundle)).toEqual([winner.digest, layers[0]?.digest]);
    const loser = winner === mine ? theirs : mine;
    await deploy(target, [loser], OPTIONS);
    const { pointer: next } = await target.readPointer("platform", "live");
    expect(next?.history.map(({ bundle }) => bundle)).toEqual([loser.digest, winner.digest, layers[0]?.digest]);
  });

  it("moves no layer when another one of them was moved meanwhile", async () => {
    const target = new MemoryTarget();
    const layers = [await platform(), await layerOf("acme", [skill("a")])];
    await deploy(target, layers, OPTIONS);
    const rival = await layerOf("acme", [skill("a", "rival\n")]);
    const put = target.put.bind(target);
    target.put = async (entries) => {
      target.put = put;
      await deploy(target, [rival], OPTIONS);
      await put(entries);
    };
    const changed = [await platform("second\n"), await layerOf("acme", [skill("a", "second\n")])];
    expect(await codeOf(() => deploy(target, changed, OPTIONS))).toBe("deploy-conflict");
    const live = await Promise.all(["platform", "acme"].map((layer) => target.readPointer(layer, "live")));
    expect(live.map(({ pointer }) => pointer?.bundle)).toEqual([layers[0]?.digest, rival.digest]);
  });

  it("keeps channels apart", async () => {
    const { target, layers } = await deployed("first\n");
    const next = await platform("next\n");
    await deploy(target, [next], { ...OPTIONS, channel: "preview" });
    const bundles = await Promise.all(["live", "preview"].map((channel) => target.readPointer("platform", channel)));
    expect(bundles.map(({ pointer }) => pointer?.bundle)).toEqual([layers[0]?.digest, next.digest]);
  });
});

describe("dryRun()", () => {
  it("reports what a deploy would report, and writes nothing", async () => {
    const { target } = await deployed("first\n");
    const changed = [await platform("second\n")];
    const would = await dryRun(target, changed, OPTIONS);
    expect(target.writes).toEqual([]);
    expect(await deploy(target, changed, OPTIONS)).toEqual(would);
  });
});

describe("rollback()", () => {
  it("is one write, of the pointer, and readers see the earlier bundle", async () => {
    const { target, layers } = await deployed("first\n", "second\n");
    const report = await rollback(target, BACK);
    expect(report).toEqual({
      layer: "platform",
      channel: "live",
      bundle: layers[0]?.digest,
      previous: layers[1]?.digest,
    });
    expect(target.writes).toEqual([channelKey("platform", "live")]);
    const { pointer } = await target.readPointer("platform", "live");
    expect(pointer?.history[0]).toEqual({
      bundle: layers[0]?.digest,
      at: "2026-11-30T12:00:00.000Z",
      by: "bob",
      reason: "rollback",
    });
    const { a } = await readWhole(createMemoryStore(target.entries), "platform");
    expect(a?.[""]).toBe("first\n");
  });

  it("goes one bundle further back each time, and says when there is none", async () => {
    const { target, layers } = await deployed("first\n", "second\n", "third\n");
    const gone = [await rollback(target, BACK), await rollback(target, BACK)].map(({ bundle }) => bundle);
    expect(gone).toEqual([layers[1]?.digest, layers[0]?.digest]);
    expect(await failureOf(() => rollback(target, BACK))).toMatchObject({
      code: "bundle-unknown",
      candidates: layers.map(({ digest }) => digest),
    });
  });

  it("goes back from a deploy after a rollback to what was live before it", async () => {
    const { target, layers } = await deployed("first\n", "second\n");
    await rollback(target, BACK);
    await deploy(target, [await platform("third\n")], OPTIONS);
    expect((await rollback(target, BACK)).bundle).toBe(layers[0]?.digest);
  });

  it("takes a digest, or six digits and more that mean one bundle", async () => {
    const { target, layers } = await deployed("first\n", "second\n", "third\n");
    const [first = "", second = "", third = ""] = layers.map(({ digest }) => digest);
    const hex = first.slice("sha256:".length);
    for (const to of [first, hex, hex.slice(0, 6), `sha256:${hex.slice(0, 8)}`, hex.slice(0, 9).toUpperCase()]) {
      expect((await rollback(target, { ...BACK, to })).bundle).toBe(first);
      await rollback(target, { ...BACK, to: third });
    }
    for (const to of ["", hex.slice(0, 5), "sha256:", `sha256:${hex.slice(0, 2)}`, "0".repeat(64), `${second}0`]) {
      expect(await codeOf(() => rollback(target, { ...BACK, to }))).toBe("bundle-unknown");
    }
  });

  it("leaves a channel alone that is there already", async () => {
    const { target, layers } = await deployed("first\n", "second\n");
    const to = layers[1]?.digest ?? "";
    expect(await rollback(target, { ...BACK, to })).toMatchObject({ bundle: to, previous: to });
    expect(target.writes).toEqual([]);
  });

  it("refuses a channel that nothing was deployed to", async () => {
    expect(await codeOf(() => rollback(new MemoryTarget(), BACK))).toBe("bundle-unknown");
  });

  it("of two moves at the same time refuses the slower one", async () => {
    const { target, layers } = await deployed("first\n", "second\n");
    const ends = await Promise.allSettled([rollback(target, BACK), rollback(target, BACK)]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const { pointer } = await target.readPointer("platform", "live");
    expect(pointer?.bundle).toBe(layers[0]?.digest);
  });
});
