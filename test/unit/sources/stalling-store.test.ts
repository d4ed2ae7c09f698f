import { expect, it } from "vitest";
import type { BlobStore } from "../../../src/sources/blob-store.ts";
import { createKvStore } from "../../../src/sources/kv-store.ts";
import { createR2Store } from "../../../src/sources/r2-store.ts";
import { codeOf } from "../../helpers/error-code.ts";

/** A binding that takes a call and never answers it; no real one can be made to. */
const stalling = { get: () => new Promise<never>(() => undefined) };

it.each<[string, BlobStore]>([
  ["createKvStore()", createKvStore(stalling, 10)],
  ["createR2Store()", createR2Store(stalling, 10)],
])("%s reports a store that never answers as storage-unavailable", async (_name, store) => {
  expect(await codeOf(() => store.getImmutable("blob/a"))).toBe("storage-unavailable");
  expect(await codeOf(() => store.getCurrent("channel/platform/live"))).toBe("storage-unavailable");
});
