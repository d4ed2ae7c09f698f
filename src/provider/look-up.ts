/** Owns finding a skill, resource or script by the name a model wrote. Never reaches beyond the list it is given. Rules: cases/README.md, lookup.json. */

/** Something that can be found by name. */
export interface Named<T> {
  readonly name: string;
  readonly value: T;
}

/** Longer names are not looked for: no listed name is as long. */
const MAX_WANTED_LENGTH = 4_096;

/** A name as it is compared: composition and case do not matter, in any script. */
export function foldName(name: string): string {
  // Upper case first: it is what makes "ß" and "SS" the same.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * What a written name may mean: the hits of the first step that has any. One hit is an answer, several are candidates, none is unknown.
 * Steps: exact; case and composition; path spelling; a whole ending; a whole ending without extension.
 */
export function lookUp<T>(wanted: string, listed: readonly Named<T>[]): readonly Named<T>[] {
  if (wanted === "" || wanted.length > MAX_WANTED_LENGTH) {
    return [];
  }
  const folded = foldName(wanted);
  const path = plainPath(folded);
  const steps: ((name: string) => boolean)[] = [
    (name) => name === wanted,
    (name) => foldName(name) === folded,
    (name) => path !== "" && plainPath(foldName(name)) === path,
    (name) => path !== "" && endsWithParts(plainPath(foldName(name)), path),
    (name) => path !== "" && endsWithParts(withoutExtension(plainPath(foldName(name))), path),
  ];
  for (const step of steps) {
    const hits = listed.filter((item) => step(item.name));
    if (hits.length > 0) {
      return hits;
    }
  }
  return [];
}

function plainPath(name: string): string {
  return name.replaceAll("\\", "/").replace(/^(?:\.?\/)+/, "");
}

function endsWithParts(name: string, ending: string): boolean {
  return name === ending || name.endsWith(`/${ending}`);
}

function withoutExtension(path: string): string {
  return path.replace(/(?<=[^/])\.[^./]*$/, "");
}
