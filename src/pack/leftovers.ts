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
