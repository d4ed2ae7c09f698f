/** Owns writing a packed bundle to a directory: all of it or nothing. Replaces only what is a bundle or empty. */

import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { blobKey, indexKey } from "../bundle/keys.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { BUNDLE_FILE, encodeBundleFile } from "./bundle-manifest.ts";
import { makeDirectory } from "./make-directory.ts";

/** A layer as it is written. */
export interface WritableLayer {
  readonly name: string;
  readonly digest: Digest;
  readonly index: Uint8Array;
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

const ENTRIES: ReadonlySet<string> = new Set([BUNDLE_FILE, "index", "blob"]);

/** After so many files other work gets its turn. */
const BREATH = 256;

/**
 * Writes layers to `out`, beside it first and then in its place. Throws `output-exists` for a directory that holds something else, and
 * `storage-unavailable` when the disk refuses; then `out` is as it was.
 */
export async function writeBundle(layers: readonly WritableLayer[], out: string): Promise<void> {
  const target = existsSync(out) ? realpathSync(out) : resolve(out);
  refuseForeign(target, out);
  let work: string | null = null;
  try {
    makeDirectory(dirname(target));
    work = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
    const made = join(work, "new");
    await writeAll(layers, made);
    exchange(made, target, join(work, "old"));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillsError("storage-unavailable", `Cannot write the bundle to "${out}": ${reason}`, { cause });
  } finally {
    if (work !== null) {
      rmSync(work, { recursive: true, force: true });
    }
  }
}

/** Tells whether a directory is a bundle. */
export function isBundle(directory: string): boolean {
  return existsSync(join(directory, BUNDLE_FILE));
}

function refuseForeign(target: string, out: string): void {
  if (!existsSync(target)) {
    return;
  }
  const entries = statSync(target).isDirectory() ? readdirSync(target) : null;
  const isOurs =
    entries?.length === 0 || (entries?.includes(BUNDLE_FILE) && entries.every((name) => ENTRIES.has(name)));
  if (!isOurs) {
    const what = entries === null ? "is a file" : "holds something that is no bundle";
    throw new SkillsError("output-exists", `Cannot write the bundle to "${out}": it ${what}`, {
      hint: "name a directory that is not there yet, or remove it first",
    });
  }
}

async function writeAll(layers: readonly WritableLayer[], directory: string): Promise<void> {
  for (const part of ["index", "blob"]) {
    makeDirectory(join(directory, part));
  }
  const written = new Set<Digest>();
  for (const layer of layers) {
    writeFileSync(join(directory, indexKey(layer.digest)), layer.index);
    for (const [digest, bytes] of layer.blobs) {
      if (!written.has(digest)) {
        written.add(digest);
        writeFileSync(join(directory, blobKey(digest)), bytes);
        if (written.size % BREATH === 0) {
          await setImmediate();
        }
      }
    }
  }
  writeFileSync(join(directory, BUNDLE_FILE), encodeBundleFile(layers));
}

/** Puts `made` in the place of `target`; what was there goes to `aside`, and back when that fails. */
function exchange(made: string, target: string, aside: string): void {
  if (!existsSync(target)) {
    renameSync(made, target);
    return;
  }
  renameSync(target, aside);
  try {
    renameSync(made, target);
  } catch (error) {
    renameSync(aside, target);
    throw error;
  }
}
