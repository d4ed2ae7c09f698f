/** Owns going back: one pointer write to a bundle that the channel's history names. Never deletes anything. */
import { indexKey } from "../bundle/keys.ts";
import { movePointer, type Pointer, type PointerMove } from "../bundle/pointer-format.ts";
import { type Blocked, blockedBy } from "../model/blocks.ts";
import { type Digest, digestsLike } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { moveOrThrow } from "./move-pointer.ts";
import { refuseBlockedBundles } from "./refuse-blocked.ts";
import type { DeployTarget } from "./target.ts";

/** Where to go back to. */
export interface RollbackOptions {
  readonly layer: string;
  readonly channel: string;
  /** A bundle's digest, or the first digits of it; null for the one before the live one. */
  readonly to: string | null;
  readonly by: string;
  readonly now: () => Date;
  /** `dry`: say where it would go, and do nothing. Default `write`. */
  readonly mode?: "write" | "dry";
}

/** What a rollback did. */
export interface RollbackReport {
  readonly layer: string;
  readonly channel: string;
  readonly bundle: Digest;
  readonly previous: Digest;
}

/** Moves a channel back; one that is there already stays, without a write. Throws `bundle-unknown` when there is nothing to go back to, `bundle-gone` when its bytes are, `bundle-blocked` for one that was recalled. */
export async function rollback(target: DeployTarget, options: RollbackOptions): Promise<RollbackReport> {
  const { layer, channel, to, by, now, mode = "write" } = options;
  const read = await target.readPointer(layer, channel);
  const { pointer } = read;
  if (pointer === null) {
    throw new SkillsError(
      "bundle-unknown",
      `Cannot roll back: nothing was deployed to channel "${channel}" of layer "${layer}"`,
    );
  }
  const kept = [...new Set(pointer.history.map((move) => move.bundle))];
  const blocked = blockedBy((await target.readBlockList()).list);
  const bundle = to === null ? before(pointer, blocked) : matchingBundle(kept, to);
  if (bundle === undefined) {
    const what = to === null ? "there is no earlier bundle" : `no bundle "${to}" is in its history`;
    throw new SkillsError("bundle-unknown", `Cannot roll back channel "${channel}" of layer "${layer}": ${what}`, {
      candidates: kept,
    });
  }
  if (bundle === pointer.bundle) {
    return { layer, channel, bundle, previous: bundle };
  }
  await refuseBlockedBundles(target, [{ name: layer, digest: bundle }]);
  if ((await target.get(indexKey(bundle))) === null) {
    throw new SkillsError(
      "bundle-gone",
      `Cannot roll back channel "${channel}" of layer "${layer}": ${bundle} was removed`,
      {
        hint: "deploy the skills it was packed from again",
      },
    );
  }
  if (mode === "write") {
    const commit = pointer.history.find((move) => move.bundle === bundle && move.commit !== undefined)?.commit;
    const from = commit === undefined ? {} : { commit };
    const move: PointerMove = { bundle, at: now().toISOString(), by, reason: "rollback", ...from };
    await moveOrThrow(target, { layer, channel }, read, (current) => movePointer(current, move));
  }
  return { layer, channel, bundle, previous: pointer.bundle };
}

/**
 * The bundle that was live before the live one was deployed. A rollback does not count as a deploy: going back twice goes back two bundles,
 * not forward again to the one that was left. One that was recalled is passed over.
 */
function before({ bundle: live, history }: Pointer, blocked: Blocked): Digest | undefined {
  const deployed = history.findIndex((move) => move.bundle === live && move.reason === "deploy");
  return history.slice(deployed + 1).find(({ bundle }) => bundle !== live && blocked.of(bundle) === null)?.bundle;
}

/** The one kept bundle that is meant; a few digits are enough when they mean only one. */
export function matchingBundle(kept: readonly Digest[], wanted: string): Digest | undefined {
  const [only, ...others] = digestsLike(kept, wanted);
  return others.length === 0 ? only : undefined;
}
