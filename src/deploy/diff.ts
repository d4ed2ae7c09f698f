/** Owns comparing bundles: skills and files that came, went or changed, with sizes. Never reads more than the records of changed skills. */
import type { IndexEntry } from "../bundle/index-format.ts";
import type { Digest } from "../model/digest.ts";
import { comparePaths, type SkillFile } from "../model/record.ts";
import type { BundleView } from "./bundle-view.ts";
import { mapLimited } from "./map-limited.ts";

/** What happened to a skill or a file. */
export type Change = "added" | "removed" | "changed";

/** A file that is not the same on both sides; sizes in bytes, null where it is not there. */
export interface FileChange {
  readonly path: string;
  readonly change: Change;
  readonly before: number | null;
  readonly after: number | null;
}

/** A skill that is not the same on both sides; sizes of all its files, null where it is not there. */
export interface SkillChange {
  readonly skill: string;
  readonly change: Change;
  readonly before: number | null;
  readonly after: number | null;
  /** Empty for one whose files are the same and whose record is not: another version of the packer. */
  readonly files: readonly FileChange[];
}

/** How a layer changes; a side that has no such layer is null. */
export interface LayerDiff {
  readonly layer: string;
  readonly before: Digest | null;
  readonly after: Digest | null;
  readonly skills: readonly SkillChange[];
}

/** Records read at once. */
const CONCURRENCY = 16;

/** Compares two bundles of a layer; null for none. */
export async function diffLayer(
  layer: string,
  before: BundleView | null,
  after: BundleView | null,
): Promise<LayerDiff> {
  const old = byName(before);
  const fresh = byName(after);
  const names = [...new Set([...old.keys(), ...fresh.keys()])].sort(comparePaths);
  const differing = names.filter((name) => old.get(name)?.record !== fresh.get(name)?.record);
  const skills = await mapLimited(CONCURRENCY, differing, async (name) => {
    const [was, is] = await Promise.all([filesOf(before, old.get(name)), filesOf(after, fresh.get(name))]);
    return {
      skill: name,
      change: changeOf(was, is),
      before: sizeOf(was),
      after: sizeOf(is),
      files: diffFiles(was, is),
    };
  });
  return { layer, before: before?.digest ?? null, after: after?.digest ?? null, skills };
}

function byName(view: BundleView | null): ReadonlyMap<string, IndexEntry> {
  return new Map((view?.skills ?? []).map((entry) => [entry.name, entry]));
}

type Files = ReadonlyMap<string, SkillFile>;

async function filesOf(view: BundleView | null, entry: IndexEntry | undefined): Promise<Files | null> {
  if (view === null || entry === undefined) {
    return null;
  }
  const { manifest, files } = await view.record(entry);
  return new Map([manifest, ...files].map((file) => [file.path, file]));
}

function diffFiles(was: Files | null, is: Files | null): FileChange[] {
  const paths = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].sort(comparePaths);
  return paths.flatMap((path) => {
    const [before, after] = [was?.get(path) ?? null, is?.get(path) ?? null];
    return before?.digest === after?.digest
      ? []
      : [{ path, change: changeOf(before, after), before: before?.size ?? null, after: after?.size ?? null }];
  });
}

function changeOf(before: unknown, after: unknown): Change {
  return before === null ? "added" : after === null ? "removed" : "changed";
}

function sizeOf(files: Files | null): number | null {
  return files === null ? null : [...files.values()].reduce((sum, { size }) => sum + size, 0);
}
