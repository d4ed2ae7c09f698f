/** Owns asking a package index (PEP 691, the JSON form of PEP 503): which wheels there are of a package, and their bytes. Never chooses among packages. */
import { compare, satisfies, valid } from "@renovatebot/pep440";
import * as z from "zod/mini";
import { SkillsError } from "../../model/errors.ts";
import { sha256 } from "../hash.ts";
import { fetchSite } from "../import/fetch-site.ts";
import type { LockedPackage } from "./lock.ts";
import { wheelName } from "./wheel.ts";

/** Where packages come from when no other index is named. */
export const DEFAULT_INDEX = "https://pypi.org/simple";

const ACCEPT = "application/vnd.pypi.simple.v1+json";
const PYTHON = "3.13.0";
/** Of one answer: the list of a project, or a wheel. */
const MAX_BYTES = 100 * 1024 * 1024;

const projectSchema = z.object({
  files: z.array(
    z.object({
      filename: z.string(),
      url: z.string(),
      hashes: z.record(z.string(), z.string()),
      "requires-python": z.optional(z.nullable(z.string())),
      yanked: z.optional(z.union([z.boolean(), z.string()])),
    }),
  ),
});

/** A wheel that an index offers. */
export interface OfferedWheel {
  readonly version: string;
  readonly file: string;
  readonly url: string;
  readonly sha256: string | null;
}

/** An index of packages. */
export class PackageIndex {
  readonly #base: string;
  readonly #signal: AbortSignal;
  readonly #projects = new Map<string, Promise<readonly OfferedWheel[]>>();
  readonly #downloads = new Map<string, Promise<Uint8Array>>();

  /** Throws `usage` for what is no address. */
  constructor(base: string, signal: AbortSignal) {
    if (!/^https?:\/\//.test(base) || !URL.canParse(base)) {
      throw new SkillsError("usage", `Cannot use the index "${base}": it is no http address`);
    }
    this.#base = base.replace(/\/*$/, "/");
    this.#signal = signal;
  }

  /** The wheels of a package that Python 3.13 takes, newest version first; of one version the pure one only. Throws `source-unavailable`. */
  wheelsOf(name: string): Promise<readonly OfferedWheel[]> {
    const known = this.#projects.get(name) ?? this.#list(name);
    this.#projects.set(name, known);
    return known;
  }

  /** The bytes of a wheel, held against the index's own digest. Throws `source-unavailable` or `packages-invalid`. */
  download({ file, url, sha256: stated }: OfferedWheel): Promise<Uint8Array> {
    const known = this.#downloads.get(url) ?? this.#fetchWheel(file, url, stated);
    this.#downloads.set(url, known);
    return known;
  }

  /** The very wheel that is locked. Throws `packages-invalid` when the index has it no more, or another one of its name. */
  async downloadLocked({ name, file, digest }: LockedPackage): Promise<Uint8Array> {
    const project = await this.#project(name);
    const offered = project.files.find(({ filename }) => filename === file);
    if (offered === undefined) {
      throw new SkillsError("packages-invalid", `Cannot fetch "${file}": the index does not have it any more`);
    }
    const url = this.#addressOf(name, offered.url);
    return this.download({ version: "", file, url, sha256: digest.slice("sha256:".length) });
  }

  async #list(name: string): Promise<readonly OfferedWheel[]> {
    const { files } = await this.#project(name);
    const best = new Map<string, OfferedWheel & { readonly rank: number }>();
    for (const { filename, url, hashes, yanked = false, "requires-python": python } of files) {
      const named = wheelName(filename);
      // What is listed under another package's name is none of it.
      const version = named?.name === name ? named.version : "";
      const rank = rankOf(filename);
      const known = best.get(version);
      const isTaken = rank > 0 && yanked === false && valid(version) !== null && takesPython(python ?? "");
      if (isTaken && (known === undefined || rank > known.rank)) {
        const address = this.#addressOf(name, url);
        best.set(version, { version, file: filename, url: address, sha256: hashes.sha256 ?? null, rank });
      }
    }
    return [...best.values()].sort((a, b) => compare(b.version, a.version));
  }

  async #project(name: string) {
    const text = new TextDecoder().decode(await this.#get(`${this.#base}${name}/`, name));
    const parsed = z.safeParse(projectSchema, parseJson(text));
    if (!parsed.success) {
      throw new SkillsError("source-unavailable", `The index at ${this.#base} does not answer JSON as PEP 691 has it`);
    }
    return parsed.data;
  }

  #addressOf(name: string, url: string): string {
    return new URL(url, `${this.#base}${name}/`).href;
  }

  async #fetchWheel(file: string, url: string, stated: string | null): Promise<Uint8Array> {
    const bytes = await this.#get(url, file);
    const digest = sha256(bytes);
    if (stated !== null && digest !== `sha256:${stated}`) {
      throw new SkillsError("packages-invalid", `"${file}" has the digest ${digest}, not sha256:${stated}`, {
        hint: "it was changed on its way, or the index has another file of this name; nothing was written",
      });
    }
    return bytes;
  }

  async #get(url: string, what: string): Promise<Uint8Array> {
    const bytes = await fetchSite(new URL(url), MAX_BYTES, this.#signal, { Accept: ACCEPT });
    if (bytes === null) {
      throw new SkillsError("packages-invalid", `The index at ${this.#base} has no "${what}"`);
    }
    return bytes;
  }
}

/** How well a wheel suits: pure Python best, then one whose compiled parts can be left out; 0 for none. */
function rankOf(file: string): number {
  if (/-(?:py2\.)?py3[\w.]*-none-any\.whl$/.test(file)) {
    return 3;
  }
  return /-cp313-cp313-manylinux[\w.]*_x86_64\.whl$/.test(file)
    ? 2
    : /-abi3-manylinux[\w.]*_x86_64\.whl$/.test(file)
      ? 1
      : 0;
}

function takesPython(range: string): boolean {
  return range.trim() === "" || satisfies(PYTHON, range.replace(/\s+/g, ""), { prereleases: true });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
