/**
 * Owns removing the bytes of what is recalled, and of all that has them inside: records with a file's text, what it was compiled to, indexes
 * with a skill's description. Blocks first, so that nothing leads to what goes. Never runs beside a deploy.
 */

import { blobKey, indexKey } from "../bundle/keys.ts";
import { decodeRecord } from "../bundle/record-format.ts";
import { type Digest, hexOf } from "../model/digest.ts";
import { type Holder, holdersOf, recordReader, refersTo, type StoredBundle, storedBundles } from "./holders.ts";
import { mapLimited } from "./map-limited.ts";
import { addBlocks, kindOf, type RecalledKind, type RecallOptions, requireReason } from "./recall.ts";
import type { DeployTarget } from "./target.ts";
import { noteRemoval, Work } from "./work.ts";

const CONCURRENCY = 16;

/** Larger values below `runtime/` are files, not records. */
const MOST_RECORD_BYTES = 8 * 1024 * 1024;

/** What a purge does, or would do. */
export interface PurgePlan {
  readonly digest: Digest;
  readonly kind: RecalledKind;
  /** Every bundle that breaks. */
  readonly breaks: readonly BrokenBundle[];
  /** The bundles and skills that cannot be had without it, and so are blocked along with it. */
  readonly gone: readonly Digest[];
  /** The keys that go. */
  readonly keys: readonly string[];
}

/** A bundle that is not whole afterwards. */
export interface BrokenBundle extends Pick<Holder, "bundle" | "places"> {
  /** The names of the skills that go; null when all of the bundle goes. */
  readonly skills: readonly string[] | null;
}

/** Finds what would go. */
export async function planPurge(target: DeployTarget, digest: Digest): Promise<PurgePlan> {
  const bundles = await storedBundles(target, "all");
  const holders = await holdersOf(digest, bundles);
  const kept = await neededByOthers(bundles, holders);
  const blobs = new Set<Digest>([digest]);
  const indexes = new Set<Digest>([digest]);
  for (const { bundle, itself, skills } of holders) {
    // An index has the name, description and metadata that stand in a SKILL.md.
    if (itself || skills.some(({ whole }) => whole)) {
      indexes.add(bundle);
      const own = bundles.find(({ view }) => view.digest === bundle)?.view.own ?? [];
      for (const blob of own.filter((item) => !kept.has(item))) {
        blobs.add(blob);
      }
    }
    for (const { record, needs, whole } of skills) {
      const gone = itself || whole ? needs : [record, ...(await compiledOf(target, record))];
      for (const blob of gone.filter((item) => !kept.has(item))) {
        blobs.add(blob);
      }
    }
  }
  const stored = new Set([...(await target.keys("index")), ...(await target.keys("blob"))]);
  const keys = [...[...indexes].map(indexKey), ...[...blobs].map(blobKey)].filter((key) => stored.has(key));
  return {
    digest,
    kind: kindOf(digest, holders),
    breaks: holders.map(({ bundle, places, skills }) => ({
      bundle,
      places,
      skills: indexes.has(bundle) ? null : skills.map(({ name }) => name),
    })),
    gone: [
      ...[...indexes].filter((bundle) => bundle !== digest),
      ...holders.flatMap(({ itself, skills }) => (itself ? [] : skills.map((skill) => skill.digest))),
    ],
    keys: [...keys, ...(await runtimeKeys(target, digest))],
  };
}

/** Blocks a digest and removes what {@link planPurge} finds. Throws `target-busy` while a deploy is under way. */
export async function purge(target: DeployTarget, digest: Digest, options: RecallOptions): Promise<PurgePlan> {
  const { now } = options;
  requireReason(options);
  const work = await Work.begin(target, "prune", "deploy", now);
  try {
    await addBlocks(target, [digest], options);
    const plan = await planPurge(target, digest);
    await addBlocks(target, [digest, ...plan.gone], options);
    await noteRemoval(target, now);
    await target.remove(plan.keys);
    return plan;
  } finally {
    await work.end();
  }
}

/** The blobs that skills need which stay. */
async function neededByOthers(bundles: readonly StoredBundle[], holders: readonly Holder[]): Promise<Set<Digest>> {
  const going = new Set(holders.flatMap(({ skills }) => skills.map(({ record }) => record)));
  const goes = (bundle: Digest): boolean => holders.some((holder) => holder.itself && holder.bundle === bundle);
  const breaking = new Set(
    holders.filter(({ skills }) => skills.some(({ whole }) => whole)).map(({ bundle }) => bundle),
  );
  const kept = new Set<Digest>(bundles.flatMap(({ view }) => (breaking.has(view.digest) ? [] : view.own)));
  const read = recordReader();
  for (const { view } of bundles.filter((bundle) => !goes(bundle.view.digest))) {
    const isBundleGoing = holders.some((holder) => holder.itself);
    const staying = view.skills.filter(({ record }) => isBundleGoing || !going.has(record));
    await mapLimited(CONCURRENCY, staying, async (entry) => {
      for (const digest of (await read(view, entry))?.needs ?? []) {
        kept.add(digest);
      }
    });
  }
  return kept;
}

async function compiledOf(target: DeployTarget, record: Digest): Promise<Digest[]> {
  const bytes = await target.get(blobKey(record));
  return bytes === null ? [] : decodeRecord(bytes).record.scripts.flatMap(({ compiled }) => compiled ?? []);
}

/** The same below every tenant's skills put at run time: the bytes, and the records that refer to them. */
async function runtimeKeys(target: DeployTarget, digest: Digest): Promise<string[]> {
  const keys = [...(await target.keys("runtime"))];
  const found = await mapLimited(CONCURRENCY, keys, async (key) => {
    if (key.endsWith(`/${hexOf(digest)}`)) {
      return [key];
    }
    const bytes = await target.get(key);
    return bytes !== null && bytes.byteLength <= MOST_RECORD_BYTES && isRecordWith(bytes, digest) ? [key] : [];
  });
  return found.flat();
}

function isRecordWith(bytes: Uint8Array, digest: Digest): boolean {
  try {
    const { record } = decodeRecord(bytes);
    return record.digest === digest || refersTo(record).includes(digest);
  } catch {
    // A file, then, which has no other bytes in it.
    return false;
  }
}
