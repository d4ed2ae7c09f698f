/** Owns Python packages as sealed files beside the standard library, from zips inflated file by file; never which packages a run gets. */
import { inflateRawSync } from "node:zlib";
import type { Digest } from "../../model/digest.ts";
import type { DirNode, Inode } from "../files/inode.ts";
import { plant, sealedDir, sealedFile } from "../files/sealed.ts";
import { PYTHON_LIBRARY } from "./stdlib.ts";

const SITE = `${PYTHON_LIBRARY}/site-packages`;
const DEFLATED = 8;

/** Trees that were made, by the digests of their zips. Few: an operator has one set, and skills use little of it. */
const made = new Map<string, DirNode>();
const MOST_TREES = 16;

/** `/usr` with packages; the same zips give the same tree. */
export function withPackages(usr: DirNode, digests: readonly Digest[], zips: readonly Uint8Array[]): DirNode {
  if (digests.length === 0) {
    return usr;
  }
  const key = digests.join();
  const known = made.get(key);
  if (known !== undefined) {
    return known;
  }
  const tree = copyAlong(usr, SITE.split("/"));
  for (const zip of zips) {
    plantZip(tree, zip);
  }
  const [oldest] = made.keys();
  if (made.size >= MOST_TREES && oldest !== undefined) {
    made.delete(oldest);
  }
  made.set(key, tree);
  return tree;
}

/** A directory that can be added to along one path; all else stays shared. */
function copyAlong(dir: DirNode, [next, ...rest]: readonly string[]): DirNode {
  const copy = sealedDir();
  for (const [name, node] of dir.entries) {
    copy.entries.set(name, node);
  }
  if (next !== undefined) {
    const found: Inode | undefined = dir.entries.get(next);
    copy.entries.set(next, copyAlong(found?.kind === "dir" ? found : sealedDir(), rest));
  }
  return copy;
}

/** The files of a zip, from its central directory. The zips are the operator's: what is wrong with one throws. */
function plantZip(usr: DirNode, zip: Uint8Array): void {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const end = zip.length - 22;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) {
    throw new Error("a package is no zip");
  }
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const nameLength = view.getUint16(at + 28, true);
    const path = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength));
    const [packed, size, header] = [20, 24, 42].map((offset) => view.getUint32(at + offset, true)) as [
      number,
      number,
      number,
    ];
    const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const isDeflated = view.getUint16(at + 10, true) === DEFLATED;
    const bytes = zip.subarray(start, start + packed);
    plant(
      usr,
      `${SITE}/${path}`,
      sealedFile(size, () => (isDeflated ? new Uint8Array(inflateRawSync(bytes)) : bytes)),
    );
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
}
