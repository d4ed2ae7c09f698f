/** Owns refusing to make live what was recalled, naming it and the reason, before anything is sent. Never changes what is blocked. */
import { type Block, blockedBy } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { SkillRecord } from "../model/record.ts";
import { viewOfLayer } from "./bundle-view.ts";
import type { DeployableLayer, MovableLayer } from "./deployable.ts";
import type { DeployTarget } from "./target.ts";

/** Blocked things that are named in one message. */
const MOST_NAMED = 20;

/** Throws `bundle-blocked`, `skill-blocked` or `file-blocked` when any of these layers is, or holds, what was recalled. */
export async function refuseBlockedLayers(target: DeployTarget, layers: readonly DeployableLayer[]): Promise<void> {
  const { list } = await target.readBlockList();
  if (list.blocks.length === 0) {
    return;
  }
  await refuseBlockedBundles(target, layers);
  const blocked = blockedBy(list);
  const found: { readonly code: "skill-blocked" | "file-blocked"; readonly text: string }[] = [];
  for (const layer of layers) {
    const view = viewOfLayer(layer);
    for (const entry of view.skills) {
      const block = blocked.of(entry.digest, entry.record);
      if (block !== null) {
        found.push({ code: "skill-blocked", text: `skill "${entry.name}" (${describe(block)})` });
      } else if (blocked.of(...(await view.needs(entry))) !== null) {
        const files = blockedFiles(await view.record(entry), (digest) => blocked.of(digest));
        found.push(...files.map((text) => ({ code: "file-blocked", text: `${text} of "${entry.name}"` }) as const));
      }
    }
  }
  const [first] = found;
  if (first !== undefined) {
    const more = found.length > MOST_NAMED ? `, and ${found.length - MOST_NAMED} more` : "";
    const named = found.slice(0, MOST_NAMED).map(({ text }) => text);
    throw new SkillsError(first.code, `Cannot deploy what was recalled: ${named.join(", ")}${more}`, {
      hint: "take it out or mend it; `edge-skills block --list` has everything that is recalled",
    });
  }
}

/** Throws `bundle-blocked` when one of these bundles was recalled. */
export async function refuseBlockedBundles(
  target: DeployTarget,
  layers: readonly Pick<MovableLayer, "name" | "digest">[],
): Promise<void> {
  const blocked = blockedBy((await target.readBlockList()).list);
  for (const { name, digest } of layers) {
    const block = blocked.of(digest);
    if (block !== null) {
      throw new SkillsError("bundle-blocked", `Cannot make this bundle live in layer "${name}": ${describe(block)}`, {
        hint: "deploy skills without what was recalled, or go back to another bundle",
      });
    }
  }
}

function blockedFiles(record: SkillRecord, blockOf: (digest: Digest) => Block | null): string[] {
  const { manifest, portable, files, scripts, packages = [] } = record;
  const parts = [
    ...[manifest, ...(portable ? [portable] : []), ...files].map(({ path, digest }) => ({ path: `"${path}"`, digest })),
    ...scripts.flatMap(({ path, compiled }) =>
      compiled === null ? [] : [{ path: `the compiled "${path}"`, digest: compiled }],
    ),
    ...packages.map((digest) => ({ path: "a Python package", digest })),
  ];
  return parts.flatMap(({ path, digest }) => {
    const block = blockOf(digest);
    return block === null ? [] : [`${path} (${describe(block)})`];
  });
}

function describe({ digest, reason }: Block): string {
  return `${digest} was recalled: ${reason}`;
}
