import { describe, expect, it } from "vitest";
import { encodeBlockList } from "../../../src/bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../../../src/bundle/keys.ts";
import { encodePointer } from "../../../src/bundle/pointer-format.ts";
import type { Digest } from "../../../src/model/digest.ts";
import type { BlobStore } from "../../../src/sources/blob-store.ts";
import { ChannelReader } from "../../../src/sources/channel-reader.ts";
import { CountingStore } from "../../helpers/counting-store.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { digestLike } from "../../helpers/golden.ts";
import { pointerEntry, pointerTo } from "../../helpers/pack-skills.ts";

const FIRST = digestLike("1");
const SECOND = digestLike("2");
const TIMES = { freshMs: 5_000, staleMs: 60_000 };
const LIVE = channelKey("platform", "live");

/** A reader whose time stands still until `clock.now` is moved. */
function scene(): { store: CountingStore; clock: { now: number }; reader: ChannelReader } {
  const store = new CountingStore(new Map([pointerEntry("platform", "live", FIRST)]));
  const clock = { now: 1_000_000 };
  return { store, clock, reader: new ChannelReader(store, () => clock.now, TIMES) };
}

function move(store: CountingStore, bundle: Digest): void {
  store.entries.set(...pointerEntry("platform", "live", bundle, FIRST));
}

describe("ChannelReader.read()", () => {
  it("serves a pointer without a read while it is fresh, and reads it again after that", async () => {
    const { store, clock, reader } = scene();
    await reader.read("platform", "live");
    move(store, SECOND);

    clock.now += TIMES.freshMs - 1;
    const fresh = await reader.read("platform", "live");
    clock.now += 1;
    const renewed = await reader.read("platform", "live");

    expect(fresh).toEqual({ pointer: pointerTo(FIRST), stale: false });
    expect(renewed).toEqual({ pointer: pointerTo(SECOND, FIRST), stale: false });
    expect(store.reads).toEqual([LIVE, LIVE]);
  });

  it("remembers for the same time that a channel has no pointer", async () => {
    const { store, reader } = scene();
    const known = [await reader.read("acme", "live"), await reader.read("acme", "live")];
    expect(known).toEqual([
      { pointer: null, stale: false },
      { pointer: null, stale: false },
    ]);
    expect(store.reads).toEqual([channelKey("acme", "live")]);
  });

  it("serves the last known pointer, marked, while storage fails, and what storage threw after staleMs", async () => {
    const { store, clock, reader } = scene();
    await reader.read("platform", "live");
    store.failure = new Error("storage is down");

    clock.now += TIMES.staleMs - 1;
    expect(await reader.read("platform", "live")).toEqual({ pointer: pointerTo(FIRST), stale: true });
    expect(store.reads).toHaveLength(2);
    clock.now += 1;
    await expect(reader.read("platform", "live")).rejects.toThrow("storage is down");

    store.failure = null;
    expect(await reader.read("platform", "live")).toEqual({ pointer: pointerTo(FIRST), stale: false });
  });

  it("asks storage that failed no more than once in freshMs, and then knows what moved meanwhile", async () => {
    const { store, clock, reader } = scene();
    await reader.read("platform", "live");
    store.failure = new Error("storage is down");
    clock.now += TIMES.freshMs;
    await reader.read("platform", "live");
    store.failure = null;
    move(store, SECOND);

    clock.now += TIMES.freshMs - 1;
    const meanwhile = await reader.read("platform", "live");
    expect([meanwhile, store.reads.length]).toEqual([{ pointer: pointerTo(FIRST), stale: true }, 2]);
    clock.now += 1;
    expect(await reader.read("platform", "live")).toEqual({ pointer: pointerTo(SECOND, FIRST), stale: false });
  });

  it("throws what storage threw when nothing was known", async () => {
    const { store, reader } = scene();
    store.failure = new Error("storage is down");
    await expect(reader.read("platform", "live")).rejects.toThrow("storage is down");
  });

  it("serves the last known pointer when the stored one is damaged, and throws bundle-damaged when there is none", async () => {
    const { store, clock, reader } = scene();
    await reader.read("platform", "live");
    store.entries.set(LIVE, new TextEncoder().encode("{}"));
    store.entries.set(channelKey("acme", "live"), new TextEncoder().encode("{}"));
    clock.now += TIMES.freshMs;

    expect(await reader.read("platform", "live")).toEqual({ pointer: pointerTo(FIRST), stale: true });
    expect(await codeOf(() => reader.read("acme", "live"))).toBe("bundle-damaged");
  });

  it("keeps layers and channels apart", async () => {
    const { store, reader } = scene();
    store.entries.set(...pointerEntry("acme", "live", SECOND));
    store.entries.set(...pointerEntry("platform", "preview", digestLike("3")));
    const bundles = await Promise.all([
      reader.read("platform", "live"),
      reader.read("acme", "live"),
      reader.read("platform", "preview"),
    ]);
    expect(bundles.map((known) => known.pointer?.bundle)).toEqual([FIRST, SECOND, digestLike("3")]);
  });

  it("remembers at most 10,000 channels, those read last", async () => {
    const { store, reader } = scene();
    for (let number = 0; number <= 10_000; number++) {
      await reader.read("platform", `c${number}`);
    }
    store.reads.length = 0;
    await reader.read("platform", "c1");
    await reader.read("platform", "c0");
    expect(store.reads).toEqual([channelKey("platform", "c0")]);
  });
});

