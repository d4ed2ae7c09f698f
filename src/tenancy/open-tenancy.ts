/** Owns putting the parts of tenancy together: tokens, layers, rules and what is put at run time, over one store and one cache. */
import type { Config } from "../model/config.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { BlobStore } from "../sources/blob-store.ts";
import { BundleReader } from "../sources/bundle-reader.ts";
import type { ByteCache } from "../sources/byte-cache.ts";
import { ChannelReader, type Clock, DEFAULT_POINTER_TIMES, type PointerTimes } from "../sources/channel-reader.ts";
import { AccessRules } from "./access-rules.ts";
import { createJwtTokens } from "./jwt-tokens.ts";
import { RuntimeSkills } from "./runtime-layer.ts";
import type { BlobWriter } from "./runtime-store.ts";
import { RuntimeWriter } from "./runtime-writer.ts";
import { Snapshots } from "./snapshots.ts";
import { createTenantAsker } from "./tenant-asker.ts";
import type { TenantObject } from "./tenant-object.ts";
import { TokenVerifier } from "./token-verifier.ts";

/** What tenancy is made over. */
export interface TenancyParts {
  readonly tenants: DurableObjectNamespace<TenantObject>;
  readonly store: BlobStore;
  readonly runtimeStoreFor: (tenant: string) => BlobWriter;
  readonly cache: ByteCache;
  readonly runner: ScriptRunner | null;
  readonly config: Pick<Config, "filters" | "protected" | "jwt">;
  readonly clock?: Clock;
  readonly pointerTimes?: PointerTimes;
}

/** Who may see and change what. */
export interface Tenancy {
  readonly tokens: TokenVerifier;
  readonly snapshots: Snapshots;
  readonly runtime: RuntimeWriter;
}

/** Makes the tenancy of an isolate. */
export function openTenancy(parts: TenancyParts): Tenancy {
  const { tenants, store, runtimeStoreFor: storeFor, cache, runner, config, clock = Date.now } = parts;
  const rules = new AccessRules(config.filters, config.protected);
  const readerFor = (tenant: string): BundleReader => new BundleReader(storeFor(tenant), cache);
  const runtime = new RuntimeSkills({ asker: createTenantAsker(tenants), readerFor, cache, runner, clock });
  const channels = new ChannelReader(store, clock, parts.pointerTimes ?? DEFAULT_POINTER_TIMES);
  const opener = { reader: new BundleReader(store, cache), cache, runner };
  const foreign = config.jwt.length === 0 ? null : createJwtTokens(config.jwt);
  return {
    tokens: new TokenVerifier(tenants, clock, runtime, foreign),
    snapshots: new Snapshots(channels, opener, { rules, runtime }),
    runtime: new RuntimeWriter({ tenants, storeFor, rules, runtime, clock }),
  };
}
