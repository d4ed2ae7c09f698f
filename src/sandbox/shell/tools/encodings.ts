/** Owns commands that turn bytes into letters and back: `base32`, `base64`, `iconv`, and `dd`, which only moves them; never digests. */
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { latin1 } from "./text.ts";
import { fail, readBytes, readOptions, type Surroundings, say, type Tool, UsageError } from "./tool.ts";

const NAMES = { decode: "d", wrap: "w", "ignore-garbage": "i" };
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

interface Alphabet {
  readonly name: string;
  readonly letters: string;
  readonly bits: number;
  /** Letters that end together. */
  readonly group: number;
}

const bytesAs = (bytes: Uint8Array): Result => ({
  stdout: latin1(bytes),
  stdoutKind: "bytes",
  stderr: "",
  exitCode: 0,
});

function coding(alphabet: Alphabet): Tool {
  return (args, around) => {
    const options = readOptions(args, "dw:iD", NAMES);
    const bytes = readBytes(options.rest[0] ?? "-", around);
    if (options.has("d") || options.has("D")) {
      return decoded(bytes, alphabet, options.has("i") ? "ignore" : "refuse");
    }
    const width = Number(options.value("w") ?? 76);
    if (!Number.isInteger(width) || width < 0) {
      throw new UsageError(`invalid wrap size: ‘${options.value("w")}’`);
    }
    const text = encoded(bytes, alphabet);
    const lines = width === 0 ? text : text.replace(new RegExp(`.{1,${width}}`, "g"), "$&\n");
    return say(lines);
  };
}

function encoded(bytes: Uint8Array, { letters, bits, group }: Alphabet): string {
  let text = "";
  let kept = 0;
  let left = 0;
  for (const byte of bytes) {
    kept = (kept << 8) | byte;
    left += 8;
    while (left >= bits) {
      left -= bits;
      text += letters[(kept >> left) & ((1 << bits) - 1)];
    }
    kept &= (1 << left) - 1;
  }
  text += left === 0 ? "" : letters[(kept << (bits - left)) & ((1 << bits) - 1)];
  return text.padEnd(Math.ceil(text.length / group) * group, "=");
}

function decoded(bytes: Uint8Array, { name, letters, bits, group }: Alphabet, garbage: "ignore" | "refuse"): Result {
  const out: number[] = [];
  let kept = 0;
  let left = 0;
  let count = 0;
  let wrong = false;
  for (const byte of bytes) {
    const value = letters.indexOf(String.fromCharCode(byte));
    if (value >= 0) {
      kept = ((kept << bits) | value) & 0xffff;
      left += bits;
      count++;
      if (left >= 8) {
        left -= 8;
        out.push((kept >> left) & 0xff);
      }
    } else if (byte === 0x3d) {
      count++;
    } else if (byte !== 0x0a && byte !== 0x0d && garbage === "refuse") {
      wrong = true;
      break;
    }
  }
  const result = bytesAs(Uint8Array.from(out));
  return wrong || count % group !== 0 ? { ...result, stderr: `${name}: invalid input\n`, exitCode: 1 } : result;
}

/** Names of encodings that the platform calls otherwise. */
const LABELS: Readonly<Record<string, string>> = {
  ascii: "utf-8",
  "us-ascii": "utf-8",
  latin1: "iso-8859-1",
  "utf-16": "utf-16le",
};

function iconv(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "f:t:o:clsS", {
    "from-code": "f",
    "to-code": "t",
    output: "o",
    list: "l",
    silent: "s",
  });
  const [from = "utf-8", to = "utf-8"] = [options.value("f"), options.value("t")].map((name) => name?.toLowerCase());
  const [target = "", suffix = ""] = to.split("//");
  const discards = options.has("c") || suffix.includes("ignore");
  const names = options.rest.length === 0 ? ["-"] : options.rest;
  let text = "";
  for (const name of names) {
    try {
      const label = LABELS[from] ?? from;
      text += new TextDecoder(label, { fatal: !discards, ignoreBOM: false }).decode(readBytes(name, around));
    } catch (error) {
      if (error instanceof RangeError) {
        return fail(`iconv: conversion from \`${from}' is not supported`);
      }
      if (error instanceof TypeError) {
        return fail("iconv: illegal input sequence at position 0");
      }
      throw error;
    }
  }
  const bytes = encodedAs(discards ? text.replaceAll("\ufffd", "") : text, target, suffix);
  if (typeof bytes === "string") {
    return fail(`iconv: ${bytes}`);
  }
  const file = options.value("o");
  if (file === undefined) {
    return bytesAs(bytes);
  }
  around.files.writeFile(resolvePath(around.cwd, file), bytes);
  return say("");
}

