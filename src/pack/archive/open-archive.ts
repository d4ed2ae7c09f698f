/** Owns the way from an archive's bytes to files that may be unpacked: format, limits, paths, links, in the order of cases/README.md. Never writes a file. */
import { SkillsError } from "../../model/errors.ts";
import { directoryOf } from "../../model/path.ts";
import { type ArchiveEntry, entryPath } from "./entry.ts";
import { ARCHIVE_LIMITS, type ArchiveLimits, corrupt, tooLarge } from "./limits.ts";
import { isTar, readTar, readTarGz } from "./read-tar.ts";
import { readZip } from "./read-zip.ts";

/** The files of an archive by their paths, leftovers among them. Throws an `archive-…` error; then nothing of it is used. */
export async function openArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (bytes.byteLength > limits.archiveBytes) {
    throw tooLarge(limits.archiveBytes);
  }
  return filesOf(await readEntries(bytes, limits));
}

/** What the bytes are decides, not the name. */
function readEntries(bytes: Uint8Array, limits: ArchiveLimits): Promise<ArchiveEntry[]> {
  const [first, second] = bytes;
  if (first === 0x1f && second === 0x8b) {
    return readTarGz(bytes, limits);
  }
  if (first === 0x50 && second === 0x4b) {
    return readZip(bytes, limits);
  }
  if (isTar(bytes)) {
    return readTar(bytes, limits);
  }
  throw corrupt(bytes.byteLength === 0 ? "it is empty" : "it is neither zip nor tar");
}

function filesOf(entries: readonly ArchiveEntry[]): Map<string, Uint8Array> {
  const placed = entries.map((entry) => ({ ...entry, path: entryPath(entry.name) }));
  const odd = placed.find(({ kind }) => kind === "special");
  if (odd) {
    throw new SkillsError(
      "archive-link",
      `The archive holds ${JSON.stringify(odd.name)}, which is a link or a device`,
      {
        hint: "put the file itself into the archive",
      },
    );
  }
  const files = new Map<string, Uint8Array>();
  for (const { path, kind, bytes } of placed) {
    if (kind === "file") {
      if (path === "" || files.has(path)) {
        throw corrupt(path === "" ? "an entry has no name" : `it holds ${JSON.stringify(path)} twice`);
      }
      files.set(path, bytes);
    }
  }
  refuseFilesAsDirectories(placed, files);
  return files;
}

/** One path cannot be a file and a directory. */
function refuseFilesAsDirectories(
  placed: readonly { readonly path: string; readonly kind: ArchiveEntry["kind"] }[],
  files: ReadonlyMap<string, Uint8Array>,
): void {
  const seen = new Set<string>();
  for (const { path, kind } of placed) {
    for (let at = kind === "directory" ? path : directoryOf(path); at !== "" && !seen.has(at); at = directoryOf(at)) {
      seen.add(at);
      if (files.has(at)) {
        throw corrupt(`it holds ${JSON.stringify(at)} as a file and as a directory`);
      }
    }
  }
}
