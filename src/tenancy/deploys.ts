/**
 * Owns what a tenant may do to its layer's channels over HTTP: look, move one to a bundle that it sent whole, move one to a bundle that is kept.
 * A bundle that was sent is held to be one: its index is just what its records make, and every digest in it is the tenant's own.
 */

import { type BundleIndex, decodeIndex, encodeIndex, type IndexEntry } from "../bundle/index-format.ts";
import { channelPrefix, indexKey } from "../bundle/keys.ts";
import { movePointer, type Pointer, type PointerMove, withBlockList } from "../bundle/pointer-format.ts";
import { counted } from "../model/counted.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { ChannelReader } from "../sources/channel-reader.ts";
import type { AccessRules } from "./access-rules.ts";
import { requireRoom } from "./channel-room.ts";
import { underNote } from "./deploy-note.ts";
import { type Holdings, holdingsFor, isKept } from "./own-bundles.ts";
import { keepSearchIndex } from "./own-search.ts";
import { refuseRecalled } from "./refuse-recalled.ts";
import type { VersionedPointer } from "./upload-storage.ts";
import type { Sent } from "./upload-table.ts";
import type { UploadedRecord } from "./uploaded-record.ts";
import { type UploadParts, type Uploads, uploadGone } from "./uploads.ts";

/** A pointer of a layer. */
export interface ChannelName {
  readonly layer: string;
  readonly channel: string;
}

/** How a channel is to move; `at` is the clock's. */
export interface WantedMove extends ChannelName, Omit<PointerMove, "at"> {
  /** The version that was read; null for a channel without a pointer. */
  readonly expected: string | null;
}

/** A bundle that was sent. */
export interface SentBundle {
  /** Id of the upload. */
  readonly upload: string;
  readonly index: BundleIndex;
  readonly bytes: Uint8Array;
}

/** What became of a channel. */
export interface Moved extends ChannelName {
  readonly bundle: Digest;
  readonly previous: Digest | null;
  readonly version: string;
}

/** Bundles whose records are asked for one after the other, as who compares them does. They were the layer's own; that stays so. */
const MAX_RECENT = 4;

/** Digests that a refusal names. */
const MAX_NAMED = 20;

/** Looks after channels. Made once per isolate. */
export class Deploys {
  readonly #parts: UploadParts;
  readonly #uploads: Uploads;
  readonly #rules: AccessRules;
  readonly #channels: ChannelReader;
  /** Records of bundles that were asked for lately, by layer and bundle. */
  readonly #recent = new Map<string, ReadonlySet<Digest>>();

  /** `channels` is what this isolate knows of pointers: it is told of each move. */
  constructor(parts: UploadParts, uploads: Uploads, rules: AccessRules, channels: ChannelReader) {
    this.#parts = parts;
    this.#uploads = uploads;
    this.#rules = rules;
    this.#channels = channels;
  }

  /** The channels of a layer, of all layers for null; at most 1,000. */
  async channels(layer: string | null): Promise<ChannelName[]> {
    const keys = await this.#parts.storage.keys(channelPrefix(layer));
    return keys.flatMap((key) => {
      const [, name, channel] = key.split("/");
      return name && channel ? [{ layer: name, channel }] : [];
    });
  }

  pointer({ layer, channel }: ChannelName): Promise<VersionedPointer> {
    return this.#parts.storage.readPointer(layer, channel);
  }

