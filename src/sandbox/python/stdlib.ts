/** Owns Python's standard library as sealed files, inflated when first read; never which modules there are. */
import { inflateRawSync } from "node:zlib";
import type { DirNode } from "../files/inode.ts";
import { plant, sealedFile } from "../files/sealed.ts";
import python from "./python.wasm";

/** Where CPython looks for its library. */
export const PYTHON_LIBRARY = "lib/python3.13";

/** Path, bytes in the section, bytes inflated (equal to the former when the file is stored as it is). */
type LibraryEntry = readonly [path: string, packed: number, size: number];

/**
 * Plants the library below `/usr` out of CPython's own module: its custom section `library` lists the files, and each has one of its own. The
 * bytes of a module are there once for all isolates; a copy of a file is made when it is first read.
 */
export function plantStdlib(usr: DirNode): void {
  const index = JSON.parse(new TextDecoder().decode(section("library"))) as LibraryEntry[];
  for (const [path, packed, size] of index) {
    const load = () => {
      const bytes = section(`library/${path}`);
      return packed === size ? bytes : new Uint8Array(inflateRawSync(bytes));
    };
    plant(usr, `${PYTHON_LIBRARY}/${path}`, sealedFile(size, load));
  }
}

function section(name: string): Uint8Array {
  const [bytes] = WebAssembly.Module.customSections(python, name);
  if (bytes === undefined) {
    throw new Error(`python.wasm has no section ${name}: the library was stripped from it`);
  }
  return new Uint8Array(bytes);
}
