/** Owns where symbolic links lead, without looking outside of the roots. Never reads a file. */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import type { Territory } from "./roots.ts";

/** The end of a link. */
export type LinkEnd =
  | { readonly kind: "file" | "directory" | "other"; readonly real: string }
  /** Nothing is there, or the link leads to itself. */
  | { readonly kind: "nothing" }
  /** Out of the roots. */
  | { readonly kind: "outside" };

/** More hops than any chain of links that someone made; a ring has no end. */
const MAX_HOPS = 1_000;

/**
 * Follows the link `name` in the real directory `directory`, however many links it takes. The system's own limit of 40 does not count, and
 * what lies outside is not even asked for, so that no other machine answers otherwise.
 */
export function followLink(directory: string, name: string, territory: Territory): LinkEnd {
  const parts = [name];
  let at = directory;
  let hops = 0;
  let stats: Stats | null = null;

  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (part === "" || part === ".") {
      continue;
    }
    if (part === "..") {
      at = dirname(at);
      stats = null;
      continue;
    }
    const next = join(at, part);
    if (territory.rootOf(next) === null) {
      const passage = territory.passage(next);
      if (passage === null) {
        return { kind: "outside" };
      }
      at = passage;
      stats = null;
      continue;
    }
    stats = lstatOrNull(next);
    if (stats === null) {
      return { kind: "nothing" };
    }
    if (!stats.isSymbolicLink()) {
      if (parts.length > 0 && !stats.isDirectory()) {
        return { kind: "nothing" };
      }
      at = next;
      continue;
    }
    if (++hops > MAX_HOPS) {
      return { kind: "nothing" };
    }
    const target = readlinkSync(next);
    parts.push(...target.split(sep).reverse());
    at = isAbsolute(target) ? parse(target).root : at;
    stats = null;
  }
  return endOf(at, stats, territory);
}

function endOf(real: string, known: Stats | null, territory: Territory): LinkEnd {
  if (territory.rootOf(real) === null) {
    return { kind: "outside" };
  }
  const stats = known ?? lstatOrNull(real);
  if (stats === null) {
    return { kind: "nothing" };
  }
  return { kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other", real };
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
