/** Owns the skills of one bundle as objects: made once per isolate, layer and bundle, so that what is derived from the list can be kept. */
import { type Blocked, NOTHING_BLOCKED } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { BundleReader } from "./bundle-reader.ts";
import type { ByteCache } from "./byte-cache.ts";
import { PackedSkill } from "./packed-skill.ts";

/** Bytes a skill's object takes beside its index entry, about. */
const SKILL_OBJECT_BYTES = 64;

/** What bundles are opened with. */
export interface BundleOpener {
  readonly reader: BundleReader;
  readonly cache: ByteCache;
  readonly runner: ScriptRunner | null;
}

/** The skills of a bundle under a layer's name; the same array as long as the isolate's cache holds it and the same is blocked. */
export async function openBundle(
  opener: BundleOpener,
  layer: string,
  bundle: Digest,
  blocked: Blocked = NOTHING_BLOCKED,
): Promise<readonly AgentSkill[]> {
  const key = `skills:${layer}:${bundle}:${blocked.key}`;
  const held = opener.cache.get<readonly AgentSkill[]>(key);
  if (held) {
    return held;
  }
  const { index, bytes } = await opener.reader.readIndex(bundle);
  const { search } = index;
  const made = search === undefined ? null : { open: () => opener.reader.readSearchIndex(search) };
  const parts = { reader: opener.reader, runner: opener.runner, layer, blocked, search: made };
  const skills = Object.freeze(index.skills.map((entry, at) => new PackedSkill(entry, parts, at)));
  opener.cache.set(key, skills, bytes + skills.length * SKILL_OBJECT_BYTES);
  return skills;
}
