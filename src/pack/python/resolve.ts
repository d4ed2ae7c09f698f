/** Owns which versions of packages go together: the newest that all who need a package agree to. Never writes a file. */
import { satisfies } from "@renovatebot/pep440";
import { SkillsError } from "../../model/errors.ts";
import type { OfferedWheel, PackageIndex } from "./package-index.ts";
import { appliesToSandbox, type Requirement, requirementsIn } from "./requirement.ts";
import { metadataOf, openWheel, type Wheel } from "./wheel.ts";

/** Each new condition may mean another version of a package, with other needs. */
const MAX_ROUNDS = 200;

/** A condition on a package, and whose it is. */
interface Condition {
  readonly versions: string;
  readonly by: string;
}

/** A package that was chosen. */
export interface ResolvedWheel {
  readonly wheel: Wheel;
  readonly bytes: Uint8Array;
}

/**
 * The wheels for some requirements and all that those need. What a version asked for stays a condition also when another version is taken in
 * the end, so a set that only fits together with an older package may be refused: then name that package's version. Throws `packages-invalid`.
 */
export async function resolvePackages(
  asked: readonly Requirement[],
  index: PackageIndex,
  onProgress: (name: string) => void = () => undefined,
): Promise<ResolvedWheel[]> {
  const conditions = new Map<string, Map<string, Condition>>();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const chosen = await walk(asked, conditions, index, onProgress);
    if (chosen !== null) {
      return chosen;
    }
  }
  throw new SkillsError(
    "packages-invalid",
    `Cannot settle versions in ${MAX_ROUNDS} rounds; name more of them exactly`,
  );
}

/** One walk from what is asked for to all that is needed; null when it met a condition that an earlier choice did not know. */
async function walk(
  asked: readonly Requirement[],
  conditions: Map<string, Map<string, Condition>>,
  index: PackageIndex,
  onProgress: (name: string) => void,
): Promise<ResolvedWheel[] | null> {
  const chosen = new Map<string, ResolvedWheel>();
  const seen = new Set<string>();
  const left = asked.map((requirement) => ({ requirement, by: "you" }));
  for (const { requirement, by } of left) {
    const { name, versions, extras } = requirement;
    const known = conditions.get(name) ?? new Map<string, Condition>();
    conditions.set(name, known);
    const isNew = versions !== "" && !known.has(`${by} ${versions}`);
    known.set(`${by} ${versions}`, { versions, by });
    const earlier = chosen.get(name);
    if (earlier !== undefined && isNew && !satisfies(earlier.wheel.version, versions, { prereleases: true })) {
      return null;
    }
    const key = `${name}[${extras.toSorted().join()}]`;
    if (seen.has(key)) {
      continue;
    }
    seen.add(key);
    onProgress(name);
    const taken = earlier ?? (await take(name, [...known.values()], index));
    chosen.set(name, taken);
    const needs = requirementsIn(metadataOf(taken.wheel)).filter((one) => appliesToSandbox(one, extras));
    left.push(...needs.map((need) => ({ requirement: need, by: `${name} ${taken.wheel.version}` })));
  }
  return [...chosen.values()];
}

async function take(name: string, conditions: readonly Condition[], index: PackageIndex): Promise<ResolvedWheel> {
  const offered = await index.wheelsOf(name);
  const range = conditions.flatMap(({ versions }) => (versions === "" ? [] : [versions])).join(",");
  const best = newest(offered, range);
  if (best === undefined) {
    const stated = conditions.filter(({ versions }) => versions !== "");
    const wanted = stated.map(({ versions, by }) => `${versions} (${by})`).join(", ") || "any version";
    const there = offered.slice(0, 5).map(({ version }) => version);
    throw new SkillsError(
      "packages-invalid",
      `Cannot find a wheel of "${name}" for Python 3.13 and ${wanted}; the index has ${there.join(", ") || "none"}`,
      { hint: "name another version, or a package that needs less" },
    );
  }
  const bytes = await index.download(best);
  return { wheel: openWheel(best.file, bytes), bytes };
}

/** Releases before those that are not finished yet. */
function newest(offered: readonly OfferedWheel[], range: string): OfferedWheel | undefined {
  const fits = (prereleases: boolean) =>
    offered.find(({ version }) => satisfies(version, range === "" ? ">=0" : range, { prereleases }));
  return fits(false) ?? fits(true);
}
