/** Owns the parts of `openssl` that scripts use without keys of others: digests, HMACs, random bytes, base64; never TLS or certificates. */
import { createHash, createHmac, getHashes } from "node:crypto";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { decodeText } from "./text.ts";
import { fail, readBytes, type Surroundings, say } from "./tool.ts";

const MOST_RANDOM = 1 << 20;

export function openssl(args: readonly string[], around: Surroundings): Result {
  const [command = "", ...rest] = args;
  if (command === "version") {
    return say("OpenSSL 3.0.0 (sandbox)\n");
  }
  if (command === "dgst") {
    return digest(rest, around);
  }
  if (command === "rand") {
    return random(rest, around);
  }
  if (command === "base64" || (command === "enc" && rest.some((word) => word === "-base64" || word === "-a"))) {
    return base64(rest, around);
  }
  if (getHashes().some((name) => name.toLowerCase() === command.toLowerCase())) {
    return digest([`-${command}`, ...rest], around);
  }
  return fail(
    `openssl: '${command}' is not available here; the sandbox has dgst, digests by their names, rand, base64 and version`,
  );
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

const WITH_VALUE = new Set(["-hmac", "-out", "-in", "-mac", "-macopt"]);

function operands(args: readonly string[]): readonly string[] {
  return args.filter((word, i) => !word.startsWith("-") && !WITH_VALUE.has(args[i - 1] ?? ""));
}

function digest(args: readonly string[], around: Surroundings): Result {
  const known = new Map(getHashes().map((name) => [name.toLowerCase(), name]));
  const algorithm =
    args.map((word) => known.get(word.slice(1).toLowerCase())).find((name) => name !== undefined) ?? "sha256";
  const macOption = optionOf(args, "-macopt");
  const key = macOption?.startsWith("hexkey:")
    ? Buffer.from(macOption.slice("hexkey:".length), "hex")
    : (optionOf(args, "-hmac") ?? (macOption?.startsWith("key:") ? macOption.slice("key:".length) : undefined));
  const names = operands(args);
  const shown = algorithm
    .replace(/^rsa-/i, "")
    .toUpperCase()
    .replace(/^SHA(\d{3})$/, "SHA2-$1");
  const parts = (names.length === 0 ? ["-"] : names).map((name) => {
    const bytes = readBytes(name, around);
    const made = key === undefined ? createHash(algorithm).update(bytes) : createHmac(algorithm, key).update(bytes);
    if (args.includes("-binary")) {
      return Uint8Array.from(made.digest());
    }
    const hex = made.digest("hex");
    const label = name === "-" ? "stdin" : name;
    const text = args.includes("-r") ? `${hex} *${label}\n` : `${shown}(${label})= ${hex}\n`;
    return new TextEncoder().encode(text);
  });
  return give(join(parts), args, around);
}

function random(args: readonly string[], around: Surroundings): Result {
  const count = Number(operands(args)[0] ?? 0);
  if (!(count > 0 && count <= MOST_RANDOM)) {
    return fail("rand: the number of bytes must be between 1 and 1048576");
  }
  const bytes = Buffer.alloc(count);
  for (let at = 0; at < count; at += 65_536) {
    crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  }
  if (args.includes("-hex")) {
    return give(new TextEncoder().encode(`${bytes.toString("hex")}\n`), args, around);
  }
  return args.includes("-base64")
    ? give(wrapped(bytes.toString("base64"), args), args, around)
    : give(bytes, args, around);
}

function base64(args: readonly string[], around: Surroundings): Result {
  const input = readBytes(optionOf(args, "-in") ?? "-", around);
  return args.includes("-d")
    ? give(Uint8Array.from(Buffer.from(decodeText(input), "base64")), args, around)
    : give(wrapped(Buffer.from(input).toString("base64"), args), args, around);
}

function wrapped(text: string, args: readonly string[]): Uint8Array {
  const lines = args.includes("-A") ? text : text.replace(/(.{64})(?=.)/g, "$1\n");
  return new TextEncoder().encode(args.includes("-A") ? lines : `${lines}\n`);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function give(bytes: Uint8Array, args: readonly string[], { cwd, files }: Surroundings): Result {
  const out = optionOf(args, "-out");
  if (out !== undefined) {
    files.writeFile(resolvePath(cwd, out), bytes);
    return say("");
  }
  let stdout = "";
  for (const byte of bytes) {
    stdout += String.fromCharCode(byte);
  }
  return { stdout, stdoutKind: "bytes", stderr: "", exitCode: 0 };
}
