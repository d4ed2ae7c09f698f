/** Owns putting the parts of tenancy together: tokens, layers, rules and what is put at run time, over one store and one cache. */
import type { Config } from "../model/config.ts";
import type { Digest } from "../model/digest.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { BlobStore } from "../sources/blob-store.ts";
import { BundleReader } from "../sources/bundle-reader.ts";
import type { ByteCache } from "../sources/byte-cache.ts";
import { ChannelReader } from "../sources/channel-reader.ts";
import { type Clock, DEFAULT_POINTER_TIMES, type PointerTimes } from "../sources/current-documents.ts";
import { AccessRules } from "./access-rules.ts";
import { Deploys } from "./deploys.ts";
import { createJwtTokens } from "./jwt-tokens.ts";
import { Recalls } from "./recalls.ts";
import { RuntimeSkills } from "./runtime-layer.ts";
import type { BlobWriter } from "./runtime-store.ts";
import { RuntimeWriter } from "./runtime-writer.ts";
import { Snapshots } from "./snapshots.ts";
import { createTenantAsker } from "./tenant-asker.ts";
import type { TenantObject } from "./tenant-object.ts";
import { TokenVerifier } from "./token-verifier.ts";
import { UploadBook } from "./upload-book.ts";
import type { UploadStorage } from "./upload-storage.ts";
import { Uploads } from "./uploads.ts";

/** What tenancy is made over. */
export interface TenancyParts {
  readonly tenants: DurableObjectNamespace<TenantObject>;
  readonly store: BlobStore;
  readonly runtimeStoreFor: (tenant: string) => BlobWriter;
  readonly cache: ByteCache;
  readonly runner: ScriptRunner | null;
  readonly config: Pick<Config, "filters" | "protected" | "jwt">;
  /** Where deploys over HTTP write to; null or absent: there are none. */
  readonly uploadStorage?: UploadStorage | null;
  /** Hash of the first token; null or absent: there is none. */
  readonly firstToken?: Digest | null;
  readonly clock?: Clock;
  readonly pointerTimes?: PointerTimes;
}

/** Who may see and change what. */
export interface Tenancy {
  readonly tokens: TokenVerifier;
  readonly snapshots: Snapshots;
  readonly runtime: RuntimeWriter;
  /** Deploys over HTTP; null where storage cannot compare and set. */
  readonly deploying: Deploying | null;
}

/** What deploys over HTTP are made of. */
export interface Deploying {
  readonly uploads: Uploads;
  readonly deploys: Deploys;
  readonly recalls: Recalls;
  readonly storage: UploadStorage;
}

interface DeployingParts {
  readonly store: BlobStore;
  readonly reader: BundleReader;
  readonly rules: AccessRules;
  readonly clock: Clock;
  readonly channels: ChannelReader;
}

/** Makes the tenancy of an isolate. */
export function openTenancy(parts: TenancyParts): Tenancy {
  const { tenants, store, runtimeStoreFor: storeFor, cache, runner, config, clock = Date.now } = parts;
  const rules = new AccessRules(config.filters, config.protected);
  const readerFor = (tenant: string): BundleReader => new BundleReader(storeFor(tenant), cache);
  const runtime = new RuntimeSkills({ asker: createTenantAsker(tenants), readerFor, cache, runner, clock });
  const channels = new ChannelReader(store, clock, parts.pointerTimes ?? DEFAULT_POINTER_TIMES);
  const reader = new BundleReader(store, cache);
  const opener = { reader, cache, runner };
  const foreign = config.jwt.length === 0 ? null : createJwtTokens(config.jwt);
  const snapshots = new Snapshots(channels, opener, { rules, runtime });
  const blockedFor = (tenant: string) => snapshots.blockedFor(tenant);
  return {
    tokens: new TokenVerifier(tenants, clock, runtime, foreign, parts.firstToken ?? null),
    snapshots,
    runtime: new RuntimeWriter({ tenants, storeFor, rules, runtime, blockedFor, clock }),
    deploying: deployingOver(parts, { store, reader, rules, clock, channels }),
  };
}

function deployingOver(
  { tenants, uploadStorage: storage = null }: TenancyParts,
  { store, reader, rules, clock, channels }: DeployingParts,
): Deploying | null {
  if (storage === null) {
    return null;
  }
  const parts = { book: new UploadBook(tenants), storage, reader, clock };
  const uploads = new Uploads(parts);
  const deploys = new Deploys(parts, uploads, rules, channels);
  return { uploads, deploys, recalls: new Recalls(storage, store), storage };
}
