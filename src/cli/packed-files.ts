/** Owns reading one skill's files, as they were packed, from what `--from` names: a directory, a packed bundle, or a deployed channel. Runs no edge. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { decodeIndex, type IndexEntry } from "../bundle/index-format.ts";
import { blobKey, indexKey } from "../bundle/keys.ts";
import { decodeRecord } from "../bundle/record-format.ts";
import type { ArchiveFile } from "../bundle/skill-archive.ts";
import type { DeployTarget } from "../deploy/target.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { isChannelName, PLATFORM_LAYER } from "../model/layer.ts";
import { foldPath } from "../model/path.ts";
import type { PackedLayer } from "../pack/pack.ts";
import { isBundle } from "../pack/write-bundle.ts";
import type { CommandContext, Flags } from "./command.ts";
import { textFlag } from "./flags.ts";
import { describeErrors, packInput, readBundleLayers } from "./pack-input.ts";
import { withTarget } from "./with-target.ts";

/** A skill with the bytes of all its files. */
export interface SkillWithFiles {
  readonly name: string;
  readonly digest: Digest;
  readonly files: readonly ArchiveFile[];
}

/** Layers in order of who wins, and where their blobs lie. */
interface Shelf {
  readonly layers: readonly { readonly name: string; readonly index: Uint8Array }[];
  read(digest: Digest): Promise<Uint8Array | null>;
}

/** Reads a skill that a tenant (or the platform, for null) sees. Throws `skill-not-found`. */
export async function readSkillFiles(
  skill: string,
  tenant: string | null,
  flags: Flags,
  context: CommandContext,
): Promise<SkillWithFiles> {
  const from = textFlag(flags, "from");
  const path = resolve(context.cwd, from);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const layers = isBundle(path) ? readBundleLayers(path) : await packedLayers(from, flags, context);
    return pick(skill, shelfOf(layers, tenant));
  }
  if (!isChannelName(from)) {
    throw new SkillsError("usage", `Cannot open "${from}": it is no directory, no bundle and no channel`);
  }
  return withTarget(flags, context, async (target) => pick(skill, await shelfOfChannel(target, from, tenant)));
}

/** Packs a directory, and tells why a skill of it may be missing. */
async function packedLayers(directory: string, flags: Flags, context: CommandContext): Promise<readonly PackedLayer[]> {
  const packed = await packInput([directory], flags, context);
  describeErrors(packed, directory, context.terminal);
  return packed.layers;
}

function shelfOf(layers: readonly PackedLayer[], tenant: string | null): Shelf {
  const names = seenLayers(
    layers.map(({ name }) => name),
    tenant,
  );
  return {
    layers: names.flatMap((name) => layers.find((layer) => layer.name === name) ?? []),
    read: async (digest) => layers.map(({ blobs }) => blobs.get(digest)).find((bytes) => bytes !== undefined) ?? null,
  };
}

async function shelfOfChannel(target: DeployTarget, channel: string, tenant: string | null): Promise<Shelf> {
  const layers = [];
  for (const name of seenLayers(await target.listLayers(channel), tenant)) {
    const { pointer } = await target.readPointer(name, channel);
    const index = pointer === null ? null : await target.get(indexKey(pointer.bundle));
    if (index !== null) {
      layers.push({ name, index });
    }
  }
  return { layers, read: (digest) => target.get(blobKey(digest)) };
}

/** A tenant's own layer before the platform's; without a tenant the platform's, or the only one there is. */
function seenLayers(layers: readonly string[], tenant: string | null): string[] {
  if (tenant !== null) {
    return [tenant, PLATFORM_LAYER].filter((name) => layers.includes(name));
  }
  return layers.length === 1 ? [...layers] : layers.filter((name) => name === PLATFORM_LAYER);
}

async function pick(skill: string, shelf: Shelf): Promise<SkillWithFiles> {
  const entries = shelf.layers.flatMap(({ index }) => decodeIndex(index).skills);
  const entry = find(skill, entries);
  if (entry === null) {
    const candidates = [...new Set(entries.map(({ name }) => name))].sort().slice(0, 20);
    throw new SkillsError("skill-not-found", `There is no skill "${skill}"`, { candidates });
  }
  const { record } = decodeRecord(await readBlob(shelf, entry.record));
  const files = await Promise.all(
    [record.manifest, ...record.files].map(async ({ path, digest }) => ({
      path,
      bytes: await readBlob(shelf, digest),
    })),
  );
  return { name: record.name, digest: record.digest, files };
}

/** By name, then by another name, then whatever the case. */
function find(skill: string, entries: readonly IndexEntry[]): IndexEntry | null {
  const folded = foldPath(skill);
  const ways: ((entry: IndexEntry) => boolean)[] = [
    ({ name }) => name === skill,
    ({ aliases = [] }) => aliases.includes(skill),
    ({ name, aliases = [] }) => [name, ...aliases].some((other) => foldPath(other) === folded),
  ];
  return ways.map((way) => entries.find(way)).find((entry) => entry !== undefined) ?? null;
}

async function readBlob(shelf: Shelf, digest: Digest): Promise<Uint8Array> {
  const bytes = await shelf.read(digest);
  if (bytes === null) {
    throw new SkillsError("bundle-damaged", `The bundle lacks ${blobKey(digest)}`);
  }
  return bytes;
}
