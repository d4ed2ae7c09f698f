/** Owns what the operator recalled: the list of blocked digests, how it changes, and asking it. Never reads storage; never decides what a door answers. */
import type { Digest } from "./digest.ts";
import { type ErrorCode, SkillsError } from "./errors.ts";

/** Characters a reason may have: it is told to callers, and travels in every pointer. */
export const MAX_REASON_LENGTH = 500;

/** How many digests may be blocked at a time: the list travels in every pointer. */
export const MAX_BLOCKS = 1_000;

/** One blocked digest: of a bundle, a skill, a skill's record, a file, or a compiled script. */
export interface Block {
  readonly digest: Digest;
  /** Told to whoever asks for what is blocked. */
  readonly reason: string;
  /** When, ISO 8601 in UTC. */
  readonly at: string;
  /** Who blocked it. */
  readonly by: string;
  /** The digest that was asked to be blocked, where this one is blocked along with it: a skill whose SKILL.md it is. */
  readonly with?: Digest;
}

/** All that is blocked. A later list has a larger number and takes the place of every earlier one. */
export interface BlockList {
  /** Counts the changes; 0 before the first. */
  readonly seq: number;
  readonly blocks: readonly Block[];
}

/** Nothing was ever blocked. */
export const NO_BLOCKS: BlockList = { seq: 0, blocks: [] };

/** The blocks with some more; one that is there already stays, unless its own reason is given anew. */
export function withBlocks(blocks: readonly Block[], more: readonly Block[]): readonly Block[] {
  const known = new Map(blocks.map((item) => [item.digest, item]));
  for (const item of more) {
    const before = known.get(item.digest);
    const isNews =
      before === undefined || (item.with === undefined && (before.with !== undefined || before.reason !== item.reason));
    known.set(item.digest, isNews ? item : before);
  }
  return [...known.values()];
}

/** Whether lifting a digest lifts a block: its own, or one along with it. */
export function isLiftedWith(digest: Digest, block: Block): boolean {
  return block.digest === digest || block.with === digest;
}

/** The list with other blocks; the same list when they are its own. Throws `usage` for more than {@link MAX_BLOCKS}. */
export function nextBlockList(list: BlockList, blocks: readonly Block[]): BlockList {
  if (blocks.length > MAX_BLOCKS) {
    throw new SkillsError("usage", `Cannot block so many digests: at most ${MAX_BLOCKS} are`, {
      hint: "lift old ones with --lift once their bytes are purged or pruned",
    });
  }
  return JSON.stringify(blocks) === JSON.stringify(list.blocks) ? list : { seq: list.seq + 1, blocks };
}

/** A list as it is asked. */
export interface Blocked {
  /** Lists with the same key block the same; empty when nothing is blocked. */
  readonly key: string;
  /** The block of a digest, or of the first of several that has one; null for none. */
  of(...digests: readonly (Digest | null | undefined)[]): Block | null;
}

/** Blocks nothing. */
export const NOTHING_BLOCKED: Blocked = { key: "", of: () => null };

const asked = new WeakMap<BlockList, Blocked>();

/** A list, ready to be asked; made once for a list. */
export function blockedBy(list: BlockList): Blocked {
  if (list.blocks.length === 0) {
    return NOTHING_BLOCKED;
  }
  const known = asked.get(list) ?? makeBlocked([list]);
  asked.set(list, known);
  return known;
}

/** What any of some lists blocks: while a change is on its way the pointers differ. */
export function blockedByAny(lists: readonly BlockList[]): Blocked {
  const full = lists.filter(({ blocks }) => blocks.length > 0);
  const [first = NO_BLOCKS] = full;
  return full.every((list) => keyOf(list) === keyOf(first)) ? blockedBy(first) : makeBlocked(full);
}

function makeBlocked(lists: readonly BlockList[]): Blocked {
  const byDigest = new Map(lists.flatMap(({ blocks }) => blocks.map((block) => [block.digest, block] as const)));
  return {
    key: [...new Set(lists.map(keyOf))].sort().join("+"),
    of(...digests) {
      const hit = digests.find((digest) => digest && byDigest.has(digest));
      return (hit && byDigest.get(hit)) ?? null;
    },
  };
}

/** A number alone would be the same for two lists when the first was lost and begun anew. */
function keyOf({ seq, blocks }: BlockList): string {
  return `${seq}@${blocks.at(-1)?.at ?? ""}/${blocks.length}`;
}

/** The error of whoever asks for what is blocked; the operator's reason is told. */
export function blockedError(
  code: Extract<ErrorCode, "bundle-blocked" | "skill-blocked" | "file-blocked">,
  what: string,
  { reason }: Pick<Block, "reason">,
): SkillsError {
  return new SkillsError(code, `Cannot use ${what}: it was recalled. Reason: ${reason}`);
}
