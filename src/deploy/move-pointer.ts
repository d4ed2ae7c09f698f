/** Owns moving one pointer: if nobody else has moved it, and with the newest block list in it. Never decides where to. */
import { type Pointer, withBlockList } from "../bundle/pointer-format.ts";
import { SkillsError } from "../model/errors.ts";
import { hasSameMoves, spreadBlockList } from "./block-list.ts";
import type { DeployTarget, PointerName, ReadPointer } from "./target.ts";

/** Writes what `move` makes of the pointer that was read. Throws `deploy-conflict` when somebody else was faster; a new block list alone is no conflict. */
export async function moveOrThrow(
  target: DeployTarget,
  { layer, channel }: PointerName,
  before: ReadPointer,
  move: (pointer: Pointer | null) => Pointer,
): Promise<void> {
  let read = before;
  for (;;) {
    const { list } = await target.readBlockList();
    const next = withBlockList(move(read.pointer), list);
    if (await target.writePointer(layer, channel, next, read.version)) {
      if ((await target.readBlockList()).list.seq !== list.seq) {
        await spreadBlockList(target);
      }
      return;
    }
    const now = await target.readPointer(layer, channel);
    if (now.version === read.version || !hasSameMoves(now.pointer, before.pointer)) {
      throw conflictOf(layer, channel);
    }
    read = now;
  }
}

/** What one is told who was slower. */
export function conflictOf(layer: string, channel: string): SkillsError {
  return new SkillsError(
    "deploy-conflict",
    `Cannot move channel "${channel}" of layer "${layer}": somebody else has moved it meanwhile`,
    { hint: "look at `edge-skills history`, then deploy again" },
  );
}
