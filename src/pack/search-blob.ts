/** Owns which bundles have an index to search with, and making it. */
import type { IndexEntry } from "../bundle/index-format.ts";
import { SearchIndex } from "../bundle/search-index.ts";
import type { Digest } from "../model/digest.ts";
import { sha256 } from "./hash.ts";

/** From so many skills on a bundle has an index to search with. */
export const SEARCH_INDEX_FROM = 50;

/** The index that the skills are found by; null for so few that an isolate makes one sooner than it reads one. */
export function searchBlob(
  entries: readonly IndexEntry[],
): { readonly digest: Digest; readonly bytes: Uint8Array } | null {
  if (entries.length < SEARCH_INDEX_FROM) {
    return null;
  }
  const bytes = SearchIndex.of(entries).encode();
  return { digest: sha256(bytes), bytes };
}
