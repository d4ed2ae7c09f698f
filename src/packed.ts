/** Owns the public entry "edge-skills/packed": skills of a packed bundle, from whatever storage has it. Its stores for Workers are in edge-skills/worker. */
export type { BlobStore } from "./sources/blob-store.ts";
export { ByteCache } from "./sources/byte-cache.ts";
export type { Clock, PointerTimes } from "./sources/current-documents.ts";
export { createMemoryStore } from "./sources/memory-store.ts";
export { createPackedSource, type PackedSourceOptions } from "./sources/packed-source.ts";
