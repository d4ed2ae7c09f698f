/** Owns what a deploy needs of a place to deploy to. Implementations: local-target.ts; the one for Cloudflare comes beside it. */
import type { Pointer } from "../bundle/pointer-format.ts";
import type { TokenStore } from "../model/token.ts";

/** A stored thing with its key (bundle/keys.ts). */
export interface StoredEntry {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** A pointer as it was read, with what a compare-and-set needs. */
export interface ReadPointer {
  /** Null when the channel has none. */
  readonly pointer: Pointer | null;
  /** Opaque; null when the channel has none. */
  readonly version: string | null;
}

/** A place that bundles are deployed to. Whatever it throws besides SkillsError is the surroundings' fault. */
export interface DeployTarget {
  /** For people: `local (.edge-skills)`. */
  readonly name: string;
  /** Those of the entries that are not there yet. */
  missing(entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>;
  /** Writes immutable entries; writing one again is harmless. */
  put(entries: readonly StoredEntry[]): Promise<void>;
  /** Reads an immutable entry; null when it is not there. */
  get(key: string): Promise<Uint8Array | null>;
  readPointer(layer: string, channel: string): Promise<ReadPointer>;
  /** Writes a pointer if it is still the version that was read; false when somebody else has moved it. */
  writePointer(layer: string, channel: string, pointer: Pointer, version: string | null): Promise<boolean>;
  /** Layers that have a pointer in this channel, the platform first. */
  listLayers(channel: string): Promise<string[]>;
  /** The tokens of a tenant. */
  tokensOf(tenant: string): Promise<TokenStore>;
  close(): Promise<void>;
}
