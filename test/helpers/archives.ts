/** Makes zip and tar archives byte by byte, with all the oddities that tools and attackers put into them. Never reads one. */
import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** An entry as a test describes it; `bytes` is its content. */
export interface EntrySpec {
  readonly name: string;
  readonly bytes?: Uint8Array;
  readonly dir?: boolean;
  readonly symlink?: string;
  readonly hardlink?: string;
  readonly type?: "fifo" | "char-device" | "pax-global";
  readonly flags?: EntryFlags;
}

/** See cases/README.md, archives.json. */
export interface EntryFlags {
  readonly method?: "store" | "deflate" | number;
  readonly utf8_flag?: boolean;
  readonly name_base64?: string;
  readonly encrypted?: boolean;
  readonly data_descriptor?: boolean;
  readonly zip64?: boolean;
  readonly crc?: "wrong";
  readonly declared_size?: number;
  readonly pax?: boolean;
  readonly gnu_longname?: boolean;
  readonly ustar_name?: string;
  readonly ustar_prefix?: boolean;
  readonly mode?: string;
}

/** The bytes of little-endian numbers: `[value, size in bytes]`. */
function numbers(...fields: readonly (readonly [value: number, size: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, size]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value));
      return bytes.subarray(0, size);
    }),
  );
}

/** A zip. */
export function makeZip(entries: readonly EntrySpec[]): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, directory } = zipEntry(entry, offset);
    parts.push(local);
    central.push(directory);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const count = entries.length;
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [directory.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...parts, directory, end]);
}

function zipEntry({ name, bytes = new Uint8Array(), symlink, dir, flags = {} }: EntrySpec, offset: number) {
  const content = Buffer.from(symlink ?? bytes);
  const rawName = flags.name_base64 === undefined ? Buffer.from(name) : Buffer.from(flags.name_base64, "base64");
  const method = flags.method === "store" || dir ? 0 : typeof flags.method === "number" ? flags.method : 8;
  const data = method === 8 ? deflateRawSync(content) : content;
  const isAscii = /^[\0-\x7f]*$/.test(name);
  const bits =
    (flags.encrypted ? 1 : 0) | (flags.data_descriptor ? 8 : 0) | ((flags.utf8_flag ?? !isAscii) ? 0x800 : 0);
  const crc = crc32(content) ^ (flags.crc === "wrong" ? 0x5555 : 0);
  const size = flags.declared_size ?? content.length;
  const sizes = flags.zip64 ? ([0xffffffff, 0xffffffff] as const) : ([data.length, size] as const);
  const extra = flags.zip64 ? numbers([1, 2], [16, 2], [size, 8], [data.length, 8]) : Buffer.alloc(0);
  const known = flags.data_descriptor ? ([0, 0, 0] as const) : ([crc >>> 0, ...sizes] as const);
  const version = flags.zip64 ? 45 : 20;
  const mode = symlink === undefined ? (dir ? 0o040755 : 0o100644) : 0o120777;

  const header = numbers([0x04034b50, 4], [version, 2], [bits, 2], [method, 2], [0, 2], [33, 2]);
  const local = Buffer.concat([
    header,
    numbers([known[0], 4], [known[1], 4], [known[2], 4], [rawName.length, 2], [extra.length, 2]),
    rawName,
    extra,
    data,
    flags.data_descriptor ? numbers([0x08074b50, 4], [crc >>> 0, 4], [data.length, 4], [size, 4]) : Buffer.alloc(0),
  ]);
  const directory = Buffer.concat([
    numbers([0x02014b50, 4], [(3 << 8) | version, 2], [version, 2], [bits, 2], [method, 2], [0, 2], [33, 2]),
    numbers([crc >>> 0, 4], [sizes[0], 4], [sizes[1], 4], [rawName.length, 2], [extra.length, 2], [0, 2]),
    numbers([0, 2], [0, 2], [mode * 0x10000, 4], [offset, 4]),
    rawName,
    extra,
  ]);
  return { local, directory };
}

const TYPES = { fifo: "6", "char-device": "3", "pax-global": "g" } as const;

/** A tar, not compressed. */
export function makeTar(entries: readonly EntrySpec[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(1024)]);
}

/** A tar in gzip; `crc: "wrong"` damages its checksum. */
export function makeTarGz(entries: readonly EntrySpec[], crc?: "wrong"): Buffer {
  const made = gzipSync(makeTar(entries));
  const at = made.length - 8;
  made[at] = (made[at] ?? 0) ^ (crc === "wrong" ? 0xff : 0);
  return made;
}

function tarEntry({ name, bytes = new Uint8Array(), dir, symlink, hardlink, type, flags = {} }: EntrySpec): Buffer {
  const flag = type ? TYPES[type] : dir ? "5" : symlink !== undefined ? "2" : hardlink !== undefined ? "1" : "0";
  const mode = flags.mode ?? "0644";
  const link = symlink ?? hardlink ?? "";
  if (type === "pax-global") {
    return record("pax_global_header", paxLine("comment", "0".repeat(40)), { flag, mode, link });
  }
  if (flags.pax) {
    const long = record("PaxHeaders/x", paxLine("path", name), { flag: "x", mode, link: "" });
    return Buffer.concat([long, record(flags.ustar_name ?? name.slice(0, 50), bytes, { flag, mode, link })]);
  }
  if (flags.gnu_longname) {
    const long = record("././@LongLink", Buffer.from(`${name}\0`), { flag: "L", mode, link: "" });
    return Buffer.concat([long, record(flags.ustar_name ?? name.slice(0, 50), bytes, { flag, mode, link })]);
  }
  if (flags.ustar_prefix) {
    const slash = name.lastIndexOf("/");
    return record(name.slice(slash + 1), bytes, { flag, mode, link, prefix: name.slice(0, slash) });
  }
  return record(name, bytes, { flag, mode, link });
}

function paxLine(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length++;
  }
  return Buffer.from(`${length}${rest}`);
}

function record(
  name: string,
  bytes: Uint8Array,
  { flag, mode, link, prefix = "" }: { flag: string; mode: string; link: string; prefix?: string },
): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 100);
  header.write(`${mode.padStart(7, "0")}\0`, 100);
  header.write("0000000\x000000000\0", 108);
  header.write(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write(" ".repeat(8), 148);
  header.write(flag, 156);
  header.write(link, 157, 100);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total: number, byte: number) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & 511)]);
}
