/** A deploy target in memory that counts its writes and can die before one of them, as a process that is killed does. */
import { decodeBlockList, encodeBlockList } from "../../src/bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../../src/bundle/keys.ts";
import { decodePointer, encodePointer } from "../../src/bundle/pointer-format.ts";
import {
  type DeployTarget,
  type ListedKind,
  layersIn,
  type PointerName,
  pointerOfKey,
} from "../../src/deploy/target.ts";
import type { TokenRecord, TokenStore } from "../../src/model/token.ts";

/** What the target throws once it is dead. */
export class Killed extends Error {}

/** A target over a map of keys to bytes, which `createMemoryStore` can read. */
export class MemoryTarget implements DeployTarget {
  readonly name = "memory";
  readonly entries: Map<string, Uint8Array>;
  /** Keys in the order in which they were written. */
  readonly writes: string[] = [];
  /** How many more writes are done before everything fails. */
  writesLeft = Number.POSITIVE_INFINITY;
  /** Who works here; apart from the writes, of which there is a known number. */
  readonly notes = new Set<string>();
  readonly work: DeployTarget["work"] = {
    put: async (key) => {
      this.notes.add(key);
    },
    list: async () => [...this.notes],
    remove: async (key) => {
      this.notes.delete(key);
    },
  };
  readonly #versions = new Map<string, number>();
  readonly #tokens = new Map<string, TokenStore>();

  constructor(entries: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.entries = new Map(entries);
  }

  async missing<Entry extends { readonly key: string }>(entries: readonly Entry[]): Promise<Entry[]> {
    return entries.filter(({ key }) => !this.entries.has(key));
  }

  async put(entries: Parameters<DeployTarget["put"]>[0]): Promise<void> {
    for (const { key, bytes } of entries) {
      this.#write(key, bytes);
    }
  }

  async get(key: string): Promise<Uint8Array | null> {
    return this.entries.get(key) ?? null;
  }

  async readPointer(layer: string, channel: string): ReturnType<DeployTarget["readPointer"]> {
    const key = channelKey(layer, channel);
    const bytes = this.entries.get(key);
    return bytes === undefined
      ? { pointer: null, version: null }
      : { pointer: decodePointer(bytes), version: this.#versionOf(key) };
  }

  async writePointer(
    ...[layer, channel, pointer, version]: Parameters<DeployTarget["writePointer"]>
  ): Promise<boolean> {
    return this.#writeIf(channelKey(layer, channel), encodePointer(pointer), version);
  }

  async readBlockList(): ReturnType<DeployTarget["readBlockList"]> {
    const bytes = this.entries.get(BLOCK_LIST_KEY) ?? null;
    return { list: decodeBlockList(bytes), version: bytes && this.#versionOf(BLOCK_LIST_KEY) };
  }

  async writeBlockList(...[list, version]: Parameters<DeployTarget["writeBlockList"]>): Promise<boolean> {
    return this.#writeIf(BLOCK_LIST_KEY, encodeBlockList(list), version);
  }

  #writeIf(key: string, bytes: Uint8Array, version: string | null): boolean {
    if (version !== (this.entries.has(key) ? this.#versionOf(key) : null)) {
      return false;
    }
    this.#write(key, bytes);
    this.#versions.set(key, (this.#versions.get(key) ?? 0) + 1);
    return true;
  }

  async removePointer(layer: string, channel: string): Promise<void> {
    this.entries.delete(channelKey(layer, channel));
  }

  async listPointers(): Promise<PointerName[]> {
    return [...this.entries.keys()].flatMap(pointerOfKey);
  }

  async listLayers(channel: string): Promise<string[]> {
    return layersIn(await this.listPointers(), channel);
  }

  async keys(kind: ListedKind): Promise<ReadonlySet<string>> {
    return new Set([...this.entries.keys()].filter((key) => key.startsWith(`${kind}/`)));
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.entries.delete(key);
    }
  }

  async tokensOf(tenant: string): Promise<TokenStore> {
    const tokens = this.#tokens.get(tenant) ?? memoryTokens();
    this.#tokens.set(tenant, tokens);
    return tokens;
  }

  async close(): Promise<void> {}

  #versionOf(key: string): string {
    return String(this.#versions.get(key) ?? 0);
  }

  #write(key: string, bytes: Uint8Array): void {
    if (this.writesLeft <= 0) {
      throw new Killed("killed before a write");
    }
    this.writesLeft--;
    this.writes.push(key);
    this.entries.set(key, bytes);
  }
}

function memoryTokens(): TokenStore {
  const records: TokenRecord[] = [];
  return {
    addToken: (record) => {
      records.push(record);
    },
    findToken: (hash) => records.find((record) => record.hash === hash) ?? null,
    noteTenant: () => undefined,
    listTokens: () => [...records],
    revokeToken: (id) => {
      const at = records.findIndex((record) => record.id === id);
      return at >= 0 && records.splice(at, 1).length > 0;
    },
  };
}
