/**
 * Owns the block list on a target: changed by compare-and-set, then copied into every pointer, so that readers get it with the read they
 * make anyway. However a block and a deploy are interleaved, every pointer has the newest list in the end: who blocks writes the list
 * first and then every pointer there is; who makes a pointer looks at the list before and after.
 */
import { type Pointer, withBlockList } from "../bundle/pointer-format.ts";
import { type Block, type BlockList, nextBlockList } from "../model/blocks.ts";
import { SkillsError } from "../model/errors.ts";
import { mapLimited } from "./map-limited.ts";
import type { DeployTarget, PointerName } from "./target.ts";

/** Pointers rewritten at once. */
const CONCURRENCY = 8;

/** How often something is tried again that others change meanwhile. */
const MOST_TRIES = 20;

/** Changes the list and brings it to every pointer; one that stays as it is is only brought. Throws `deploy-conflict` when others do not stop changing it. */
export async function changeBlockList(
  target: DeployTarget,
  change: (blocks: readonly Block[]) => readonly Block[],
): Promise<BlockList> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { list, version } = await target.readBlockList();
    const next = nextBlockList(list, change(list.blocks));
    if (next === list || (await target.writeBlockList(next, version))) {
      await spreadBlockList(target);
      return next;
    }
  }
  throw tooBusy(target);
}

/** Brings the list to every pointer that has an older one. */
export async function spreadBlockList(target: DeployTarget): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { list } = await target.readBlockList();
    if (list.seq === 0) {
      return;
    }
    const behind = await mapLimited(CONCURRENCY, await target.listPointers(), (name) => bring(target, name, list));
    // A pointer that was made, or a list that was changed meanwhile, is seen by looking once more.
    if (!behind.includes("changed")) {
      return;
    }
  }
  throw tooBusy(target);
}

async function bring(
  target: DeployTarget,
  { layer, channel }: PointerName,
  list: BlockList,
): Promise<"changed" | "same"> {
  const { pointer, version } = await target.readPointer(layer, channel);
  const next = pointer && withBlockList(pointer, list);
  if (next === null || next === pointer) {
    return "same";
  }
  // Lost to somebody who moves it: the next round sees what they wrote.
  await target.writePointer(layer, channel, next, version);
  return "changed";
}

function tooBusy({ name }: DeployTarget): SkillsError {
  return new SkillsError("deploy-conflict", `Cannot change what is blocked on ${name}: others change it all the time`, {
    hint: "try again",
  });
}

/** Tells whether a pointer says of the live bundle and its history what another says. */
export function hasSameMoves(a: Pointer | null, b: Pointer | null): boolean {
  return JSON.stringify(a?.history ?? null) === JSON.stringify(b?.history ?? null) && a?.bundle === b?.bundle;
}
