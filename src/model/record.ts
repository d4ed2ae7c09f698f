/**
 * Owns the shape of a packed skill: what the pack step knows of a skill and the edge serves.
 * Plain data; how it is written down is bundle/'s, where it comes from is check/'s and pack/'s.
 */
import type { Digest } from "./digest.ts";
import { hexOf } from "./digest.ts";
import type { Runtime } from "./run.ts";

/** What JSON can say; never changed by those who hold it. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An object of JSON. Keys may be anybody's: `__proto__` is a key as any other. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** A file of a skill. */
export interface SkillFile {
  /** Relative to the skill's root, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly digest: Digest;
  readonly media_type: string;
  /** True when the bytes are UTF-8 text without NUL. */
  readonly text: boolean;
}

/** A script of a skill; its file is among the skill's files too. */
export interface SkillScript {
  /** Relative to the skill's root, with `/`; what `run_skill_script` is called with. */
  readonly path: string;
  readonly description: string | null;
  /** Null when the sandbox has no such language. */
  readonly runtime: Runtime | null;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
  readonly runnable: boolean;
  /** Why it cannot run; null when it can. */
  readonly reason: string | null;
  /** Blob that holds the compiled script; null where nothing is compiled. */
  readonly compiled: Digest | null;
}

/** Everything that is known of one packed skill. */
export interface SkillRecord {
  /** The served name. */
  readonly name: string;
  /** Other names that find the skill, the written one and the directory's among them. */
  readonly aliases: readonly string[];
  /** Over the skill's paths and bytes only; see {@link skillDigestText}. */
  readonly digest: Digest;
  readonly description: string;
  /** As read: every scalar a string, keys in their order, unknown fields kept. */
  readonly frontmatter: JsonObject;
  /** Every value a string. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowed_tools: readonly string[];
  /** SKILL.md's text after the frontmatter. */
  readonly body: string;
  /** The SKILL.md itself, under the spelling it was found with. */
  readonly manifest: SkillFile;
  /**
   * SKILL.md in the form that every host takes: the served name, metadata of texts, allowed-tools in one line. It stands beside the
   * original and is no part of the skill's digest. Absent when the original has this form, or when hosts take the skill in none.
   */
  readonly portable?: SkillFile;
  /** All other files, scripts among them, in path order. */
  readonly files: readonly SkillFile[];
  readonly scripts: readonly SkillScript[];
  /** Blobs of the operator's Python packages that its scripts use, dependencies among them; absent when they use none. */
  readonly packages?: readonly Digest[];
}

/** Whether the model is not told of a skill: its author says so in the frontmatter, or calls it internal. */
export function isHidden(
  frontmatter: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, string>>,
): boolean {
  return String(frontmatter["disable-model-invocation"]) === "true" || metadata.internal === "true";
}

/**
 * The text whose SHA-256 is a skill's digest: `<hex digest of the bytes> <path>` and a NUL for each file, SKILL.md among them, in path
 * order (UTF-8 bytes). A path may hold a line break but no NUL. Directory names, modes and times are no part of it (DESIGN.md §4).
 */
export function skillDigestText(files: Iterable<{ readonly path: string; readonly digest: Digest }>): string {
  const sorted = [...files].sort((a, b) => comparePaths(a.path, b.path));
  return sorted.map((file) => `${hexOf(file.digest)} ${file.path}\0`).join("");
}

/** Path order: that of the UTF-8 bytes, which is that of the code points. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      // Surrogates (U+D800–DFFF) stand for code points above U+FFFF, so they sort after every other unit.
      return rank(x) - rank(y);
    }
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
