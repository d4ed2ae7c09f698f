/** Owns the notes by which an edge keeps removals out while something is deployed over it (FORMAT.md, Notes). */
import { WORK_MS, workKey } from "../bundle/keys.ts";
import { SkillsError } from "../model/errors.ts";
import type { Clock } from "../sources/current-documents.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** What notes need. */
interface NoteParts {
  readonly storage: UploadStorage;
  readonly clock: Clock;
}

const PRUNES = workKey("prune", "");

/** Puts a note that counts for a while; answers until when. Throws `target-busy` while a removal is under way: then there is none. */
export async function putNote(id: string, parts: NoteParts): Promise<number> {
  const { storage, clock } = parts;
  const until = clock() + WORK_MS;
  await storage.note(keyOf(id, until));
  const prunes = await storage.keys(PRUNES);
  if (prunes.some((key) => Number.parseInt(key.slice(PRUNES.length), 10) > clock())) {
    await removeNote(id, until, parts);
    throw new SkillsError("target-busy", "Cannot begin: a prune is under way");
  }
  return until;
}

/** Takes a note back. */
export async function removeNote(id: string, until: number, { storage }: NoteParts): Promise<void> {
  await storage.remove(keyOf(id, until));
}

/** Does something under a note of its own. */
export async function underNote<T>(parts: NoteParts, act: () => Promise<T>): Promise<T> {
  const id = crypto.randomUUID();
  const until = await putNote(id, parts);
  try {
    return await act();
  } finally {
    await removeNote(id, until, parts);
  }
}

function keyOf(id: string, until: number): string {
  return workKey("deploy", `${until}-${id}`);
}
