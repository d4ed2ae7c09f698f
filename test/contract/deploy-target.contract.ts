/** What every deploy target promises to a deploy, as one suite that each implementation runs. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blobKey, indexKey, workKey } from "../../src/bundle/keys.ts";
import { movePointer, type Pointer } from "../../src/bundle/pointer-format.ts";
import type { DeployTarget, DueEntry, StoredEntry } from "../../src/deploy/target.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { SkillsError } from "../../src/model/errors.ts";
import type { TokenRecord } from "../../src/model/token.ts";
import { codeOf } from "../helpers/error-code.ts";

/** An implementation: its name for the report, and how to make an empty one. */
export interface DeployTargetCase {
  readonly name: string;
  readonly create: () => Promise<DeployTarget>;
  /** Where tokens are: the target reaches them (default), or they are elsewhere. */
  readonly tokens?: "here" | "elsewhere";
  /** Whether pointers are compared and set in one step (default), or whoever meets another is refused. */
  readonly conditions?: "atomic" | "looked-at";
}

async function entryOf(content: string | Uint8Array): Promise<StoredEntry & DueEntry> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { key: blobKey(await digestOf(bytes)), size: bytes.byteLength, bytes };
}

async function pointerTo(text: string, before: Pointer | null = null): Promise<Pointer> {
  const bundle: Digest = await digestOf(text);
  return movePointer(before, { bundle, at: "2026-11-30T00:00:00.000Z", by: "test", reason: "deploy" });
}

/** Whether a move was made; one that was refused because it met another was not. */
async function isMoved(move: Promise<boolean>): Promise<boolean> {
  try {
    return await move;
  } catch (error) {
    if (SkillsError.is(error) && error.code === "target-busy") {
      return false;
    }
    throw error;
  }
}