describe("ChannelReader.readNow()", () => {
  it("reads although the pointer is fresh", async () => {
    const { store, reader } = scene();
    await reader.read("platform", "live");
    move(store, SECOND);
    expect((await reader.readNow("platform", "live")).pointer?.bundle).toBe(SECOND);
    expect((await reader.read("platform", "live")).pointer?.bundle).toBe(SECOND);
  });

  it("does not believe the first miss of a channel that had a pointer", async () => {
    const entries = new Map([pointerEntry("platform", "live", FIRST)]);
    const misses = [false, true, false, true, true];
    const store: BlobStore = {
      getImmutable: async () => null,
      getCurrent: async (key) => (misses.shift() ? null : (entries.get(key) ?? null)),
    };
    const reader = new ChannelReader(store, () => 0, TIMES);

    const first = await reader.readNow("platform", "live");
    const afterOneMiss = await reader.readNow("platform", "live");
    const afterTwo = await reader.readNow("platform", "live");

    expect([first.pointer, afterOneMiss.pointer, afterTwo.pointer]).toEqual([pointerTo(FIRST), pointerTo(FIRST), null]);
  });

  it("never lets a slower read that began earlier overwrite a newer one", async () => {
    const pending: PromiseWithResolvers<Uint8Array>[] = [];
    const getCurrent = (): Promise<Uint8Array> => {
      const read = Promise.withResolvers<Uint8Array>();
      pending.push(read);
      return read.promise;
    };
    const store: BlobStore = { getCurrent, getImmutable: getCurrent };
    const clock = { now: 0 };
    const reader = new ChannelReader(store, () => clock.now, TIMES);

    const slow = reader.readNow("platform", "live");
    clock.now += 1;
    const quick = reader.readNow("platform", "live");
    pending[1]?.resolve(encodePointer(pointerTo(SECOND, FIRST)));
    await quick;
    pending[0]?.resolve(encodePointer(pointerTo(FIRST)));
    await slow;

    expect((await reader.read("platform", "live")).pointer?.bundle).toBe(SECOND);
    expect(pending).toHaveLength(2);
  });
});

describe("ChannelReader.readBlockList()", () => {
  it("serves the last known list, marked, while storage fails, and what storage threw after staleMs", async () => {
    const { store, clock, reader } = scene();
    const list = { seq: 1, blocks: [{ digest: FIRST, reason: "wrong", at: "2026-11-30T12:00:00.000Z", by: "eve" }] };
    store.entries.set(BLOCK_LIST_KEY, encodeBlockList(list));
    expect(await reader.readBlockList()).toEqual({ list, stale: false });
    store.failure = new Error("storage is down");
    clock.now += TIMES.staleMs - 1;
    expect(await reader.readBlockList()).toEqual({ list, stale: true });
    clock.now += 1;
    await expect(reader.readBlockList()).rejects.toThrow("storage is down");
  });
});
