import { describe, expect, it } from "vitest";
import { blobKey, indexKey } from "../../../src/bundle/keys.ts";
import { type Digest, digestOf } from "../../../src/model/digest.ts";
import { BundleReader } from "../../../src/sources/bundle-reader.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import { CountingStore } from "../../helpers/counting-store.ts";
import { failureOf } from "../../helpers/error-code.ts";
import { digestLike } from "../../helpers/golden.ts";
import { packSkills } from "../../helpers/pack-skills.ts";

const encoder = new TextEncoder();

async function scene(): Promise<{
  store: CountingStore;
  cache: ByteCache;
  reader: BundleReader;
  bundle: Digest;
  record: Digest;
  file: Digest;
}> {
  const layer = await packSkills([
    { name: "unit-converter", files: [{ path: "a.bin", content: Uint8Array.of(0, 255) }] },
  ]);
  const store = new CountingStore(layer.entries);
  const cache = new ByteCache();
  const reader = new BundleReader(store, cache);
  const { index } = await reader.readIndex(layer.bundle);
  store.reads.length = 0;
  const record = index.skills[0]?.record ?? digestLike("0");
  return { store, cache, reader, bundle: layer.bundle, record, file: await digestOf(Uint8Array.of(0, 255)) };
}

/** The three ways to read, each with the key it reads. */
const READS = [
  { what: "readIndex()", keyOf: indexKey, pick: "bundle", read: (r: BundleReader, d: Digest) => r.readIndex(d) },
  { what: "readRecord()", keyOf: blobKey, pick: "record", read: (r: BundleReader, d: Digest) => r.readRecord(d) },
  { what: "readBlob()", keyOf: blobKey, pick: "file", read: (r: BundleReader, d: Digest) => r.readBlob(d) },
] as const;

describe.each(READS)("BundleReader.$what", ({ keyOf, pick, read }) => {
  it("throws bundle-damaged, naming the key, for what storage lacks; and reads it again the next time", async () => {
    const { store, reader, [pick]: digest } = await scene();
    const key = keyOf(digest);
    const bytes = store.entries.get(key);
    store.entries.delete(key);

    const failure = await failureOf(() => read(reader, digest));
    expect([failure.code, failure.message]).toEqual([
      "bundle-damaged",
      `Cannot read "${key}": the bundle promises it, storage lacks it`,
    ]);
    store.entries.set(key, bytes ?? new Uint8Array());
    await read(reader, digest);
    expect(store.reads).toEqual([key, key]);
  });

  it("throws bundle-damaged for bytes that are not those of the digest, and never keeps them", async () => {
    const { store, cache, reader, [pick]: digest } = await scene();
    const key = keyOf(digest);
    const bytes = store.entries.get(key) ?? new Uint8Array();
    store.entries.set(key, encoder.encode("something else"));
    const before = cache.bytes;

    const failure = await failureOf(() => read(reader, digest));
    expect([failure.code, failure.message]).toEqual([
      "bundle-damaged",
      `Cannot read "${key}": its bytes are not those of its digest`,
    ]);
    expect(cache.bytes).toBe(before);
    store.entries.set(key, bytes);
    await read(reader, digest);
  });

  it("passes on what a failing store throws", async () => {
    const { store, reader, [pick]: digest } = await scene();
    store.failure = new Error("storage is down");
    await expect(read(reader, digest)).rejects.toThrow("storage is down");
  });
});

describe("BundleReader.readRecord()", () => {
  it("throws bundle-damaged for a blob that has its digest but is no record, and does not keep it", async () => {
    const { store, reader } = await scene();
    const bytes = encoder.encode('{"format":1}');
    const digest = await digestOf(bytes);
    store.entries.set(blobKey(digest), bytes);
    const codes = [await failureOf(() => reader.readRecord(digest)), await failureOf(() => reader.readRecord(digest))];
    expect(codes.map((failure) => failure.code)).toEqual(["bundle-damaged", "bundle-damaged"]);
    expect(store.reads).toHaveLength(2);
  });

  it("reads a record once", async () => {
    const { store, reader, record } = await scene();
    const [first, second] = [await reader.readRecord(record), await reader.readRecord(record)];
    expect(second).toBe(first);
    expect(store.reads).toEqual([blobKey(record)]);
  });
});

describe("BundleReader.readBlob()", () => {
  it("reads a blob of up to 1 MiB once, a larger one each time", async () => {
    const { store, reader } = await scene();
    const [small, large] = [new Uint8Array(1024 * 1024), new Uint8Array(1024 * 1024 + 1)];
    const digests = await Promise.all([small, large].map(digestOf));
    for (const [i, digest] of digests.entries()) {
      store.entries.set(blobKey(digest), i === 0 ? small : large);
      await reader.readBlob(digest);
      await reader.readBlob(digest);
    }
    const count = (digest: Digest) => store.reads.filter((key) => key === blobKey(digest)).length;
    expect(digests.map(count)).toEqual([1, 2]);
  });
});
