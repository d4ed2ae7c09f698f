/** Owns the names of what systems and tools leave behind: never packed, without a word. Never looks at a file. */

const NEVER_ENTERED: ReadonlySet<string> = new Set([".git", "node_modules", "__MACOSX", "__pycache__"]);
const LEFT_FILES: ReadonlySet<string> = new Set([".ds_store", "thumbs.db", "desktop.ini"]);

/** Tells whether an entry of a directory is a leftover: a directory that is not entered, or a file that is not packed. */
export function isLeftover(name: string): boolean {
  return (
    NEVER_ENTERED.has(name) || LEFT_FILES.has(name.toLowerCase()) || name.startsWith("._") || /\.py[co]$/.test(name)
  );
}

/** Tells whether a path leads through a directory that is not entered. */
export function liesInLeftover(path: string): boolean {
  return path.split("/").some((part) => NEVER_ENTERED.has(part));
}

/** Exactly what a bundle's directory has; a directory of a skill that only has a file of this name is none. */
const BUNDLE_ENTRIES: ReadonlySet<string> = new Set(["bundle.json", "blob", "index"]);

/** Tells whether a directory's entries are those of a packed bundle: what `pack . -o out` left in a skill is no part of it the next time. */
export function isPackedBundle(names: readonly string[]): boolean {
  return names.length === BUNDLE_ENTRIES.size && names.every((name) => BUNDLE_ENTRIES.has(name));
}
