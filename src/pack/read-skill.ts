/** Owns reading the files of one skill from disk: links, leftovers, ignored files, what is no file. Never judges content. */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type InputFile, type SkillInput, secretFile } from "../check/check-skill.ts";
import { fileTooLarge, type SkillLimits, tooManyFiles } from "../check/limits.ts";
import { secretName } from "../check/secrets.ts";
import { type Diagnostic, type DiagnosticCode, diagnostic } from "../model/diagnostics.ts";
import { isLeftover, isPackedBundle, liesInLeftover } from "../model/leftovers.ts";
import { comparePaths, skillDigestText } from "../model/record.ts";
import { FileDigests } from "./file-digests.ts";
import type { FoundSkill } from "./find-skills.ts";
import { sha256 } from "./hash.ts";
import { IgnoreRules, type PathEnding, RealIgnoreRules, slashed } from "./ignore-rules.ts";
import { NPM_DIRECTORY, npmPackageNames } from "./javascript/npm-packages.ts";
import { followLink } from "./links.ts";
import { readRegularFile } from "./read-file.ts";
import { isWithin, type Territory } from "./roots.ts";

/** More directories than a skill has; links can make a few look like millions. */
const MAX_DIRECTORIES = 20_000;

/** Reads a skill's files into what a check takes; those that are `known` only when their bytes are needed. Never throws for what is on the disk: it is told as a diagnostic. */
export function readSkill(
  skill: FoundSkill,
  territory: Territory,
  limits: SkillLimits,
  known: FileDigests = new FileDigests(),
): SkillInput {
  const reader = new SkillReader(skill, territory, limits, known);
  reader.readDirectory(skill.real, "", skill.rules, []);
  const files = new Map([...reader.files].sort(([a], [b]) => comparePaths(a, b)));
  const digest = sha256(skillDigestText([...files].map(([path, file]) => ({ path, digest: file.digest }))));
  return { directory: basename(skill.path), files, digest, npm: reader.npm, found: reader.found };
}

class SkillReader {
  readonly files = new Map<string, InputFile>();
  readonly found: Diagnostic[] = [];
  readonly npm = new Set<string>();
  readonly #skill: FoundSkill;
  readonly #territory: Territory;
  readonly #limits: SkillLimits;
  readonly #known: FileDigests;
  readonly #realRules = new RealIgnoreRules();
  #directories = 0;
  #bytes = 0;

  constructor(skill: FoundSkill, territory: Territory, limits: SkillLimits, known: FileDigests) {
    this.#skill = skill;
    this.#territory = territory;
    this.#limits = limits;
    this.#known = known;
  }

  /** Reads the real directory `real`, which stands at `path` in the skill; `around` are the real directories it stands in. */
  readDirectory(real: string, path: string, above: IgnoreRules, around: readonly string[]): void {
    if (++this.#directories > MAX_DIRECTORIES) {
      this.#tooMany();
      return;
    }
    const entries = path === "" ? this.#skill.entries : this.#list(real, path);
    if (isPackedBundle(entries.map(({ name }) => name))) {
      return;
    }
    const hasRules = entries.some((entry) => entry.name === ".gitignore");
    const rules = path === "" ? above : IgnoreRules.enter(above, this.#inRoot(path), hasRules ? real : null);
    const inside = [...around, real];
    for (const entry of entries) {
      if (this.#isFull()) {
        return;
      }
      if (!isLeftover(entry.name)) {
        this.#readEntry(entry, real, path === "" ? entry.name : `${path}/${entry.name}`, rules, inside);
      } else if (entry.name === NPM_DIRECTORY && entry.isDirectory()) {
        this.#noteNpm(join(real, entry.name));
      }
    }
  }

  #noteNpm(directory: string): void {
    for (const name of npmPackageNames(directory)) {
      this.npm.add(name);
    }
  }

