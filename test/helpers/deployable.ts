/** Makes layers to deploy from described skills, and reads back all that a reader sees of them. */
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { type Digest, digestFromHash } from "../../src/model/digest.ts";
import { NO_CONTEXT } from "../../src/model/skill.ts";
import { BlobMap } from "../../src/pack/blob-map.ts";
import type { BlobStore } from "../../src/sources/blob-store.ts";
import { createPackedSource } from "../../src/sources/packed-source.ts";
import { packSkills, type SkillSpec } from "./pack-skills.ts";

/** Packs skills into a layer. */
export async function layerOf(name: string, skills: readonly SkillSpec[]): Promise<DeployableLayer> {
  const { bundle, blobs, entries } = await packSkills(skills);
  const index = [...entries].find(([key]) => key.startsWith("index/"))?.[1] ?? new Uint8Array();
  const digestOfKey = (key: string): Digest => digestFromHash(Buffer.from(key.slice("blob/".length), "hex"));
  const map = new BlobMap();
  for (const [key, bytes] of blobs) {
    map.addBytes(digestOfKey(key), bytes);
  }
  return { name, digest: bundle, index, blobs: map };
}

/** Everything a reader sees of a layer: each skill's instructions and the bytes of each of its files. Fails on anything half there. */
export async function readWhole(store: BlobStore, layer: string): Promise<Record<string, Record<string, string>>> {
  const skills = await createPackedSource(store, { layer }).getSkills(NO_CONTEXT);
  const read = skills.map(async (skill) => {
    const { body } = await skill.getContent();
    const files = [await skill.getManifest(), ...((await skill.listResources()) ?? [])];
    const texts = files.map(async (file) => [
      file?.name ?? "",
      new TextDecoder().decode((await file?.read()) ?? new Uint8Array()),
    ]);
    return [skill.name, { "": body, ...Object.fromEntries(await Promise.all(texts)) }];
  });
  return Object.fromEntries(await Promise.all(read));
}
