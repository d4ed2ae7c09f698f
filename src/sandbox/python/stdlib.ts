/** Owns Python's standard library as sealed files, inflated when first read; never which modules there are. */
import { inflateRawSync } from "node:zlib";
import type { DirNode } from "../files/inode.ts";
import { plant, sealedFile } from "../files/sealed.ts";

/** Where CPython looks for its library. */
export const PYTHON_LIBRARY = "lib/python3.13";

/** Path, offset in the pack, bytes there, bytes inflated (equal to the former when the file is stored as it is). */
type PackEntry = readonly [path: string, offset: number, packed: number, size: number];

/** Plants the packed library below `/usr`. The pack is a length, an index as JSON, and the files deflated one by one. */
export function plantStdlib(usr: DirNode, pack: ArrayBuffer): void {
  const indexLength = new DataView(pack).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(pack, 4, indexLength))) as PackEntry[];
  const start = 4 + indexLength;
  for (const [path, offset, packed, size] of index) {
    const load = () => {
      const bytes = new Uint8Array(pack, start + offset, packed);
      return packed === size ? bytes : new Uint8Array(inflateRawSync(bytes));
    };
    plant(usr, `${PYTHON_LIBRARY}/${path}`, sealedFile(size, load));
  }
}
