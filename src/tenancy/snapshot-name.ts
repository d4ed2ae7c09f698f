/** Owns the opaque name of a snapshot: which bundles the layers of a caller had, so that any isolate can find them again without a write. */
import type { Digest } from "../model/digest.ts";
import { hexOf } from "../model/digest.ts";

/** Hex digits of a bundle's digest that a name carries: 128 bits. */
const DIGITS = 32;

const NAME = /^v1(?:\.(?:[0-9a-f]{32}|none))+$/;

/** The name of the snapshot in which the layers, in their fixed order, have these bundles; null for a layer without one. */
export function snapshotName(bundles: readonly (Digest | null)[]): string {
  return ["v1", ...bundles.map((bundle) => (bundle === null ? "none" : hexOf(bundle).slice(0, DIGITS)))].join(".");
}

/** What a name asks of each layer: the beginning of a bundle's hex digits, or null for no bundle. Null for what is no such name. */
export function parseSnapshotName(name: string): readonly (string | null)[] | null {
  if (!NAME.test(name)) {
    return null;
  }
  const [, ...parts] = name.split(".");
  return parts.map((part) => (part === "none" ? null : part));
}
