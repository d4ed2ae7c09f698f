/** Owns the text that a program's answer travels in out of a JavaScript child: nothing a script changed can turn a text into something else. */
import { isRunLimitName } from "../../model/run.ts";
import type { SpawnAnswer } from "../protocol.ts";

// A script may have replaced this one by the time it is used; the other built-in objects are put back before.
const nativeBtoa = globalThis.btoa;

/** Characters that one call of `fromCharCode` takes. */
const CHUNK = 0x8000;

/** Writes an answer; `stringify` is the one from before the script ran. */
export function encodeAnswer(answer: SpawnAnswer, stringify: (value: unknown) => string): string {
  const { delta } = answer;
  return stringify({
    status: answer.status,
    limit: answer.limit,
    noted: answer.noted,
    stdout: toBase64(answer.stdout),
    stderr: toBase64(answer.stderr),
    dirs: delta.dirs,
    files: delta.files.map(({ path, bytes, mode }) => [path, toBase64(bytes), mode]),
    links: delta.links.map(({ path, target }) => [path, target]),
    removed: delta.removed,
  });
}

/** Reads an answer, with what the child says of itself. Throws for what is none: a script may have had its hands on it. */
export function decodeAnswer(text: string): SpawnAnswer & { readonly realm: unknown } {
  const value = JSON.parse(text) as Record<string, unknown>;
  const { status, limit, noted, stdout, stderr } = value;
  if (typeof status !== "number" || typeof stdout !== "string" || typeof stderr !== "string") {
    throw new Error("a JavaScript child gave no answer");
  }
  const files = rows(value.files).map(([path, bytes, mode]) => ({
    path: pathIn(path),
    bytes: fromBase64(String(bytes)),
    mode: Number(mode) & 0o777,
  }));
  const links = rows(value.links).map(([path, target]) => ({ path: pathIn(path), target: String(target) }));
  const delta = { dirs: list(value.dirs).map(pathIn), files, links, removed: list(value.removed).map(pathIn) };
  return {
    status: status & 0xff,
    ...(limit === "cpu" || limit === "wall" ? { limit } : {}),
    ...(isRunLimitName(noted) ? { noted } : {}),
    stdout: fromBase64(stdout),
    stderr: fromBase64(stderr),
    delta,
    realm: value.realm,
  };
}

/** A path as a delta holds it. Throws for anything else. */
export function pathIn(value: unknown): string {
  if (typeof value !== "string" || !/^(?:\/[^/\0]+)+$/.test(value) || /\/\.\.?(?:\/|$)/.test(value)) {
    throw new Error("a JavaScript child gave a path that is none");
  }
  return value;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function rows(value: unknown): unknown[][] {
  return list(value).map(list);
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return nativeBtoa(text);
}

function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    bytes[i] = letters.charCodeAt(i);
  }
  return bytes;
}
