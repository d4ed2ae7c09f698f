/** Owns `bundle.json`, the one file of a bundle on disk that names its layers. Never reads or writes a disk. */
import { BUNDLE_FORMAT, parseDocument } from "../bundle/index-format.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { comparePaths } from "../model/record.ts";
import { sha256 } from "./hash.ts";

/** Its name in the bundle's directory. */
export const BUNDLE_FILE = "bundle.json";

/** A layer and its bundle. */
export interface LayerDigest {
  readonly name: string;
  readonly digest: Digest;
}

/** The digest over all layers: that of the sorted lines `<layer> <digest>`. */
export function digestOfLayers(layers: readonly LayerDigest[]): Digest {
  return sha256(
    layers
      .map(({ name, digest }) => `${name} ${digest}\n`)
      .sort(comparePaths)
      .join(""),
  );
}

/** Writes `bundle.json`; the order of `layers` does not matter. */
export function encodeBundleFile(layers: readonly LayerDigest[]): string {
  const sorted = layers.toSorted((a, b) => comparePaths(a.name, b.name));
  const document = {
    format: BUNDLE_FORMAT,
    digest: digestOfLayers(layers),
    layers: Object.fromEntries(sorted.map(({ name, digest }) => [name, digest])),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads `bundle.json`. Throws `bundle-format-unknown` or `bundle-damaged`. */
export function decodeBundleFile(bytes: Uint8Array): {
  readonly digest: Digest;
  readonly layers: readonly LayerDigest[];
} {
  const document: { digest?: unknown; layers?: unknown } = parseDocument(bytes, "directory");
  const { digest, layers } = document;
  if (!isDigest(digest) || typeof layers !== "object" || layers === null) {
    throw new SkillsError("bundle-damaged", `Cannot read ${BUNDLE_FILE}: it has no digest or no layers`);
  }
  const named = Object.entries(layers).map(([name, value]: [string, unknown]) => {
    if (!isDigest(value)) {
      throw new SkillsError("bundle-damaged", `Cannot read ${BUNDLE_FILE}: the layer "${name}" has no digest`);
    }
    return { name, digest: value };
  });
  if (digestOfLayers(named) !== digest) {
    throw new SkillsError("bundle-damaged", `${BUNDLE_FILE} names layers that are not those of ${digest}`);
  }
  return { digest, layers: named };
}
