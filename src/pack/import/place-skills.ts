/** Owns writing imported skills below a directory: all of them or none, each in a directory of its name. Never replaces what it was not told to. */

import { existsSync, lstatSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { InputFile } from "../../check/check-skill.ts";
import type { Digest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { isSafePath } from "../../model/path.ts";
import { makeDirectory } from "../make-directory.ts";
import { readTree } from "./read-tree.ts";

/** A skill to write. */
export interface PlaceableSkill {
  readonly name: string;
  readonly digest: Digest;
  readonly files: ReadonlyMap<string, InputFile>;
}

/** What became of a skill's directory. */
export type Placement = "added" | "replaced" | "unchanged";

/** What to do with a directory that holds another skill, or another state of this one. */
export type OnConflict = "refuse" | "replace";

/** After so many files other work gets its turn. */
const BREATH = 256;

interface Move {
  readonly skill: PlaceableSkill;
  readonly target: string;
  readonly placement: Placement;
}

/** Writes skills below `to`. Throws `usage` for a file, `output-exists`, or `storage-unavailable` when the disk refuses; then everything is as it was. */
export async function placeSkills(
  skills: readonly PlaceableSkill[],
  to: string,
  onConflict: OnConflict,
): Promise<Placement[]> {
  const there = statSync(to, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) {
    throw new SkillsError("usage", `Cannot import to "${to}": it is not a directory`);
  }
  const moves = skills.map((skill) => planMove(skill, join(to, skill.name), onConflict));
  const due = moves.filter(({ placement }) => placement !== "unchanged");
  if (due.length > 0) {
    await writeAll(due, to);
  }
  return moves.map(({ placement }) => placement);
}

function planMove(skill: PlaceableSkill, target: string, onConflict: OnConflict): Move {
  if (!isThere(target)) {
    return { skill, target, placement: "added" };
  }
  if (holds(target, skill.digest)) {
    return { skill, target, placement: "unchanged" };
  }
  if (onConflict === "replace") {
    return { skill, target, placement: "replaced" };
  }
  throw new SkillsError("output-exists", `Cannot import "${skill.name}": "${target}" is already there and differs`, {
    hint: "import into another directory with --to, or replace it with --force",
  });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Tells whether a directory is a skill with this digest. */
function holds(directory: string, digest: Digest): boolean {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    return false;
  }
  const [skill] = readTree(directory, "").skills;
  return skill?.path === "" && skill.digest === digest;
}

async function writeAll(moves: readonly Move[], to: string): Promise<void> {
  const made = existsSync(to) ? undefined : makeDirectory(to);
  let work: string | null = null;
  try {
    work = mkdtempSync(join(to, ".edge-skills-import-"));
    for (const [at, { skill }] of moves.entries()) {
      await writeSkill(skill, join(work, `new-${at}`));
    }
    exchangeAll(moves, work);
  } catch (cause) {
    if (made !== undefined) {
      rmSync(made, { recursive: true, force: true });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillsError("storage-unavailable", `Cannot write skills to "${to}": ${reason}`, { cause });
  } finally {
    if (work !== null) {
      rmSync(work, { recursive: true, force: true });
    }
  }
}

async function writeSkill(skill: PlaceableSkill, directory: string): Promise<void> {
  let written = 0;
  const directories = new Set<string>();
  for (const [path, { bytes }] of skill.files) {
    if (!isSafePath(path)) {
      throw new RangeError(`"${path}" is no path below the skill`);
    }
    const file = join(directory, path);
    const parent = dirname(file);
    if (!directories.has(parent)) {
      directories.add(parent);
      makeDirectory(parent);
    }
    writeFileSync(file, bytes, { flag: "wx" });
    if (++written % BREATH === 0) {
      await setImmediate();
    }
  }
}

/** Moves every new directory into its place; when one cannot be moved, those before it are taken back. */
function exchangeAll(moves: readonly Move[], work: string): void {
  const undo: (() => void)[] = [];
  try {
    for (const [at, { target }] of moves.entries()) {
      const [made, aside] = [join(work, `new-${at}`), join(work, `old-${at}`)];
      if (isThere(target)) {
        renameSync(target, aside);
        undo.push(() => renameSync(aside, target));
      }
      renameSync(made, target);
      undo.push(() => renameSync(target, made));
    }
  } catch (error) {
    for (const takeBack of undo.reverse()) {
      takeBack();
    }
    throw error;
  }
}
