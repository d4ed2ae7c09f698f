/** Sends bundles to the edge's upload API by hand, so that a test can lie at any step. */
import { decodeIndex, type IndexEntry } from "../../../src/bundle/index-format.ts";
import { blobKey } from "../../../src/bundle/keys.ts";
import { decodeRecord } from "../../../src/bundle/record-format.ts";
import { neededBy } from "../../../src/bundle/record-needs.ts";
import { encodeFrames, type Frame } from "../../../src/bundle/upload-frames.ts";
import { type Digest, digestFromHash } from "../../../src/model/digest.ts";
import { type PackedLayer, packSkills, type SkillSpec } from "../../helpers/pack-skills.ts";

/** A bundle to send. */
export interface Bundle extends PackedLayer {
  /** The text of its index. */
  readonly index: string;
  readonly entries: ReadonlyMap<string, Uint8Array>;
  /** Its blobs as frames; records are told apart. */
  readonly frames: readonly Frame[];
}

/** Asks the edge with a token. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

export async function bundleOf(skills: readonly SkillSpec[]): Promise<Bundle> {
  const packed = await packSkills(skills);
  const text = [...packed.entries].find(([key]) => key.startsWith("index/"))?.[1];
  const index = new TextDecoder().decode(text);
  const records = new Set(skillsOf(index).map(({ record }) => blobKey(record)));
  const frames = [...packed.blobs].map(([key, bytes]) => ({
    kind: records.has(key) ? ("record" as const) : ("blob" as const),
    digest: digestOfKey(key),
    bytes,
  }));
  return { ...packed, index, frames };
}

function skillsOf(index: string): readonly IndexEntry[] {
  return decodeIndex(new TextEncoder().encode(index)).skills;
}

function digestOfKey(key: string): Digest {
  const hex = key.slice("blob/".length);
  return digestFromHash(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}

/** The body of a `POST /v1/uploads` for a bundle. */
export function planOf({ index, frames }: Bundle, channel = "live"): Record<string, unknown> {
  const bytesOf = new Map(frames.map(({ digest, bytes }) => [digest, bytes]));
  const skills = skillsOf(index).map(({ record }) => {
    const bytes = bytesOf.get(record) ?? new Uint8Array();
    const { files, blobs } = neededBy(decodeRecord(bytes).record);
    const others = blobs.map((digest) => [digest, bytesOf.get(digest)?.byteLength ?? 0]);
    return { record: [record, bytes.byteLength], blobs: [...files.map((file) => [file.digest, file.size]), ...others] };
  });
  return { format: 1, channel, index, skills };
}

export interface Begun {
  readonly upload: string;
  readonly expires_at: string;
  readonly send: readonly string[];
}

export const post = (send: Send, path: string, body: unknown): Promise<Response> =>
  send(path, { method: "POST", body: JSON.stringify(body) });

export async function begin(send: Send, bundle: Bundle, channel = "live"): Promise<Begun> {
  return (await post(send, "/v1/uploads", planOf(bundle, channel))).json();
}

export const sendFrames = (send: Send, upload: string, frames: readonly Frame[]): Promise<Response> =>
  send(`/v1/uploads/${upload}/blobs`, { method: "POST", body: encodeFrames(frames) });

/** Sends what is asked for and moves the channel; the answer of the last step. */
export async function deployBundle(send: Send, bundle: Bundle, channel = "live"): Promise<Response> {
  const { upload, send: wanted } = await begin(send, bundle, channel);
  const frames = bundle.frames.filter(({ digest }) => wanted.includes(digest));
  const taken = await sendFrames(send, upload, frames);
  if (!taken.ok) {
    return taken;
  }
  const { version }: { version: string | null } = await (await send(`/v1/deploys?channel=${channel}`)).json();
  return post(send, "/v1/deploys", { channel, expected: version, upload, index: bundle.index, by: "ada" });
}
