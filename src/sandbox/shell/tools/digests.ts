/** Owns checksums: `sha…sum`, `md5sum`, `cksum`, `sum`; never how a hash is made (node:crypto). */
import { createHash } from "node:crypto";
import type { Result } from "../inside.ts";
import { linesOf } from "./text.ts";
import { readBytes, readOptions, readText, type Surroundings, type Tool } from "./tool.ts";

const NAMES = {
  check: "c",
  quiet: "q",
  status: "s",
  binary: "b",
  text: "t",
  tag: "T",
  strict: "S",
  warn: "w",
  "ignore-missing": "i",
  zero: "z",
};

/** Commands and the hashes they write. */
export const DIGEST_TOOLS: Readonly<Record<string, Tool>> = Object.fromEntries(
  ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"].map((algorithm) => [
    `${algorithm}sum`,
    (args: readonly string[], around: Surroundings) => sums(algorithm, args, around),
  ]),
);

function sums(algorithm: string, args: readonly string[], around: Surroundings): Result {
  const command = `${algorithm}sum`;
  const options = readOptions(args, "cqsbtTSwiz", NAMES);
  const names = options.rest.length === 0 ? ["-"] : options.rest;
  let stdout = "";
  let stderr = "";
  let failures = 0;
  const hash = (name: string) => createHash(algorithm).update(readBytes(name, around)).digest("hex");
  for (const name of names) {
    try {
      if (options.has("c")) {
        const checked = check(readText(name, around), hash);
        const shown = checked.filter(({ ok }) => !options.has("s") && !(ok === "OK" && options.has("q")));
        stdout += shown.map((one) => `${one.name}: ${one.ok}\n`).join("");
        const bad = checked.filter(({ ok }) => ok !== "OK");
        failures += bad.length;
        const mismatched = bad.filter(({ ok }) => ok === "FAILED").length;
        stderr += bad
          .filter(({ ok }) => ok !== "FAILED")
          .map((one) => `${command}: ${one.name}: No such file or directory\n`)
          .join("");
        stderr += mismatched > 0 && !options.has("s") ? warning(command, mismatched, "computed", "did NOT match") : "";
        stderr +=
          bad.length > mismatched ? warning(command, bad.length - mismatched, "listed", "could not be read") : "";
      } else {
        stdout += options.has("T")
          ? `${algorithm.toUpperCase()} (${name}) = ${hash(name)}\n`
          : `${hash(name)} ${options.has("b") ? "*" : " "}${name}\n`;
      }
    } catch {
      stderr += `${command}: ${name}: No such file or directory\n`;
      failures++;
    }
  }
  return { stdout, stderr, exitCode: failures > 0 ? 1 : 0 };
}

function warning(command: string, count: number, kind: "computed" | "listed", what: string): string {
  const things =
    kind === "computed" ? `computed checksum${count > 1 ? "s" : ""}` : `listed file${count > 1 ? "s" : ""}`;
  return `${command}: WARNING: ${count} ${things} ${what}\n`;
}

interface Checked {
  readonly name: string;
  readonly ok: "OK" | "FAILED" | "FAILED open or read";
}

function check(list: string, hash: (name: string) => string): Checked[] {
  return linesOf(list).flatMap((line): Checked[] => {
    const [, sum, name] = /^\\?([0-9a-fA-F]+) [ *](.*)$/.exec(line) ?? [];
    const [, tagged, value] = /^\w+ \((.*)\) = ([0-9a-fA-F]+)$/.exec(line) ?? [];
    const [file, wanted] = name === undefined ? [tagged, value] : [name, sum];
    if (file === undefined || wanted === undefined) {
      return [];
    }
    try {
      return [{ name: file, ok: hash(file) === wanted.toLowerCase() ? "OK" : "FAILED" }];
    } catch {
      return [{ name: file, ok: "FAILED open or read" }];
    }
  });
}

/** POSIX `cksum`. */
export function cksum(args: readonly string[], around: Surroundings): Result {
  const names = args.length === 0 ? ["-"] : args;
  const lines = names.map((name) => {
    const bytes = readBytes(name, around);
    return `${crc(bytes)} ${bytes.length}${args.length === 0 ? "" : ` ${name}`}\n`;
  });
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
}

function crc(bytes: Uint8Array): number {
  let value = 0;
  const add = (byte: number) => {
    value ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
    }
  };
  bytes.forEach(add);
  for (let size = bytes.length; size > 0; size = Math.floor(size / 256)) {
    add(size % 256);
  }
  return ~value >>> 0;
}

/** BSD's `sum`. */
export function sum(args: readonly string[], around: Surroundings): Result {
  const names = args.length === 0 ? ["-"] : args;
  const lines = names.map((name) => {
    const bytes = readBytes(name, around);
    const value = bytes.reduce((total, byte) => (((total >> 1) | ((total & 1) << 15)) + byte) & 0xffff, 0);
    const blocks = String(Math.ceil(bytes.length / 1024)).padStart(5);
    return `${String(value).padStart(5, "0")} ${blocks}${names.length > 1 ? ` ${name}` : ""}\n`;
  });
  return { stdout: lines.join(""), stderr: "", exitCode: 0 };
}
