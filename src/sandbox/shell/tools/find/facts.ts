/** Owns the tests of `find` that look at what a place is: kind, size, age, mode; never names or actions. */
import { fullMode, sizeOf } from "../../../files/inode.ts";
import { resolvePath } from "../../../files/paths.ts";
import { readDate } from "../date-words.ts";
import type { Surroundings } from "../tool.ts";
import { type Entry, KINDS } from "./entry.ts";
import { counted, FindError, permissions } from "./numbers.ts";

const SIZES: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1 << 20, G: 1 << 30 };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A test that needs no more than the time of the walk. */
type FactTest = (entry: Entry, run: { readonly now: number }) => boolean;

/** The test of a word; null when it is none of these. */
export function factTest(word: string, value: () => string, around: Surroundings): FactTest | null {
  switch (word) {
    case "-type":
    case "-xtype": {
      const kinds = value().split(",");
      const unknown = kinds.find((kind) => !/^[bcdpflsD]$/.test(kind));
      if (unknown !== undefined) {
        throw new FindError(`Unknown argument to ${word}: ${unknown}`);
      }
      return ({ node }) => kinds.includes(KINDS[node.kind]);
    }
    case "-empty":
      return ({ node }) => (node.kind === "dir" ? node.entries.size === 0 : node.kind === "file" && node.size === 0);
    case "-size": {
      const given = value();
      const [, number = "", unit = "b"] = /^([-+]?\d+)([cwbkMG]?)$/.exec(given) ?? [];
      if (number === "") {
        throw new FindError(`invalid -size type \`${given}'`);
      }
      const size = SIZES[unit || "b"] ?? 512;
      const fits = counted(number);
      return ({ node }) => fits(Math.ceil(sizeOf(node) / size));
    }
    case "-mtime":
    case "-atime":
    case "-ctime":
      return age(value(), DAY_MS);
    case "-mmin":
    case "-amin":
    case "-cmin":
      return age(value(), MINUTE_MS);
    case "-links": {
      const fits = counted(value());
      return ({ node }) => fits(node.kind === "file" ? node.links : node.kind === "dir" ? 2 : 1);
    }
    case "-inum": {
      const fits = counted(value());
      return ({ node }) => fits(node.ino);
    }
    case "-user":
    case "-group": {
      const name = value();
      return () => name === "agent" || name === "1000";
    }
    case "-uid":
    case "-gid": {
      const fits = counted(value());
      return () => fits(1000);
    }
    case "-nouser":
    case "-nogroup":
      return () => false;
    case "-perm":
      return permissions(value());
    case "-executable":
      return ({ node }) => node.kind === "dir" || (fullMode(node) & 0o111) !== 0;
    case "-readable":
    case "-writable":
      return () => true;
    case "-samefile": {
      const { ino } = around.files.find(resolvePath(around.cwd, value()));
      return ({ node }) => node.ino === ino;
    }
    default:
      return newer(word, value, around);
  }
}

function age(given: string, unit: number): FactTest {
  const fits = counted(given);
  return ({ node }, { now }) => fits(Math.floor((now - node.mtime) / unit));
}

function newer(word: string, value: () => string, { cwd, files, env }: Surroundings): FactTest | null {
  const [, kind] = /^-(?:newer|[ac]newer|newer[amcB]([amcBt]))$/.exec(word) ?? [null, undefined];
  if (!/^-(?:[ac]?newer|newer[amcB][amcBt])$/.test(word)) {
    return null;
  }
  const given = value();
  const limit = kind === "t" ? readDate(given, Date.now(), env.TZ || "UTC") : files.find(resolvePath(cwd, given)).mtime;
  if (limit === null) {
    throw new FindError(`I cannot figure out how to interpret \`${given}' as a date or time`);
  }
  return ({ node }) => node.mtime > limit;
}
