/** Owns `edge-skills.lock`: which wheels a pack may use, by digest, so that the same skills give the same bundle on any machine. Never fetches one. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import * as z from "zod/mini";
import { type Digest, isDigest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import type { Wheel } from "./wheel.ts";

const lockSchema = z.strictObject({
  format: z.literal(1),
  packages: z.array(
    z.strictObject({
      name: z.string().check(z.minLength(1)),
      version: z.string().check(z.minLength(1)),
      /** The wheel's name. */
      file: z.string().check(z.regex(/^[\w.!+-]+\.whl$/)),
      /** Of the wheel. */
      digest: z.custom<Digest>((value) => typeof value === "string" && isDigest(value)),
    }),
  ),
});

/** The wheels that are locked, by package. */
export type Lock = z.infer<typeof lockSchema>;
export type LockedPackage = Lock["packages"][number];

/** Reads a lock; null when there is none. Throws `packages-invalid`. */
export function readLock(file: string): Lock | null {
  if (!existsSync(file)) {
    return null;
  }
  const parsed = z.safeParse(lockSchema, parseJson(file));
  if (!parsed.success) {
    throw new SkillsError("packages-invalid", `Cannot use "${file}": ${z.prettifyError(parsed.error)}`, {
      hint: "write it anew with edge-skills packages lock",
    });
  }
  return parsed.data;
}

/** The lock of some wheels. */
export function lockOf(wheels: readonly Wheel[]): Lock {
  const packages = wheels.map(({ name, version, file, digest }) => ({ name, version, file, digest }));
  return { format: 1, packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Writes a lock whole. */
export function writeLock(file: string, lock: Lock): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, `${JSON.stringify(lock, null, 2)}\n`);
  renameSync(part, file);
}

/** Holds wheels against a lock. Throws `packages-invalid`, naming every wheel that is missing, other, or not locked. */
export function checkLock(wheels: readonly Wheel[], lock: Lock, file: string): void {
  const byName = new Map(wheels.map((wheel) => [wheel.name, wheel]));
  const locked = new Set(lock.packages.map(({ name }) => name));
  const problems = [
    ...lock.packages.flatMap((wanted) => difference(wanted, byName.get(wanted.name)) ?? []),
    ...wheels.filter(({ name }) => !locked.has(name)).map((wheel) => `${wheel.file} is not locked`),
  ];
  if (problems.length > 0) {
    throw new SkillsError("packages-invalid", `The wheels are not those of ${basename(file)}: ${problems.join("; ")}`, {
      hint: "edge-skills packages build fetches what is locked; edge-skills packages lock takes the wheels as they are",
    });
  }
}

function difference({ name, version, digest }: LockedPackage, wheel: Wheel | undefined): string | null {
  if (wheel === undefined) {
    return `${name} ${version} is missing`;
  }
  if (wheel.version !== version) {
    return `${name} is ${wheel.version}, not ${version}`;
  }
  return wheel.digest === digest ? null : `${wheel.file} has the digest ${wheel.digest}, not ${digest}`;
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new SkillsError("packages-invalid", `Cannot read "${file}": it is not JSON`, { cause });
  }
}