  #list(real: string, path: string): Dirent[] {
    try {
      return readdirSync(real, { withFileTypes: true });
    } catch (error) {
      this.#say("file-unreadable", path, reasonOf(error), "allow reading it");
      return [];
    }
  }

  #readEntry(entry: Dirent, directory: string, path: string, rules: IgnoreRules, around: readonly string[]): void {
    const real = join(directory, entry.name);
    if (entry.isSymbolicLink()) {
      this.#readLink(directory, path, rules, around);
    } else if (entry.isDirectory()) {
      if (!this.#ignored(real, path, rules, "/")) {
        this.readDirectory(real, path, rules, around);
      }
    } else if (!this.#ignored(real, path, rules)) {
      if (entry.isFile() || isFile(real)) {
        this.#readFile(real, path);
      } else {
        this.#notRegular(path);
      }
    }
  }

  #readLink(directory: string, path: string, rules: IgnoreRules, around: readonly string[]): void {
    const end = followLink(directory, basename(path), this.#territory);
    if (rules.ignores(this.#inRoot(path)) || (end.kind === "directory" && rules.ignores(`${this.#inRoot(path)}/`))) {
      return;
    }
    if (end.kind === "outside") {
      this.#say("symlink-escapes", path, "the link leads out of the roots", "copy what it leads to into the skill");
      return;
    }
    const skip = end.kind === "nothing" ? "it leads to nothing" : this.#reasonToSkip(end.real, end.kind, around);
    if (end.kind === "nothing" || skip !== null) {
      this.#say("symlink-skipped", path, `the link is left out: ${skip}`, "remove the link, or mend its target");
      return;
    }
    const secret = secretName(slashed(end.real));
    if (end.kind === "file" && secret !== null) {
      this.found.push(secretFile(path, secret));
    } else if (end.kind === "file") {
      this.#readFile(end.real, path);
    } else if (end.kind === "directory") {
      this.readDirectory(end.real, path, rules, around);
    } else {
      this.#notRegular(path);
    }
  }

  /** Why a link's target is not packed; null when it is. What is ignored where it lies is not there on other machines. */
  #reasonToSkip(real: string, kind: string, around: readonly string[]): string | null {
    if (kind === "directory" && around.some((directory) => isWithin(real, directory))) {
      return "it leads to a directory that encloses it";
    }
    const root = this.#territory.rootOf(real);
    if (root && liesInLeftover(slashed(real.slice(root.real.length)))) {
      return "it leads to what is never packed";
    }
    return root && this.#realRules.ignores(root, real, kind === "directory" ? "/" : "")
      ? "it leads to what .gitignore ignores"
      : null;
  }

  /** Ignored under its path in the skill or, behind a link, where it really lies. */
  #ignored(real: string, path: string, rules: IgnoreRules, ending: PathEnding = ""): boolean {
    if (rules.ignores(this.#inRoot(path) + ending)) {
      return true;
    }
    const isLinked = real !== join(this.#skill.real, path);
    const root = isLinked ? this.#territory.rootOf(real) : null;
    return root !== null && this.#realRules.ignores(root, real, ending);
  }

  #readFile(real: string, path: string): void {
    const known = this.#known.find(real);
    if (known !== null) {
      this.#bytes += known.size;
      this.files.set(path, known);
      return;
    }
    try {
      const reading = readRegularFile(real, this.#limits.storage.fileBytes);
      if ("bytes" in reading) {
        this.#bytes += reading.bytes.byteLength;
        const digest = sha256(reading.bytes);
        this.#known.note(real, reading.stats, digest);
        this.files.set(path, { size: reading.bytes.byteLength, bytes: reading.bytes, digest });
      } else if ("size" in reading) {
        this.found.push(fileTooLarge(path, reading.size, this.#limits));
      } else {
        this.#notRegular(path);
      }
    } catch (error) {
      this.#say("file-unreadable", path, reasonOf(error), "allow reading it, or remove it");
    }
  }

  /** One more than is stored is enough to know; the check tells it. */
  #isFull(): boolean {
    return this.files.size > this.#limits.storage.files || this.#bytes > this.#limits.storage.skillBytes;
  }

  #tooMany(): void {
    if (!this.found.some(({ code }) => code === "too-many-files")) {
      this.found.push(tooManyFiles(this.#limits.storage.files + 1, this.#limits));
    }
  }

  #notRegular(path: string): void {
    this.#say("not-regular-file", path, "it is a pipe, a socket or a device; it is left out", "remove it");
  }

  #inRoot(path: string): string {
    return this.#skill.inRoot === "" ? path : `${this.#skill.inRoot}/${path}`;
  }

  #say(code: DiagnosticCode, file: string, problem: string, hint: string): void {
    this.found.push(diagnostic(code, `"${file}": ${problem}`, { file, hint }));
  }
}

/** For file systems that do not tell the kind of an entry along with its name. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

/** The system's reason without its path, which differs between machines. */
function reasonOf(error: unknown): string {
  return `it cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
}
