/** Owns who has a local state directory: one process at a time serves it, others work beside it. Never waits. */

import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { SkillsError } from "../model/errors.ts";
import { makeDirectory } from "../pack/make-directory.ts";

const LOCK = "in-use.json";

/** How a command uses the state: `alone` takes no other that does so too, `beside` goes along with it. */
export type StateAccess = "alone" | "beside";

/** Who has a state directory. */
interface Holder {
  readonly pid: number;
  /** When the process began, as the system counts it, since numbers of processes are used again; null where that cannot be known. */
  readonly began: string | null;
  /** What it runs, for people: `dev`. */
  readonly command: string;
  /** Where its edge answers, once it does. */
  readonly url: string | null;
}

/** How often a lock that was left over is removed; somebody else may be quicker each time. */
const TRIES = 10;

/** How a store that another process writes to fails. */
const UNFORESEEN: ReadonlySet<string> = new Set(["internal", "storage-unavailable", "edge-unavailable"]);

/** The directories that this process has, with what their locks say. */
const held = new Map<string, Holder>();

/**
 * Does some work on a state directory. Throws `state-in-use` when another process that is alive has it and this one wants it alone, or when the work fails beside that one in a way that nobody foresaw.
 */
export async function withState<T>(
  state: string,
  { name, access }: { readonly name: string; readonly access: StateAccess },
  work: () => Promise<T>,
): Promise<T> {
  const release = access === "alone" ? takeState(state, name) : () => undefined;
  try {
    return await work();
  } catch (error) {
    const other = SkillsError.is(error) && !UNFORESEEN.has(error.code) ? null : otherHolder(lockOf(state));
    throw other === null ? error : inUse(state, other, error);
  } finally {
    release();
  }
}

/** Tells others where an edge over a directory answers that this process has. */
export function tellUrl(state: string, url: string): void {
  const holder = held.get(state);
  if (holder !== undefined) {
    const path = lockOf(state);
    writeFileSync(`${path}.${holder.pid}`, JSON.stringify({ ...holder, url }));
    renameSync(`${path}.${holder.pid}`, path);
  }
}

/** Answers what gives the directory back. What cannot be written is left for its user to tell; what this process has, it may take again. */
function takeState(state: string, command: string): () => void {
  const holder: Holder = { pid: process.pid, began: beganAt(process.pid), command, url: null };
  if (held.has(state) || !writeLock(state, holder)) {
    return () => undefined;
  }
  held.set(state, holder);
  return () => {
    held.delete(state);
    rmSync(lockOf(state), { force: true });
  };
}

function lockOf(state: string): string {
  return join(state, LOCK);
}

/** Tells whether the lock was written; false where nothing can be written. Throws `state-in-use`. */
function writeLock(state: string, holder: Holder): boolean {
  const path = lockOf(state);
  const own = `${path}.${holder.pid}`;
  if (!isWritten(state, own, holder)) {
    return false;
  }
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (isPut(own, path)) {
        return true;
      }
      const text = readLock(path);
      const other = otherHolder(path);
      if (other !== null) {
        throw inUse(state, other);
      }
      removeLeftOver(path, text);
    }
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

function isWritten(state: string, path: string, holder: Holder): boolean {
  try {
    makeDirectory(state);
    writeFileSync(path, JSON.stringify(holder));
    return true;
  } catch {
    return false;
  }
}

/** Gives a whole file another name, unless that is taken: nobody ever reads half a lock. Where there are no links, it is copied. */
function isPut(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isTaken(error)) {
      return false;
    }
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isTaken(error)) {
      return false;
    }
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

/** The lock's text; undefined when there is none. */
function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Who has the directory, if that is another process and alive. */
function otherHolder(path: string): Holder | null {
  const holder = holderIn(readLock(path));
  return holder !== null && holder.pid !== process.pid && isAlive(holder) ? holder : null;
}

function holderIn(text: string | undefined): Holder | null {
  try {
    const holder = JSON.parse(text ?? "") as Partial<Holder>;
    return typeof holder.pid === "number"
      ? { began: null, command: "edge-skills", url: null, ...holder, pid: holder.pid }
      : null;
  } catch {
    return null;
  }
}

function isAlive({ pid, began }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const now = beganAt(pid);
  return began === null || now === null || began === now;
}

/** Linux tells when a process began, in ticks since the machine did; its name, before that, may hold blanks and brackets. */
function beganAt(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** Of several that find the same left-over lock one removes it: who has moved another's away puts it back. */
function removeLeftOver(path: string, leftOver: string | undefined): void {
  const aside = `${path}.${process.pid}.left`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (readLock(path) === undefined) {
      return;
    }
    throw error;
  }
  if (readLock(aside) !== leftOver) {
    isPut(aside, path);
  }
  rmSync(aside, { force: true });
}

function inUse(state: string, { pid, command, url }: Holder, cause?: unknown): SkillsError {
  const hint =
    url === null
      ? "let it end, or name another directory with --state"
      : `end it with Ctrl-C, name another directory with --state, or ask its edge: --target ${url}, with its token for operators in EDGE_SKILLS_TOKEN`;
  return new SkillsError(
    "state-in-use",
    `Cannot use the state directory "${state}": "edge-skills ${command}" (process ${pid}) has it`,
    { hint, ...(cause === undefined ? {} : { cause }) },
  );
}
