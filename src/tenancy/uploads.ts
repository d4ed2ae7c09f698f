/**
 * Owns taking what a tenant sends for a bundle: what has to be sent, the bytes, each held to its digest. What it answers depends on what the tenant
 * itself holds and has sent, never on what storage has. Never moves a pointer.
 */
import { blobKey, WORK_MS } from "../bundle/keys.ts";
import type { Frame } from "../bundle/upload-frames.ts";
import { type Digest, digestOf, hexOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { type NamedSize, UPLOAD_LIMITS } from "../model/upload.ts";
import type { BundleReader } from "../sources/bundle-reader.ts";
import type { Clock } from "../sources/current-documents.ts";
import { putNote, removeNote } from "./deploy-note.ts";
import { holdingsFor, type WantedBundle } from "./own-bundles.ts";
import { refuseRecalled } from "./refuse-recalled.ts";
import type { UploadBook } from "./upload-book.ts";
import type { UploadStorage } from "./upload-storage.ts";
import type { Sent } from "./upload-table.ts";
import { readUploadedRecord } from "./uploaded-record.ts";

/** What uploads work with. */
export interface UploadParts {
  readonly book: UploadBook;
  readonly storage: UploadStorage;
  readonly reader: BundleReader;
  readonly clock: Clock;
}

/** What somebody wants to deploy. */
export interface UploadPlan extends WantedBundle {
  readonly skills: readonly NamedSkill[];
}

/** What a skill of the bundle needs. */
export interface NamedSkill {
  readonly record: NamedSize;
  /** All that its record refers to. */
  readonly blobs: readonly NamedSize[];
}

/** An upload that was opened. */
export interface BegunUpload {
  readonly id: string;
  readonly until: number;
  /** Those of the named blobs that have to be sent. */
  readonly send: readonly string[];
}

/** Takes uploads. Made once per isolate. */
export class Uploads {
  readonly #parts: UploadParts;

  constructor(parts: UploadParts) {
    this.#parts = parts;
  }

  /** Those of the named blobs that would have to be sent; opens nothing. */
  async plan(plan: UploadPlan): Promise<readonly string[]> {
    await this.#refuseRecalled(plan);
    return this.#lacking(plan, new Set());
  }

  /** Opens an upload. Throws `bundle-blocked`, `skill-blocked` or `file-blocked` for what was recalled, `target-busy` while bytes are removed, `rate-limited` when too many are open. */
  async begin(plan: UploadPlan): Promise<BegunUpload> {
    const { book, clock } = this.#parts;
    await this.#refuseRecalled(plan);
    const id = crypto.randomUUID();
    const until = await putNote(id, this.#parts);
    if (!(await book.begin(plan.layer, { id, until }, clock()))) {
      await removeNote(id, until, this.#parts);
      throw new SkillsError("rate-limited", `Cannot begin: ${UPLOAD_LIMITS.open} uploads are open already`, {
        retryAfterMs: WORK_MS,
      });
    }
    // What an upload that was interrupted a moment ago has sent counts on.
    const sent = (await book.sent(plan.layer, id, clock())) ?? [];
    return { id, until, send: await this.#lacking(plan, new Set(sent.map(({ digest }) => digest))) };
  }

  /** Takes several blobs. Throws `upload-invalid`, `upload-gone`, `upload-too-large`, `file-blocked`. */
  async take(layer: string, id: string, frames: readonly Frame[]): Promise<void> {
    await this.goOn(layer, id);
    await refuseRecalled(this.#parts.storage, { blobs: frames.map(({ digest }) => digest) });
    const sent = await Promise.all(frames.map((frame) => this.#check(frame)));
    await Promise.all(frames.map(({ digest, bytes }) => this.#parts.storage.put(blobKey(digest), bytes)));
    await this.#write(layer, id, sent);
  }

  /** Takes one large blob as it comes in. Throws as {@link take}. */
  async takeStream(
    layer: string,
    id: string,
    {
      digest,
      size,
      body,
    }: { readonly digest: Digest; readonly size: number; readonly body: ReadableStream<Uint8Array> },
  ): Promise<void> {
    await this.goOn(layer, id);
    await refuseRecalled(this.#parts.storage, { blobs: [digest] });
    if (!(await this.#parts.storage.putStream(blobKey(digest), body, size, hexOf(digest)))) {
      throw new SkillsError("upload-invalid", `Cannot take ${digest}: the bytes are not those of this digest`);
    }
    await this.#write(layer, id, [{ digest, size, record: null }]);
  }

  #refuseRecalled({ bundle, index, skills }: UploadPlan): Promise<void> {
    const blobs = skills.flatMap((skill) => [skill.record, ...skill.blobs].map(([digest]) => digest));
    return refuseRecalled(this.#parts.storage, { bundle, skills: index.skills, blobs });
  }

  /** Makes an open upload last longer before its note runs out. Throws `upload-gone`. */
  async goOn(layer: string, id: string): Promise<void> {
    const { book, clock } = this.#parts;
    const open = await book.find(layer, id, clock());
    if (open === null) {
      throw uploadGone();
    }
    if (open.until - clock() < WORK_MS / 2) {
      // The new note first: there is no moment without one.
      const until = await putNote(id, this.#parts);
      if (!(await book.extend(layer, { id, until }, clock()))) {
        throw uploadGone();
      }
      await removeNote(id, open.until, this.#parts);
    }
  }

  /** Ends an upload, deployed or not; one that is over already is none. */
  async end(layer: string, id: string): Promise<void> {
    const { book, clock } = this.#parts;
    const open = await book.find(layer, id, clock());
    if (open !== null) {
      await book.end(layer, id, clock());
      await removeNote(id, open.until, this.#parts);
    }
  }

  async #lacking(plan: UploadPlan, sent: ReadonlySet<string>): Promise<string[]> {
    const held = await holdingsFor(plan, this.#parts);
    const isHeld = ([digest, size]: NamedSize): boolean =>
      sent.has(digest) || held.sizes.get(digest as Digest) === size || held.blobs.has(digest as Digest);
    // Whoever has a record in a live bundle has all that it refers to.
    const unknown = plan.skills.filter(({ record: [digest] }) => !held.entries.has(digest as Digest));
    const named = unknown.flatMap(({ record, blobs }) => [record, ...blobs]);
    return [...new Set(named.filter((blob) => !isHeld(blob)).map(([digest]) => digest))];
  }

  async #check({ kind, digest, bytes }: Frame): Promise<Sent> {
    if ((await digestOf(bytes)) !== digest) {
      throw new SkillsError("upload-invalid", `Cannot take ${digest}: the bytes are not those of this digest`);
    }
    if (kind === "record" && bytes.byteLength > UPLOAD_LIMITS.recordBytes) {
      throw new SkillsError("upload-too-large", `Cannot take a record of over ${UPLOAD_LIMITS.recordBytes} bytes`);
    }
    const record = kind === "record" ? JSON.stringify(await readUploadedRecord(bytes, digest)) : null;
    return { digest, size: bytes.byteLength, record };
  }

  async #write(layer: string, id: string, sent: readonly Sent[]): Promise<void> {
    const taken = await this.#parts.book.take(layer, id, sent, this.#parts.clock());
    if (taken === "gone") {
      throw uploadGone();
    }
    if (taken === "full") {
      throw new SkillsError(
        "upload-too-large",
        `Cannot take more: a tenant may have sent ${UPLOAD_LIMITS.pendingBytes} bytes that it has not deployed, with ${UPLOAD_LIMITS.pendingNotes} characters of what records refer to`,
      );
    }
  }
}

/** What an upload that is over is answered with. */
export function uploadGone(): SkillsError {
  return new SkillsError(
    "upload-gone",
    "Cannot go on with this upload: it is over. Begin again; what is still sure to be there is not asked for",
  );
}