/** A text in an encoding, or what is wrong with it. */
function encodedAs(text: string, target: string, suffix: string): Uint8Array | string {
  const most = /^(?:us-)?ascii$/.test(target) ? 0x7f : /^(?:iso-?8859-1|latin-?1)$/.test(target) ? 0xff : null;
  if (most !== null) {
    const plain = suffix.includes("translit") ? text.normalize("NFKD").replace(/\p{M}/gu, "") : text;
    const letters = [
      ...(suffix === "" ? plain : plain.replace(/[^\0-\xff]/gu, suffix.includes("translit") ? "?" : "")),
    ];
    const codes = letters.map((letter) => letter.codePointAt(0) ?? 0);
    return codes.some((code) => code > most) ? "cannot convert" : Uint8Array.from(codes);
  }
  if (/^utf-?16(?:le|be)?$/.test(target)) {
    const mark = target.endsWith("16") ? "\ufeff" : "";
    const marked = mark + text;
    const bytes = new Uint8Array(marked.length * 2);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < marked.length; i++) {
      view.setUint16(i * 2, marked.charCodeAt(i), !target.endsWith("be"));
    }
    return bytes;
  }
  return /^utf-?8$/.test(target) || target === ""
    ? new TextEncoder().encode(text)
    : `conversion to \`${target}' is not supported`;
}

const UNITS: Readonly<Record<string, number>> = {
  c: 1,
  w: 2,
  b: 512,
  k: 1024,
  K: 1024,
  kB: 1000,
  M: 1 << 20,
  MB: 1e6,
  G: 1 << 30,
};
/** More than a run may hold. */
const MOST_BYTES = 64 << 20;

function dd(args: readonly string[], around: Surroundings): Result {
  const given = new Map(args.map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]));
  const number = (name: string, otherwise: number) => {
    const word = given.get(name);
    const [, digits, unit = ""] = /^(\d+)([a-zA-Z]*)$/.exec(word ?? String(otherwise)) ?? [];
    if (digits === undefined || (unit !== "" && !Object.hasOwn(UNITS, unit))) {
      throw new UsageError(`invalid number: ‘${word}’`);
    }
    return Number(digits) * (UNITS[unit] ?? 1);
  };
  const { cwd, files } = around;
  const size = number("bs", number("ibs", 512));
  if (size === 0) {
    throw new UsageError("invalid number: ‘0’");
  }
  const count = given.has("count") ? number("count", 0) * size : MOST_BYTES;
  const source = given.get("if") ?? "-";
  const endless = source === "/dev/zero" || source === "/dev/urandom" || source === "/dev/random";
  if (count > MOST_BYTES || (endless && !given.has("count"))) {
    return fail("dd: error writing output: No space left on device");
  }
  const skipped = number("skip", 0) * size;
  const all = endless ? new Uint8Array(count) : readBytes(source, around).slice(skipped, skipped + count);
  if (source.endsWith("random")) {
    for (let at = 0; at < all.length; at += 65536) {
      crypto.getRandomValues(all.subarray(at, at + 65536));
    }
  }
  const blocks = `${Math.floor(all.length / size)}+${all.length % size === 0 ? 0 : 1} records`;
  const quiet = /none/.test(given.get("status") ?? "");
  const stderr = quiet
    ? ""
    : `${blocks} in\n${blocks} out\n${all.length} byte${all.length === 1 ? "" : "s"} copied, 0.001 s\n`;
  const target = given.get("of");
  if (target === undefined || target === "/dev/stdout") {
    return { ...bytesAs(all), stderr };
  }
  const path = resolvePath(cwd, target);
  const seek = number("seek", 0) * number("obs", size);
  if (seek + all.length > files.store.limits.bytes) {
    return fail("dd: error writing output: No space left on device");
  }
  const before = seek > 0 || /notrunc/.test(given.get("conv") ?? "") ? existing(path, around) : new Uint8Array(0);
  const kept = new Uint8Array(Math.max(seek + all.length, /notrunc/.test(given.get("conv") ?? "") ? before.length : 0));
  kept.set(before.subarray(0, kept.length));
  kept.set(all, seek);
  if (target !== "/dev/null") {
    files.writeFile(path, kept);
  }
  return { stdout: "", stderr, exitCode: 0 };
}

function existing(path: string, around: Surroundings): Uint8Array {
  return around.files.peek(path)?.kind === "file" ? readBytes(path, around) : new Uint8Array(0);
}

/** By name. */
export const ENCODING_TOOLS: Readonly<Record<string, Tool>> = {
  base32: coding({ name: "base32", letters: BASE32, bits: 5, group: 8 }),
  base64: coding({ name: "base64", letters: BASE64, bits: 6, group: 4 }),
  dd,
  iconv,
};
