/** Owns finding what on a target is, or holds, some bytes: bundles, skills, files, and the channels whose history names them. Never writes. */
import type { IndexEntry } from "../bundle/index-format.ts";
import { neededBy } from "../bundle/record-needs.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import type { SkillRecord } from "../model/record.ts";
import { type BundleView, type FoundSkill, findStored, viewOfStored } from "./bundle-view.ts";
import { mapLimited } from "./map-limited.ts";
import type { DeployTarget, PointerName } from "./target.ts";

const CONCURRENCY = 16;

/** Where a bundle can be had. */
export interface Place extends PointerName {
  /** Whether callers see it, or it is only in the history. */
  readonly live: boolean;
}

/** A skill that is, or holds, what was looked for. */
export interface HoldingSkill {
  readonly name: string;
  readonly digest: Digest;
  readonly record: Digest;
  /** The blobs it needs, its record among them. */
  readonly needs: readonly Digest[];
  /** Whether it cannot be had without what was looked for: the skill itself, its record, or its SKILL.md. */
  readonly whole: boolean;
}

/** A bundle that is, or holds, what was looked for. */
export interface Holder {
  readonly bundle: Digest;
  /** Empty for a bundle that no channel's history names. */
  readonly places: readonly Place[];
  /** What holds it; all of the bundle's skills when it is the bundle. */
  readonly skills: readonly HoldingSkill[];
  /** Whether the bundle is what was looked for. */
  readonly itself: boolean;
}

/** The bundles of a target that can be read, with their places. */
export interface StoredBundle {
  readonly places: readonly Place[];
  readonly view: BundleView;
}

/** Every bundle that is stored; `named` leaves out those that no history names. What was purged is not there. */
export async function storedBundles(target: DeployTarget, which: "all" | "named"): Promise<StoredBundle[]> {
  const places = await placesOf(target);
  if (target.recall !== undefined) {
    const found = await mapLimited(CONCURRENCY, [...places].sort(byBundle), async ([bundle, named]) => {
      const view = await findStored(target, bundle);
      return view === null ? [] : [{ places: named, view }];
    });
    return found.flat();
  }
  const stored = [...(await target.keys("index"))]
    .map((key) => `sha256:${key.slice("index/".length)}`)
    .filter(isDigest);
  const wanted = stored.filter((digest) => which === "all" || places.has(digest)).sort();
  return mapLimited(CONCURRENCY, wanted, async (digest) => ({
    places: places.get(digest) ?? [],
    view: await viewOfStored(target, digest),
  }));
}

function byBundle([a]: readonly [Digest, unknown], [b]: readonly [Digest, unknown]): number {
  return a < b ? -1 : 1;
}

/** Where bundles can be had: every channel whose history names them. */
export async function placesOf(target: DeployTarget): Promise<ReadonlyMap<Digest, readonly Place[]>> {
  const places = new Map<Digest, Place[]>();
  await mapLimited(CONCURRENCY, await target.listPointers(), async ({ layer, channel }) => {
    const { pointer } = await target.readPointer(layer, channel);
    for (const bundle of new Set(pointer?.history.map((move) => move.bundle))) {
      places.set(bundle, [...(places.get(bundle) ?? []), { layer, channel, live: pointer?.bundle === bundle }]);
    }
  });
  for (const list of places.values()) {
    list.sort((a, b) => (`${a.layer}/${a.channel}` < `${b.layer}/${b.channel}` ? -1 : 1));
  }
  return places;
}

/** What holds a digest. What the indexes tell is looked at first: only a digest that is none of theirs costs reading records. */
export async function holdersOf(digest: Digest, bundles: readonly StoredBundle[]): Promise<Holder[]> {
  const isInIndex = bundles.some(
    ({ view }) =>
      view.digest === digest || view.skills.some((skill) => skill.digest === digest || skill.record === digest),
  );
  const read = recordReader();
  const found = await mapLimited(CONCURRENCY, bundles, async ({ view, places }): Promise<Holder[]> => {
    const itself = view.digest === digest;
    const listed = view.skills.filter((skill) => itself || skill.digest === digest || skill.record === digest);
    const asked = isInIndex ? listed : view.skills;
    const skills = await mapLimited(CONCURRENCY, asked, async (entry): Promise<HoldingSkill[]> => {
      const kept = await read(view, entry);
      const { name, record } = entry;
      if (kept === null) {
        // Its record was purged: only the index knows it.
        return listed.includes(entry) ? [{ name, digest: entry.digest, record, needs: [record], whole: true }] : [];
      }
      const { manifest, portable } = kept.record;
      const whole = listed.includes(entry) || manifest.digest === digest || portable?.digest === digest;
      return whole || kept.needs.includes(digest)
        ? [{ name, digest: entry.digest, record, needs: kept.needs, whole }]
        : [];
    });
    return itself || skills.flat().length > 0 ? [{ bundle: view.digest, places, skills: skills.flat(), itself }] : [];
  });
  return found.flat();
}

/** Reads each record once, however many bundles have it, with just what it refers to; null for one that is not there. */
export function recordReader(): (view: BundleView, entry: IndexEntry) => Promise<FoundSkill | null> {
  const kept = new Map<Digest, Promise<FoundSkill | null>>();
  const read = async (view: BundleView, entry: IndexEntry): Promise<FoundSkill | null> => {
    const found = await view.find(entry);
    return found && { record: found.record, needs: [entry.record, ...refersTo(found.record)] };
  };
  return (view, entry) => {
    const known = kept.get(entry.record) ?? read(view, entry);
    kept.set(entry.record, known);
    return known;
  };
}

/** The blobs that a record refers to; not those that a text in it only names. */
export function refersTo(record: SkillRecord): Digest[] {
  const { files, blobs } = neededBy(record);
  return [...new Set([...files.map(({ digest }) => digest), ...blobs])];
}