/** Runs the suite over an implementation. */
export function describeDeployTarget({ name, create, tokens = "here", conditions = "atomic" }: DeployTargetCase): void {
  const most = conditions === "atomic" ? "one" : "at most one";
  describe(name, { timeout: 30_000 }, () => {
    let target: DeployTarget;

    beforeAll(async () => {
      target = await create();
    }, 30_000);
    afterAll(() => target.close());

    it("missing() tells of some entries those that are not there, in their order", async () => {
      const [a, b, c, d] = await Promise.all(["m-a", "m-b", "m-c", "m-d"].map(entryOf));
      if (!(a && b && c && d)) {
        throw new TypeError("four entries");
      }
      await target.put([b, d]);
      expect((await target.missing([a, b, c, d])).map(({ key }) => key)).toEqual([a.key, c.key]);
      expect(await target.missing([d, b])).toEqual([]);
      expect(await target.missing([])).toEqual([]);
    });

    it("missing() finds one that lacks among more than a page of a listing", async () => {
      const entries = await Promise.all(Array.from({ length: 1_100 }, (_, i) => entryOf(`page ${i}`)));
      const lacking = entries.splice(700, 1);
      await target.put(entries);
      expect(await target.missing([...entries, ...lacking])).toEqual(lacking);
    });

    it("get() answers what put() wrote, byte for byte, and null for anything else", async () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      const entries = await Promise.all([bytes, "", "größer 😀"].map(entryOf));
      await target.put(entries);
      await target.put(entries);
      const read = await Promise.all(entries.map(({ key }) => target.get(key)));
      expect(read).toEqual(entries.map((entry) => entry.bytes));
      expect(await target.get(blobKey(await digestOf("nobody wrote this")))).toBeNull();
    });

    it("keeps a blob that is larger than a KV value may be", async () => {
      const large = await entryOf(new Uint8Array(25 * 1024 * 1024 + 1).fill(7));
      expect(await target.missing([large])).toEqual([large]);
      await target.put([large]);
      const read = await target.get(large.key);
      expect([await target.missing([large]), read?.byteLength]).toEqual([[], large.bytes.byteLength]);
    });

    it("readPointer() answers null for a channel that has none", async () => {
      expect(await target.readPointer("nobody", "live")).toEqual({ pointer: null, version: null });
    });

    it("writePointer() makes a pointer only where there is none, and moves one only from the version that was read", async () => {
      const first = await pointerTo("first");
      const second = await pointerTo("second", first);
      expect(await target.writePointer("cas", "live", first, null)).toBe(true);
      expect(await target.writePointer("cas", "live", second, null)).toBe(false);
      const { version } = await target.readPointer("cas", "live");
      expect(await target.writePointer("cas", "live", second, version)).toBe(true);
      expect(await target.writePointer("cas", "live", first, version)).toBe(false);
      const { pointer } = await target.readPointer("cas", "live");
      expect(pointer).toEqual(second);
    });

    it(`writePointer() lets ${most} of two win that move a channel at the same time`, async () => {
      const start = await pointerTo("start");
      await target.writePointer("race", "live", start, null);
      const { version } = await target.readPointer("race", "live");
      const moves = await Promise.all(["one", "two"].map((text) => pointerTo(text, start)));
      const won = await Promise.all(moves.map((move) => isMoved(target.writePointer("race", "live", move, version))));
      const { pointer } = await target.readPointer("race", "live");
      const winners = moves.filter((_, i) => won[i] === true);
      expect(winners.length).toBeLessThanOrEqual(1);
      expect(pointer).toEqual(winners[0] ?? start);
      if (conditions === "atomic") {
        expect(won.toSorted()).toEqual([false, true]);
      }
    });

    it("writeBlockList() makes a list only where there is none, and changes one only from the version that was read", async () => {
      expect(await target.readBlockList()).toEqual({ list: { seq: 0, blocks: [] }, version: null });
      const digest = await digestOf("recalled");
      const first = { seq: 1, blocks: [{ digest, reason: "wrong", at: "2026-11-30T00:00:00.000Z", by: "test" }] };
      const second = { seq: 2, blocks: [] };
      expect(await target.writeBlockList(first, null)).toBe(true);
      expect(await target.writeBlockList(second, null)).toBe(false);
      const { list, version } = await target.readBlockList();
      expect(list).toEqual(first);
      expect(await target.writeBlockList(second, version)).toBe(true);
      expect(await target.writeBlockList(first, version)).toBe(false);
      expect((await target.readBlockList()).list).toEqual(second);
    });

    it("a pointer keeps its copy of the block list", async () => {
      const digest = await digestOf("recalled");
      const blocked = { seq: 1, blocks: [{ digest, reason: "wrong", at: "2026-11-30T00:00:00.000Z", by: "test" }] };
      const pointer = { ...(await pointerTo("with a list")), blocked };
      await target.writePointer("listed-here", "live", pointer, null);
      expect((await target.readPointer("listed-here", "live")).pointer).toEqual(pointer);
      await target.removePointer("listed-here", "live");
    });

    it("listLayers() names the layers of one channel, the platform first", async () => {
      const pointer = await pointerTo("listed");
      for (const layer of ["zebra", "platform", "acme"]) {
        await target.writePointer(layer, "listed", pointer, null);
      }
      await target.writePointer("elsewhere", "other", pointer, null);
      expect(await target.listLayers("listed")).toEqual(["platform", "acme", "zebra"]);
      expect(await target.listLayers("unheard-of")).toEqual([]);
    });

    it("listPointers() names every pointer", async () => {
      const pointer = await pointerTo("named");
      const before = await target.listPointers();
      await target.writePointer("named", "preview-1", pointer, null);
      const added = (await target.listPointers()).filter(
        (name) => !before.some(({ layer, channel }) => layer === name.layer && channel === name.channel),
      );
      expect(added).toEqual([{ layer: "named", channel: "preview-1" }]);
    });

    it("removePointer() leaves a channel without one, so that the next is a first one again", async () => {
      const pointer = await pointerTo("dropped");
      await target.writePointer("dropped", "preview-1", pointer, null);
      await target.removePointer("dropped", "preview-1");
      await target.removePointer("dropped", "preview-1");
      expect(await target.readPointer("dropped", "preview-1")).toEqual({ pointer: null, version: null });
      expect(await target.listLayers("preview-1")).not.toContain("dropped");
      expect(await target.writePointer("dropped", "preview-1", pointer, null)).toBe(true);
      await target.removePointer("dropped", "preview-1");
    });

    it("keys() has all that is stored of a kind, and nothing that remove() took", async () => {
      const entries = await Promise.all(["k-a", "k-b", "k-c"].map(entryOf));
      const index = { key: indexKey(await digestOf("an index")), bytes: new TextEncoder().encode("an index") };
      await target.put([...entries, index]);
      const [a = "", b = "", c = ""] = entries.map(({ key }) => key);
      const has = async () => {
        const blobs = await target.keys("blob");
        return [a, b, c, index.key].map((key) => blobs.has(key));
      };
      expect(await has()).toEqual([true, true, true, false]);
      expect((await target.keys("index")).has(index.key)).toBe(true);
      await target.remove([b, index.key]);
      await target.remove([b]);
      await target.remove([]);
      expect(await has()).toEqual([true, false, true, false]);
      expect([await target.get(b), (await target.keys("index")).has(index.key)]).toEqual([null, false]);
      expect((await target.missing(entries)).map(({ key }) => key)).toEqual([b]);
    });

    it("keys() and remove() reach a blob that is larger than a KV value may be", async () => {
      const large = await entryOf(new Uint8Array(25 * 1024 * 1024 + 1).fill(9));
      await target.put([large]);
      const before = (await target.keys("blob")).has(large.key);
      await target.remove([large.key]);
      expect([before, (await target.keys("blob")).has(large.key), await target.get(large.key)]).toEqual([
        true,
        false,
        null,
      ]);
    });

    it("work lists the notes that were put, until they are removed", async () => {
      const [mine, theirs] = [workKey("deploy", "1-mine"), workKey("prune", "2-theirs")];
      await target.work.put(mine);
      await target.work.put(theirs);
      expect([...(await target.work.list())].sort()).toEqual([mine, theirs]);
      await target.work.remove(mine);
      await target.work.remove(mine);
      expect(await target.work.list()).toEqual([theirs]);
      await target.work.remove(theirs);
    });

    if (tokens === "elsewhere") {
      it("tokensOf() says that tokens are elsewhere", async () => {
        expect(await codeOf(() => target.tokensOf("mine"))).toBe("usage");
      });
    } else {
      it("tokensOf() keeps each tenant's tokens apart, and forgets a revoked one", async () => {
        const record: TokenRecord = {
          id: "t-1",
          hash: await digestOf("secret"),
          scopes: ["read"],
          channel: "live",
          created_at: "2026-11-30T00:00:00.000Z",
        };
        const mine = await target.tokensOf("mine");
        const theirs = await target.tokensOf("theirs");
        await mine.addToken(record);
        expect([await mine.listTokens(), await theirs.listTokens()]).toEqual([[record], []]);
        expect([await theirs.revokeToken("t-1"), await mine.revokeToken("t-1")]).toEqual([false, true]);
        expect([await mine.findToken(record.hash), await mine.revokeToken("t-1")]).toEqual([null, false]);
      });
    }
  });
}
