/** Owns showing bytes as numbers: `xxd`, `hexdump`, `od`; never where they come from. */
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { decodeText } from "./text.ts";
import { readBytes, readOptions, type Surroundings, say } from "./tool.ts";

const hex = (byte: number) => byte.toString(16).padStart(2, "0");
const isShown = (byte: number) => byte >= 32 && byte < 127;
const letters = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => (isShown(byte) ? String.fromCharCode(byte) : ".")).join("");

export function xxd(args: readonly string[], around: Surroundings): Result {
  // xxd writes its options as words: `-ps`.
  const words = args.map((word) => (word === "-ps" || word === "-plain" ? "-p" : word));
  const options = readOptions(words, "prul:s:c:g:biae", { revert: "r", plain: "p" });
  const [name = "-", target] = options.rest;
  const input = readBytes(name, around);
  if (options.has("r")) {
    return give(reverted(decodeText(input), options.has("p") ? "plain" : "rows"), target, around);
  }
  const from = Number(options.value("s") ?? 0);
  const bytes = input.subarray(from, from + Number(options.value("l") ?? input.length));
  if (options.has("p")) {
    const columns = Number(options.value("c") ?? 30);
    const text = Array.from(bytes, hex).join("");
    const lines = columns > 0 ? (text.match(new RegExp(`.{1,${columns * 2}}`, "g")) ?? []) : [text];
    return give(
      new TextEncoder().encode(lines.map((line) => `${shown(line, options.has("u"))}\n`).join("")),
      target,
      around,
    );
  }
  if (options.has("i")) {
    return say(asC(bytes, name));
  }
  const columns = Number(options.value("c") ?? (options.has("b") ? 6 : 16));
  const group = Number(options.value("g") ?? (options.has("b") ? 1 : 2)) || columns;
  const size = options.has("b") ? 8 : 2;
  const width = columns * size + Math.ceil(columns / group);
  let out = "";
  for (let at = 0; at < bytes.length; at += columns) {
    const row = bytes.subarray(at, at + columns);
    const cells = Array.from(row, (byte) => (options.has("b") ? byte.toString(2).padStart(8, "0") : hex(byte)));
    const groups = Array.from({ length: Math.ceil(cells.length / group) }, (_, i) =>
      cells.slice(i * group, (i + 1) * group).join(""),
    );
    const body = groups.map((text) => `${shown(text, options.has("u"))} `).join("");
    out += `${(from + at).toString(16).padStart(8, "0")}: ${body.padEnd(width)} ${letters(row)}\n`;
  }
  return give(new TextEncoder().encode(out), target, around);
}

const shown = (text: string, upper: boolean) => (upper ? text.toUpperCase() : text);

function asC(bytes: Uint8Array, name: string): string {
  const body = Array.from(bytes, (byte) => `0x${hex(byte)}`).join(", ");
  const rows = body.match(/.{1,72}(?:, |$)/g)?.map((row) => `  ${row.trimEnd()}\n`) ?? [];
  if (name === "-") {
    return rows.join("");
  }
  const label = name.replace(/\W/g, "_");
  return `unsigned char ${label}[] = {\n${rows.join("")}};\nunsigned int ${label}_len = ${bytes.length};\n`;
}

function reverted(text: string, form: "plain" | "rows"): Uint8Array {
  const rows = text
    .split("\n")
    .map((line) => (form === "plain" ? line : (/^[0-9a-f]+:\s?((?:[0-9a-f]{2,}\s)*[0-9a-f]*)/i.exec(line)?.[1] ?? "")));
  const digits = rows
    .map((row) => (form === "plain" ? row : (row.split("  ")[0] ?? "")))
    .join("")
    .replace(/[^0-9a-fA-F]/g, "");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function give(bytes: Uint8Array, target: string | undefined, { cwd, files }: Surroundings): Result {
  if (target !== undefined) {
    files.writeFile(resolvePath(cwd, target), bytes);
    return say("");
  }
  let stdout = "";
  for (const byte of bytes) {
    stdout += String.fromCharCode(byte);
  }
  return { stdout, stdoutKind: "bytes", stderr: "", exitCode: 0 };
}

export function hexdump(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "Cvn:s:xde:");
  const all = readBytes(options.rest[0] ?? "-", around);
  const from = Number(options.value("s") ?? 0);
  const bytes = all.subarray(from, from + Number(options.value("n") ?? all.length));
  const form = options.value("e");
  if (form !== undefined) {
    // The form that scripts use: one byte after the other, `1/1 "%02x"`.
    const [, format = "%02x"] = /"([^"]*)"/.exec(form) ?? [];
    return say(Array.from(bytes, (byte) => format.replace(/%0?2?x/i, hex(byte)).replaceAll("\\n", "\n")).join(""));
  }
  let out = "";
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const where = (from + at).toString(16);
    if (options.has("C")) {
      const cells = Array.from(
        { length: 16 },
        (_, i) => `${i < row.length ? hex(row[i] ?? 0) : "  "} ${i === 7 ? " " : ""}`,
      );
      out += `${where.padStart(8, "0")}  ${cells.join("")} |${letters(row)}|\n`;
    } else {
      const words = Array.from(
        { length: Math.ceil(row.length / 2) },
        (_, i) => hex(row[i * 2 + 1] ?? 0) + hex(row[i * 2] ?? 0),
      );
      out += `${where.padStart(7, "0")} ${words.join(" ").padEnd(39)}\n`;
    }
  }
  const end = (from + bytes.length).toString(16).padStart(options.has("C") ? 8 : 7, "0");
  return say(bytes.length === 0 ? "" : `${out}${end}\n`);
}

