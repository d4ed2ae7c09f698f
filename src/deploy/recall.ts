/** Owns recalling: a digest that is blocked is served and run by no door; lifting it. Removes no bytes; purge.ts does. */
import { indexKey } from "../bundle/keys.ts";
import { type Block, type BlockList, isLiftedWith, MAX_REASON_LENGTH, withBlocks } from "../model/blocks.ts";
import { type Digest, digestsLike, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { changeBlockList } from "./block-list.ts";
import { type Holder, holdersOf, placesOf, recordReader, storedBundles } from "./holders.ts";
import type { DeployTarget } from "./target.ts";

/** What is known of who recalls, and why. */
export interface RecallOptions {
  readonly reason: string;
  readonly by: string;
  readonly now: () => Date;
  /** `dry`: say what would be blocked, and block nothing. Default `write`. */
  readonly mode?: "write" | "dry";
}

/** What was, or would be, recalled. */
export interface RecallReport {
  readonly digest: Digest;
  readonly reason: string;
  /** What it is on this target; `unknown` is blocked all the same, for what may come. */
  readonly kind: RecalledKind;
  readonly holders: readonly Holder[];
}

/** What a digest is of. */
export type RecalledKind = "bundle" | "skill" | "file" | "unknown";

/** Blocks a digest. It is blocked before it is looked up who holds it. */
export async function block(target: DeployTarget, digest: Digest, options: RecallOptions): Promise<RecallReport> {
  const isWriting = options.mode !== "dry";
  requireReason(options);
  if (isWriting) {
    await addBlocks(target, [digest], options);
  }
  const holders = await holdersOf(digest, await storedBundles(target, "all"));
  if (isWriting) {
    // Lists of skills are made of the indexes alone, which do not tell whose SKILL.md a file is.
    const skills = holders.flatMap(({ itself, skills: held }) => (itself ? [] : held.filter(({ whole }) => whole)));
    await addBlocks(target, [digest, ...skills.map((skill) => skill.digest)], options);
  }
  return { digest, reason: options.reason, kind: kindOf(digest, holders), holders };
}

/** All that is recalled on a target. */
export async function blockListOf(target: DeployTarget): Promise<BlockList> {
  return target.recall === undefined ? (await target.readBlockList()).list : target.recall.list();
}

/** Throws `usage` for a reason that cannot be told. */
export function requireReason({ reason }: Pick<RecallOptions, "reason">): void {
  if (reason.trim() === "" || reason.length > MAX_REASON_LENGTH) {
    throw new SkillsError("usage", `Cannot recall this without a reason of 1 to ${MAX_REASON_LENGTH} characters`);
  }
}

/** Blocks some digests, the first for itself, the others along with it. */
export async function addBlocks(
  target: DeployTarget,
  [digest, ...along]: readonly [Digest, ...Digest[]],
  { reason, by, now }: RecallOptions,
): Promise<void> {
  const made = { reason, by, at: now().toISOString() };
  const more = along.filter((item) => item !== digest).map((item): Block => ({ digest: item, ...made, with: digest }));
  const all = [{ digest, ...made }, ...more];
  await (target.recall === undefined
    ? changeBlockList(target, (blocks) => withBlocks(blocks, all))
    : target.recall.add(digest, all));
}

/** What a digest is of. */
export function kindOf(digest: Digest, holders: readonly Holder[]): RecalledKind {
  if (holders.length === 0) {
    return "unknown";
  }
  if (holders.some(({ itself }) => itself)) {
    return "bundle";
  }
  const isSkill = holders.some(({ skills }) =>
    skills.some((skill) => skill.digest === digest || skill.record === digest),
  );
  return isSkill ? "skill" : "file";
}

/** Lifts a block, and what was blocked along with it. Throws `digest-unknown` for what is not blocked, `bundle-gone` while a channel names what was purged. */
export async function lift(
  target: DeployTarget,
  wanted: string,
  { mode = "write" }: Pick<RecallOptions, "mode">,
): Promise<readonly Block[]> {
  const list = await blockListOf(target);
  const [digest, ...others] = digestsLike(
    list.blocks.map((item) => item.digest),
    wanted,
  );
  if (digest === undefined || others.length > 0) {
    throw new SkillsError(
      "digest-unknown",
      `Cannot lift "${wanted}": ${others.length > 0 ? "several are" : "it is not"} blocked`,
      {
        candidates: list.blocks.map((item) => item.digest),
      },
    );
  }
  const isLifted = (item: Block): boolean => isLiftedWith(digest, item);
  const lifted = list.blocks.filter(isLifted);
  await refusePurged(target, new Set(lifted.map((item) => item.digest)));
  if (mode === "write") {
    await (target.recall === undefined
      ? changeBlockList(target, (blocks) => blocks.filter((item) => !isLifted(item)))
      : target.recall.lift(digest));
  }
  return lifted;
}

/** A bundle or skill without its bytes must stay blocked as long as a channel leads to it. */
async function refusePurged(target: DeployTarget, lifted: ReadonlySet<Digest>): Promise<void> {
  const places = await placesOf(target);
  const broken = new Set<Digest>();
  for (const bundle of places.keys()) {
    if (lifted.has(bundle) && (await target.get(indexKey(bundle))) === null) {
      broken.add(bundle);
    }
  }
  const read = recordReader();
  for (const { view } of await storedBundles(target, "named")) {
    const skills = view.skills.filter(({ digest, record }) => lifted.has(digest) || lifted.has(record));
    for (const entry of skills) {
      if ((await read(view, entry)) === null) {
        broken.add(view.digest);
      }
    }
  }
  if (broken.size > 0) {
    throw new SkillsError(
      "bundle-gone",
      `Cannot lift this: its bytes were purged, and a channel's history names ${[...broken].join(", ")}`,
      {
        hint: "deploy other skills, then `edge-skills prune --keep N` until the history names it no more",
      },
    );
  }
}

/** The digest that is meant: a whole one, known or not, or the first digits of one that the target has. Throws `digest-unknown`. */
export async function digestMeant(target: DeployTarget, wanted: string): Promise<Digest> {
  const whole = wanted.startsWith("sha256:") ? wanted : `sha256:${wanted}`;
  if (isDigest(whole)) {
    return whole;
  }
  const known = new Set<Digest>();
  const read = recordReader();
  for (const { view } of await storedBundles(target, "all")) {
    known.add(view.digest);
    for (const entry of view.skills) {
      known.add(entry.digest);
      for (const digest of (await read(view, entry))?.needs ?? []) {
        known.add(digest);
      }
    }
  }
  const hits = digestsLike(known, wanted);
  const [only] = hits;
  if (only === undefined || hits.length > 1) {
    const what = hits.length > 1 ? "several digests begin so" : "no bundle, skill or file has a digest that begins so";
    throw new SkillsError("digest-unknown", `Cannot use "${wanted}": ${what}`, { candidates: hits.slice(0, 10) });
  }
  return only;
}
