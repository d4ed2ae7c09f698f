/** Owns the form in which a pack's memory is kept in a file between commands. What is damaged, or was kept by another version, is nothing. */
import type { Digest } from "../model/digest.ts";
import type { LazyBytes } from "./blob-map.ts";
import { FileDigests, type FileNote } from "./file-digests.ts";
import { sha256 } from "./hash.ts";
import { type KeptEntry, PackMemory } from "./pack-memory.ts";

/** Length of the digest that everything after it has. */
const DIGEST_BYTES = 71;
const LENGTH_BYTES = 4;

/** The text before the bytes of the blobs. */
interface Head {
  /** What made it: another program may check and compile otherwise. */
  readonly program: string;
  readonly files: readonly (readonly [real: string, note: FileNote])[];
  readonly skills: readonly (readonly [real: string, entry: HeadEntry])[];
}

interface HeadEntry extends Omit<KeptEntry, "packed"> {
  readonly packed: (Omit<NonNullable<KeptEntry["packed"]>, "made"> & { readonly made: readonly Place[] }) | null;
}

/** Where a blob lies behind the head. */
type Place = readonly [digest: Digest, offset: number, size: number];

/** Writes a memory down. */
export function encodeMemory(memory: PackMemory, program: string): Uint8Array {
  const blobs: Uint8Array[] = [];
  let end = 0;
  const places = new Map<Digest, Place>();
  const place = ([digest, { bytes }]: readonly [Digest, LazyBytes]): Place => {
    const known = places.get(digest);
    if (known !== undefined) {
      return known;
    }
    const made: Place = [digest, end, bytes.byteLength];
    places.set(digest, made);
    blobs.push(bytes);
    end += bytes.byteLength;
    return made;
  };
  const skills = Array.from(memory.entries(), ([real, entry]): [string, HeadEntry] => {
    const packed = entry.packed === null ? null : { ...entry.packed, made: entry.packed.made.map(place) };
    return [real, { ...entry, packed }];
  });
  const text = JSON.stringify({ program, files: [...memory.files.notes()], skills } satisfies Head);
  const head = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(head.byteLength);
  const rest = Buffer.concat([length, head, ...blobs]);
  return Buffer.concat([Buffer.from(sha256(rest)), rest]);
}

/** Reads what this program wrote down; null for anything else. */
export function decodeMemory(kept: Uint8Array, program: string, now: () => number = Date.now): PackMemory | null {
  const bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  const rest = bytes.subarray(DIGEST_BYTES);
  if (bytes.toString("latin1", 0, DIGEST_BYTES) !== sha256(rest)) {
    return null;
  }
  const start = LENGTH_BYTES + rest.readUInt32BE();
  // The digest fits: it is what encodeMemory() wrote.
  const head = JSON.parse(rest.toString("utf8", LENGTH_BYTES, start)) as Head;
  if (head.program !== program) {
    return null;
  }
  const blobs = new Uint8Array(rest.buffer, rest.byteOffset + start, rest.byteLength - start);
  const found = ([digest, offset, size]: Place): [Digest, LazyBytes] => [
    digest,
    { size, bytes: blobs.subarray(offset, offset + size) },
  ];
  const skills = head.skills.map(([real, { packed, ...entry }]): [string, KeptEntry] => [
    real,
    { ...entry, packed: packed === null ? null : { ...packed, made: packed.made.map(found) } },
  ]);
  return new PackMemory(new FileDigests(head.files, now), skills);
}