const NAMED: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

/** How `od` writes one byte or number: width and text. */
function cellOf(type: string): { readonly size: number; readonly width: number; text(bytes: Uint8Array): string } {
  const size = type.startsWith("c")
    ? 1
    : ({ "": type === "x" || type === "o" || type === "d" || type === "u" ? 4 : 1, C: 1, S: 2, I: 4, L: 8 }[
        type.slice(1).replace(/\d+/, "")
      ] ?? 1);
  const bytes = /\d/.test(type) ? Number(type.slice(1)) : size;
  const value = (row: Uint8Array) => row.reduceRight((total, byte) => total * 256n + BigInt(byte), 0n);
  switch (type[0]) {
    case "c":
      return {
        size: 1,
        width: 4,
        text: ([byte = 0]) =>
          NAMED[byte] ?? (isShown(byte) ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0")),
      };
    case "x":
      return {
        size: bytes,
        width: bytes * 2 + 1,
        text: (row) =>
          value(row)
            .toString(16)
            .padStart(bytes * 2, "0"),
      };
    case "d":
    case "u": {
      const width = [0, 4, 6, 0, 11, 0, 0, 0, 21][bytes] ?? 21;
      const signed = (row: Uint8Array) => (type[0] === "d" ? BigInt.asIntN(bytes * 8, value(row)) : value(row));
      return {
        size: bytes,
        width: type[0] === "d" || bytes === 1 ? width + (type[0] === "d" && bytes === 1 ? 1 : 0) : width,
        text: (row) => String(signed(row)),
      };
    }
    default: {
      const digits = [0, 3, 6, 0, 11, 0, 0, 0, 22][bytes] ?? 22;
      return { size: bytes, width: digits + 1, text: (row) => value(row).toString(8).padStart(digits, "0") };
    }
  }
}

export function od(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "A:t:N:j:w;vcbxdo", {
    "address-radix": "A",
    format: "t",
    "read-bytes": "N",
    "skip-bytes": "j",
    width: "w",
  });
  const short = ["c", "b", "x", "d", "o"].find((letter) => options.has(letter));
  const type = options.value("t") ?? { c: "c", b: "o1", x: "x2", d: "u2", o: "o2" }[short ?? "o"] ?? "o2";
  const cell = cellOf(type);
  const from = Number(options.value("j") ?? 0);
  const all = readBytes(options.rest[0] ?? "-", around);
  const bytes = all.subarray(from, from + Number(options.value("N") ?? all.length));
  const columns = Number(options.value("w") || 16);
  const radix = { x: 16, d: 10, o: 8, n: 0 }[options.value("A") ?? "o"] ?? 8;
  const address = (at: number) => (radix === 0 ? "" : (from + at).toString(radix).padStart(radix === 16 ? 6 : 7, "0"));
  let out = "";
  for (let at = 0; at < bytes.length; at += columns) {
    const row = bytes.subarray(at, at + columns);
    const cells = Array.from({ length: Math.ceil(row.length / cell.size) }, (_, i) =>
      cell.text(row.subarray(i * cell.size, (i + 1) * cell.size)).padStart(cell.width),
    );
    out += `${address(at)}${cells.join("")}\n`;
  }
  return say(radix === 0 ? out : `${out}${address(bytes.length)}\n`);
}
