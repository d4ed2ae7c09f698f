/** Owns sending bundles over an edge's upload API: what is asked for, in batches, each again until it is confirmed. Never moves a pointer. */
import { decodeIndex } from "../../bundle/index-format.ts";
import { decodeRecord } from "../../bundle/record-format.ts";
import { neededBy } from "../../bundle/record-needs.ts";
import { encodeFrames, type Frame } from "../../bundle/upload-frames.ts";
import { type Digest, isDigest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { type NamedSize, UPLOAD_LIMITS } from "../../model/upload.ts";
import type { Patience } from "../cloudflare/patience.ts";
import { mapLimited } from "../map-limited.ts";
import type { DeliveryGoal, PackedBundle } from "../target.ts";
import { askPatiently } from "./asking.ts";
import type { EdgeApi } from "./edge-api.ts";

/** Requests under way at once. */
const CONCURRENCY = 4;

/** Larger blobs travel by themselves. */
const ALONE_BYTES = 1024 * 1024;

/** A bundle on its way. */
export interface SentBundle {
  readonly bundle: PackedBundle;
  /** Id of the upload; null for one that was only asked about. */
  readonly upload: string | null;
  /** What the edge wants to have. */
  readonly send: readonly Digest[];
}

/** Asks what of a bundle has to be sent, and opens an upload unless the mode is `dry`. */
export async function beginUpload(
  edge: EdgeApi,
  bundle: PackedBundle,
  { channel, upload, mode }: DeliveryGoal,
  patience: Patience,
): Promise<SentBundle> {
  const index = new TextDecoder().decode(bundle.index);
  const { format, skills } = decodeIndex(bundle.index);
  const body = {
    format,
    channel,
    index,
    skills: skills.map(({ name, record }) => namedSkill(bundle, name, record)),
    ...(mode === "dry" ? { dry_run: true } : {}),
  };
  const path = `/v1/uploads?tenant=${bundle.name}`;
  const answer = await askPatiently("begin an upload", () => edge.ask("POST", path, body), patience);
  const wanted = Array.isArray(answer.send) ? answer.send.filter(isDigest) : [];
  return {
    bundle,
    upload: typeof answer.upload === "string" ? answer.upload : null,
    send: upload === "all" ? [...bundle.blobs.keys()] : wanted,
  };
}

/** Sends what is wanted of a bundle. */
export async function sendBlobs(
  edge: EdgeApi,
  { bundle, upload, send }: SentBundle,
  patience: Patience,
  onTaken: (blobs: number) => void,
): Promise<void> {
  const records = new Set(decodeIndex(bundle.index).skills.map(({ record }) => record));
  const sizes = new Map([...bundle.blobs.sources()].map(([digest, { size }]) => [digest, size]));
  const at = `/v1/uploads/${encodeURIComponent(upload ?? "")}/blobs`;
  const query = `?tenant=${bundle.name}`;
  await mapLimited(CONCURRENCY, [...batches(send, sizes, records)], async (digests) => {
    const frames = digests.map((digest): Frame => {
      const kind = records.has(digest) ? "record" : "blob";
      return { kind, digest, bytes: bundle.blobs.get(digest) ?? new Uint8Array() };
    });
    const [only, more] = frames;
    const isAlone = only?.kind === "blob" && more === undefined && only.bytes.byteLength > ALONE_BYTES;
    await askPatiently(
      "send blobs",
      () =>
        isAlone
          ? edge.send("PUT", `${at}/${only.digest}${query}`, only.bytes)
          : edge.send("POST", `${at}${query}`, encodeFrames(frames)),
      patience,
    );
    onTaken(digests.length);
  });
}

/** Gives an upload up; one that is over is none, and one that cannot be reached ends by itself. */
export async function endUpload(edge: EdgeApi, { bundle, upload }: SentBundle): Promise<void> {
  if (upload !== null) {
    const path = `/v1/uploads/${encodeURIComponent(upload)}?tenant=${bundle.name}`;
    await edge.ask("DELETE", path).catch(() => undefined);
  }
}

/** What a skill needs, by the names and sizes of its blobs. */
function namedSkill(
  { blobs }: PackedBundle,
  name: string,
  record: Digest,
): { readonly record: NamedSize; readonly blobs: readonly NamedSize[] } {
  const bytes = blobs.get(record);
  if (bytes === undefined) {
    throw new SkillsError("bundle-damaged", `Cannot send the bundle: the record of "${name}" is not there`);
  }
  const needs = neededBy(decodeRecord(bytes).record);
  const sizeOf = (digest: Digest): number => blobs.get(digest)?.byteLength ?? 0;
  return {
    record: [record, bytes.byteLength],
    blobs: [
      ...needs.files.map(({ digest, size }) => [digest, size] as const),
      ...needs.blobs.map((digest) => [digest, sizeOf(digest)] as const),
    ],
  };
}

/** Small ones together, large ones by themselves. */
function* batches(
  digests: readonly Digest[],
  sizes: ReadonlyMap<Digest, number>,
  records: ReadonlySet<Digest>,
): Generator<Digest[]> {
  let batch: Digest[] = [];
  let bytes = 0;
  for (const digest of digests) {
    const size = sizes.get(digest) ?? 0;
    if (size > ALONE_BYTES && !records.has(digest)) {
      yield [digest];
      continue;
    }
    if (batch.length >= UPLOAD_LIMITS.batchEntries || bytes + size > UPLOAD_LIMITS.batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(digest);
    bytes += size;
  }
  if (batch.length > 0) {
    yield batch;
  }
}
