/** What every blob store promises to the packed source, as one suite that each implementation runs. */
import { beforeEach, describe, expect, it } from "vitest";
import { blobKey, channelKey, indexKey } from "../../src/bundle/keys.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { BlobStore } from "../../src/sources/blob-store.ts";

/** A store under test, and the way to put something where it reads. */
export interface StoreUnderTest {
  readonly store: BlobStore;
  /** Writes as a deploy would: immutable things where they belong, pointers where they belong. */
  put(key: string, bytes: Uint8Array): Promise<void>;
}

/** An implementation: its name for the report, and how to make an empty one. */
export interface BlobStoreCase {
  readonly name: string;
  readonly create: () => Promise<StoreUnderTest>;
}

/** A key that no other test uses. */
async function freshKey(): Promise<string> {
  return blobKey(await digestOf(crypto.randomUUID()));
}

function randomBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let start = 0; start < size; start += 65_536) {
    crypto.getRandomValues(bytes.subarray(start, start + 65_536));
  }
  return bytes;
}

/** Runs the suite over an implementation. */
export function describeBlobStore({ name, create }: BlobStoreCase): void {
  describe(name, () => {
    let tested: StoreUnderTest;

    beforeEach(async () => {
      tested = await create();
    });

    it("answers null for what is absent", async () => {
      const { store } = tested;
      const keys = [await freshKey(), indexKey(await digestOf("absent")), "blob/", "nothing"];
      const immutable = await Promise.all(keys.map((key) => store.getImmutable(key)));
      const current = await store.getCurrent(channelKey("nobody", "live"));
      expect([...immutable, current]).toEqual([null, null, null, null, null]);
    });

    it.each([
      ["no bytes at all", new Uint8Array()],
      ["every byte there is", Uint8Array.from({ length: 256 }, (_, i) => i)],
      ["text beyond ASCII", new TextEncoder().encode("größer 😀\u0000\ufeff")],
      ["bytes that are not UTF-8", Uint8Array.of(0xff, 0xfe, 0xc0, 0x80)],
      ["3 MB", randomBytes(3_000_000)],
    ])("gives back %s as written", async (_, bytes) => {
      const key = await freshKey();
      await tested.put(key, bytes);
      const read = await tested.store.getImmutable(key);
      expect(read).toBeInstanceOf(Uint8Array);
      expect(read?.byteLength).toBe(bytes.byteLength);
      expect(await digestOf(read ?? new Uint8Array())).toBe(await digestOf(bytes));
    });

    it("finds a key that was written after it was missed", async () => {
      const key = await freshKey();
      expect(await tested.store.getImmutable(key)).toBeNull();
      await tested.put(key, Uint8Array.of(1));
      expect(await tested.store.getImmutable(key)).toEqual(Uint8Array.of(1));
    });

    it("reads a pointer as it was written last", async () => {
      const key = channelKey("acme", crypto.randomUUID());
      const seen: (Uint8Array | null)[] = [];
      for (const byte of [1, 2, 3]) {
        await tested.put(key, Uint8Array.of(byte));
        seen.push(await tested.store.getCurrent(key));
      }
      expect(seen).toEqual([Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
    });

    it("answers many reads at once, each with its own bytes", async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, freshKey));
      await Promise.all(keys.map((key, i) => tested.put(key, Uint8Array.of(i))));
      const read = await Promise.all([...keys, ...keys].map((key) => tested.store.getImmutable(key)));
      const expected = keys.map((_, i) => Uint8Array.of(i));
      expect(read).toEqual([...expected, ...expected]);
    });
  });
}
