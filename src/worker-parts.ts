/**
 * Owns the public entry "edge-skills/worker": the edge Worker's pieces, for people's own Workers. Needs the Workers runtime.
 * The whole edge as it is deployed is src/worker.ts.
 */
export { createEdgeApp } from "./http/app.ts";
export type { EdgeParts, Logger } from "./http/parts.ts";
export { createServiceBindingRunner } from "./runners/service-binding-runner.ts";
export type { BlobStore } from "./sources/blob-store.ts";
export { BundleReader } from "./sources/bundle-reader.ts";
export { ByteCache } from "./sources/byte-cache.ts";
export { ChannelReader } from "./sources/channel-reader.ts";
export { DEFAULT_POINTER_TIMES, type PointerTimes } from "./sources/current-documents.ts";
export { createKvStore, type KvReader } from "./sources/kv-store.ts";
export { createR2Store } from "./sources/r2-store.ts";
export { createTieredStore } from "./sources/tiered-store.ts";
export { type Snapshot, Snapshots } from "./tenancy/snapshots.ts";
export { TenantObject } from "./tenancy/tenant-object.ts";
export { TokenVerifier } from "./tenancy/token-verifier.ts";