  /** The index of a bundle in the history of one of the layer's channels, as it is stored. Throws `bundle-unknown`, `bundle-gone`. */
  async index(layer: string, bundle: Digest): Promise<Uint8Array> {
    if (!(await this.#isKept(layer, bundle))) {
      throw unknown(bundle);
    }
    return unlessGone(`read ${bundle}`, () => this.#parts.reader.readIndexBytes(bundle));
  }

  /** A skill's record in such a bundle, as it is stored. Throws `bundle-unknown`, `bundle-gone`. */
  async record(layer: string, bundle: Digest, record: Digest): Promise<Uint8Array> {
    const key = `${layer}/${bundle}`;
    const known = this.#recent.get(key) ?? new Set(decodeIndex(await this.index(layer, bundle)).skills.map(recordOf));
    this.#remember(key, known);
    if (!known.has(record)) {
      throw unknown(record);
    }
    return unlessGone(`read ${record}`, () => this.#parts.reader.readBlob(record));
  }

  /** Moves a channel to a bundle that was sent; one that has it already stays, with its index written again. Throws `bundle-blocked`, `skill-blocked` or `file-blocked` for what was recalled, `upload-gone`, `upload-incomplete`, `upload-invalid`, `name-protected`, `deploy-conflict`. */
  async deploy(move: WantedMove, { upload, index, bytes }: SentBundle): Promise<Moved> {
    const { book, storage, clock } = this.#parts;
    await this.#uploads.goOn(move.layer, upload);
    const sent = await book.sent(move.layer, upload, clock());
    if (sent === null) {
      throw uploadGone();
    }
    await refuseRecalled(storage, { ...move, skills: index.skills, blobs: sent.map(({ digest }) => digest) });
    const held = await holdingsFor({ ...move, index }, this.#parts);
    await this.#requireWhole(index, bytes, held, sent);
    this.#requireFreeNames(move.layer, index.skills);
    await keepSearchIndex(index, storage);
    await storage.put(indexKey(move.bundle), bytes);
    // The last look before the move: as long as the upload is open, nothing that was sent is removed.
    if ((await book.find(move.layer, upload, clock())) === null) {
      throw uploadGone();
    }
    const moved = await this.#move(move);
    await this.#uploads.end(move.layer, upload);
    return moved;
  }

  /** Moves a channel to a bundle that is kept: a rollback, or a promotion. Throws `bundle-unknown`, `bundle-blocked`, `bundle-gone`, `deploy-conflict`. */
  moveToKept(move: WantedMove): Promise<Moved> {
    return underNote(this.#parts, () => this.#moveToKept(move));
  }

  async #moveToKept(move: WantedMove): Promise<Moved> {
    if (!(await this.#isKept(move.layer, move.bundle))) {
      throw unknown(move.bundle);
    }
    await refuseRecalled(this.#parts.storage, move);
    await unlessGone(`move to ${move.bundle}`, () => this.#parts.reader.readIndex(move.bundle));
    return this.#move(move);
  }

  async #move({ layer, channel, expected, bundle, by, reason, commit }: WantedMove): Promise<Moved> {
    const { storage, clock } = this.#parts;
    const { pointer, version } = await storage.readPointer(layer, channel);
    if (pointer?.bundle === bundle && version !== null && version === expected) {
      return { layer, channel, bundle, previous: bundle, version };
    }
    if (pointer === null) {
      await requireRoom({ layer, channel }, storage);
    }
    const from = commit === undefined ? {} : { commit };
    const move: PointerMove = { bundle, at: new Date(clock()).toISOString(), by, reason, ...from };
    const moved = movePointer(pointer, move);
    const written = version === expected ? await this.#writeWithList({ layer, channel }, moved, version) : null;
    if (written === null) {
      throw new SkillsError(
        "deploy-conflict",
        `Cannot move channel "${channel}": somebody else has moved it meanwhile`,
      );
    }
    await this.#channels.readNow(layer, channel);
    return { layer, channel, bundle, previous: pointer?.bundle ?? null, version: written };
  }

  /** Writes a pointer with the newest block list: one that was changed meanwhile is brought to it at once (deploy/block-list.ts). */
  async #writeWithList(
    { layer, channel }: ChannelName,
    pointer: Pointer,
    version: string | null,
  ): Promise<string | null> {
    const { storage } = this.#parts;
    const { list } = await storage.readBlockList();
    const next = withBlockList(pointer, list);
    const written = await storage.writePointer(layer, channel, next, version);
    const isNewest = (await storage.readBlockList()).list.seq === list.seq;
    // Lost to who blocks: they have brought the list themselves.
    return written === null || isNewest
      ? written
      : ((await this.#writeWithList({ layer, channel }, next, written)) ?? written);
  }

  #remember(key: string, records: ReadonlySet<Digest>): void {
    this.#recent.delete(key);
    this.#recent.set(key, records);
    for (const oldest of this.#recent.keys()) {
      if (this.#recent.size <= MAX_RECENT) {
        return;
      }
      this.#recent.delete(oldest);
    }
  }

  async #isKept(layer: string, bundle: Digest): Promise<boolean> {
    const channels = await this.channels(layer);
    for (const name of channels) {
      if (isKept((await this.pointer(name)).pointer, bundle)) {
        return true;
      }
    }
    return false;
  }

  /** The index that the records make is the one that was given, and all that the records refer to is the tenant's own. */
  async #requireWhole(index: BundleIndex, bytes: Uint8Array, held: Holdings, all: readonly Sent[]): Promise<void> {
    const sent = new Map(all.map((item) => [item.digest, item]));
    const missing = new Set<Digest>();
    const made: IndexEntry[] = [];
    for (const { name, record } of index.skills) {
      const kept = held.entries.get(record);
      const text = sent.get(record)?.record ?? null;
      if (kept !== undefined) {
        made.push(kept);
      } else if (text === null) {
        missing.add(record);
      } else {
        const facts = JSON.parse(text) as UploadedRecord;
        made.push(facts.entry);
        for (const digest of await this.#lacking(name, facts, held, sent)) {
          missing.add(digest);
        }
      }
    }
    if (missing.size > 0) {
      const named = [...missing].slice(0, MAX_NAMED).join(", ");
      throw new SkillsError(
        "upload-incomplete",
        `Cannot deploy: not all was sent: it lacks ${counted(missing.size, "blob")}, ${named}`,
      );
    }
    if (new Set(made.map(({ name }) => name)).size < made.length) {
      throw new SkillsError("upload-invalid", "Cannot deploy: two skills have the same name");
    }
    if ((await digestOf(encodeIndex(made, index.search ?? null))) !== (await digestOf(bytes))) {
      throw new SkillsError("upload-invalid", "Cannot deploy: the index says something else than the records");
    }
  }

  /** What a record refers to and the tenant does not have. Throws `upload-invalid` for a file of another size. */
  async #lacking(
    name: string,
    { files, blobs }: UploadedRecord,
    held: Holdings,
    sent: ReadonlyMap<Digest, Sent>,
  ): Promise<Digest[]> {
    const lacking = blobs.filter((digest) => !sent.has(digest) && !held.blobs.has(digest) && !held.sizes.has(digest));
    for (const [digest, size] of files as readonly (readonly [Digest, number])[]) {
      const known = sent.get(digest)?.size ?? held.sizes.get(digest) ?? (await this.#sizeOf(digest, held));
      if (known === null) {
        lacking.push(digest);
      } else if (known !== size) {
        throw new SkillsError(
          "upload-invalid",
          `Cannot deploy "${name}": ${digest} has ${counted(known, "byte")}, not ${size}`,
        );
      }
    }
    return lacking;
  }

  /** Of a compiled script or package that is also a file. */
  async #sizeOf(digest: Digest, { blobs }: Holdings): Promise<number | null> {
    return blobs.has(digest) ? (await this.#parts.reader.readBlob(digest)).byteLength : null;
  }

  #requireFreeNames(layer: string, skills: readonly IndexEntry[]): void {
    const taken = layer === PLATFORM_LAYER ? undefined : skills.find(({ name }) => this.#rules.isProtected(name));
    if (taken !== undefined) {
      throw new SkillsError(
        "name-protected",
        `Cannot deploy "${taken.name}": the name, or one that looks like it, is protected`,
      );
    }
  }
}

function recordOf({ record }: IndexEntry): Digest {
  return record;
}

/** What a history names and storage lacks was removed. Throws `bundle-gone` then. */
async function unlessGone<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw SkillsError.is(cause) && cause.code === "bundle-damaged"
      ? new SkillsError("bundle-gone", `Cannot ${what}: its bytes were removed`, { cause })
      : cause;
  }
}

/** The same for what is another's, what is not kept any more, and what never was. */
function unknown(digest: Digest): SkillsError {
  return new SkillsError("bundle-unknown", `Cannot find ${digest}: it is in no history of this layer`);
}
