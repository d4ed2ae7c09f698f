/** Owns putting Python's library into its WebAssembly for the sandbox: CPython's own files and the sandbox's modules, compiled; never runs a script. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { startPython } from "../src/pack/python/interpreter.ts";

interface PackedFile {
  readonly path: string;
  /** As stored: deflated, or as it is. */
  readonly packed: Uint8Array;
  readonly size: number;
}

/** Compiles every `/site` file as if it lay in the library; a fixed time stands for its own, so that the same source gives the same bytes. */
const COMPILE = `
import os, sys
sys.path.insert(0, "/lib/python313.zip")
from importlib._bootstrap_external import _code_to_timestamp_pyc
for name in sorted(os.listdir("/site")):
    source = open("/site/" + name, "rb").read()
    code = compile(source, "/usr/lib/python3.13/" + name, "exec", dont_inherit=True, optimize=0)
    open("/site/" + name + "c", "wb").write(_code_to_timestamp_pyc(code, 0, 0))
`;

/**
 * CPython's WebAssembly with the library behind it, each file a custom section under its path, and one of them the list of all: isolates share
 * the bytes of a WebAssembly module, while a module of data is copied into each. Read by src/sandbox/python/stdlib.ts.
 */
export async function withLibrary(cpython: string, site: string): Promise<Uint8Array> {
  const zip = readFileSync(join(cpython, "python313.zip"));
  const own = await compileSite(site);
  const replaced = new Set(own.map((file) => file.path));
  const library = readZip(zip)
    .filter((file) => !replaced.has(file.path))
    .map(atItsPlace);
  const files = [...library, ...own].sort((a, b) => (a.path < b.path ? -1 : 1));
  const index = files.map(({ path, packed, size }) => [path, packed.length, size]);
  return Buffer.concat([
    readFileSync(join(cpython, "python.wasm")),
    customSection("library", Buffer.from(JSON.stringify(index))),
    ...files.map(({ path, packed }) => customSection(`library/${path}`, packed)),
  ]);
}

const CUSTOM = 0;

function customSection(name: string, bytes: Uint8Array): Uint8Array {
  const label = Buffer.from(name);
  const body = Buffer.concat([leb128(label.length), label, bytes]);
  return Buffer.concat([Uint8Array.of(CUSTOM), leb128(body.length), body]);
}

/** A number as WebAssembly writes it: seven bits a byte, the least first. */
function leb128(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 0x7f; rest >>>= 7) {
    bytes.push((rest & 0x7f) | 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}

async function compileSite(site: string): Promise<PackedFile[]> {
  const names = readdirSync(site).filter((name) => name.endsWith(".py"));
  const { FS, run } = await startPython();
  FS.mkdirTree("/site");
  for (const name of names) {
    FS.writeFile(`/site/${name}`, readFileSync(join(site, name)));
  }
  run(COMPILE, "the sandbox's Python modules do not compile");
  return names.map((name) => {
    const bytes = FS.readFile(`/site/${name}c`);
    return { path: `${name}c`, packed: deflateRawSync(bytes, { level: 9 }), size: bytes.length };
  });
}

const BUILT_AT = Buffer.from("/tmp/stdlib/");
const LIES_AT = Buffer.from("/usr/lib/python3.13/");
/** How marshal begins a text of at most 255 ASCII letters; the high bit says that it may be referred to. */
const SHORT_TEXT = [0x7a, 0x5a, 0xfa, 0xda];

/** A compiled module that names the place where it lies, not where it was built: tracebacks show it. */
function atItsPlace(file: PackedFile): PackedFile {
  const bytes = file.packed.length === file.size ? Buffer.from(file.packed) : inflateRawSync(file.packed);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(BUILT_AT); at >= 0; at = bytes.indexOf(BUILT_AT, at + 1)) {
    const length = (bytes[at - 1] ?? 0) + LIES_AT.length - BUILT_AT.length;
    if (SHORT_TEXT.includes(bytes[at - 2] ?? 0) && length < 256) {
      parts.push(bytes.subarray(from, at - 1), Uint8Array.of(length), LIES_AT);
      from = at + BUILT_AT.length;
    }
  }
  if (parts.length === 0) {
    return file;
  }
  const moved = Buffer.concat([...parts, bytes.subarray(from)]);
  return { path: file.path, packed: deflateRawSync(moved, { level: 6 }), size: moved.length };
}

/** The files of a zip as they are stored, from its central directory. */
function readZip(zip: Buffer): PackedFile[] {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  const files: PackedFile[] = [];
  for (let i = 0; i < count; i++) {
    const nameLength = zip.readUInt16LE(at + 28);
    const path = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const header = zip.readUInt32LE(at + 42);
    const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
    if (!path.endsWith("/")) {
      files.push({
        path,
        packed: zip.subarray(start, start + zip.readUInt32LE(at + 20)),
        size: zip.readUInt32LE(at + 24),
      });
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}
