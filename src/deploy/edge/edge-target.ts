/** Owns deploying over an edge's own API, as whoever its token is of. The edge keeps the order of writes, notes and history. */
import { decodeIndex } from "../../bundle/index-format.ts";
import { blobKey, indexKey } from "../../bundle/keys.ts";
import { decodePointer, type Pointer } from "../../bundle/pointer-format.ts";
import { NO_BLOCKS } from "../../model/blocks.ts";
import type { Digest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { DEFAULT_PATIENCE, type Patience } from "../cloudflare/patience.ts";
import { mapLimited } from "../map-limited.ts";
import { type DeployTarget, layersIn, type PointerName, type ReadPointer } from "../target.ts";
import { askPatiently } from "./asking.ts";
import type { EdgeApi } from "./edge-api.ts";
import { beginUpload, endUpload, type SentBundle, sendBlobs } from "./edge-delivery.ts";
import { openRecallDesk } from "./edge-recall.ts";

/** Opens an edge as a target; asks nothing yet. */
export function openEdgeTarget(edge: EdgeApi, patience: Patience = DEFAULT_PATIENCE): DeployTarget {
  // An edge gives what a bundle of a history has: what was read before says which one that is.
  const places = new Map<string, string>();
  const delivered = new Map<string, SentBundle>();
  const refused = (what: string): SkillsError => notHere(edge.name, what);

  const listPointers = async (): Promise<readonly PointerName[]> => {
    const { channels } = await askPatiently("list channels", () => edge.ask("GET", "/v1/deploys"), patience);
    return Array.isArray(channels) ? (channels as PointerName[]) : [];
  };

  const readPointer = async (layer: string, channel: string): Promise<ReadPointer> => {
    const path = `/v1/deploys?channel=${channel}&tenant=${layer}`;
    const { version, bundle, history } = await askPatiently("read a channel", () => edge.ask("GET", path), patience);
    if (bundle === null || typeof version !== "string") {
      return { pointer: null, version: null };
    }
    const pointer = decodePointer(new TextEncoder().encode(JSON.stringify({ format: 1, bundle, history })));
    for (const move of pointer.history) {
      places.set(indexKey(move.bundle), `/v1/deploys/${move.bundle}?tenant=${layer}`);
    }
    return { pointer, version };
  };

  const post = async (layer: string, body: object): Promise<true> => {
    await edge.ask("POST", `/v1/deploys?tenant=${layer}`, body);
    return true;
  };

  const get = async (key: string): Promise<Uint8Array | null> => {
    const place = places.get(key);
    if (place === undefined) {
      return null;
    }
    const bytes = await askPatiently("read a bundle", () => edge.read(place), patience).catch(nothing);
    const [path, query] = place.split("?");
    if (bytes !== null && key.startsWith("index/")) {
      for (const { record } of decodeIndex(bytes).skills) {
        places.set(blobKey(record), `${path}/records/${record}?${query}`);
      }
    }
    return bytes;
  };

  return {
    name: edge.name,
    get,
    readPointer,
    listPointers,
    async listLayers(channel) {
      return layersIn(await listPointers(), channel);
    },

    async deliver(bundles, goal) {
      const sent = await mapLimited(1, bundles, (bundle) => beginUpload(edge, bundle, goal, patience));
      for (const one of sent) {
        delivered.set(deliveryKey(one.bundle.name, one.bundle.digest), one);
      }
      return {
        due: dueOf(sent),
        async send(onTaken) {
          let taken = 0;
          for (const one of sent) {
            await sendBlobs(edge, one, patience, (blobs) => {
              taken += blobs;
              onTaken(taken);
            });
            const { name, digest } = one.bundle;
            const { pointer, version } = await readPointer(name, goal.channel);
            if (goal.upload === "all" && pointer?.bundle === digest) {
              // Its pointer stays; the edge writes the index again.
              await post(name, { channel: goal.channel, expected: version, ...contentOf(one) });
            }
          }
        },
        async end() {
          await Promise.all(sent.map((one) => endUpload(edge, one)));
          for (const { bundle } of sent) {
            delivered.delete(deliveryKey(bundle.name, bundle.digest));
          }
        },
      };
    },

    async writePointer(layer, channel, pointer, version) {
      const [move] = pointer.history;
      if (move === undefined) {
        throw refused("Shortening a history");
      }
      const { bundle, reason, by, commit } = move;
      const one = delivered.get(deliveryKey(layer, bundle));
      const what = one ? contentOf(one) : { bundle };
      const body = { channel, expected: version, ...what, reason, by, ...(commit === undefined ? {} : { commit }) };
      const isOurs = async (): Promise<boolean> => isMoved((await readPointer(layer, channel)).pointer, pointer);
      const ask = (): Promise<boolean> => post(layer, body);
      return askPatiently("move a channel", ask, patience, ({ code }, isUncertain) => {
        if (code !== "deploy-conflict" && !(isUncertain && code === "upload-gone")) {
          return null;
        }
        // What an earlier try did may be what stands in the way.
        return isUncertain ? isOurs() : Promise.resolve(false);
      });
    },

    // The edge itself refuses what was recalled, and writes the list into the pointers it moves; only its operator may read it.
    readBlockList: async () => ({ list: NO_BLOCKS, version: null }),
    writeBlockList: () => Promise.reject(refused("Writing the block list")),
    recall: openRecallDesk(edge, patience),
    work: { put: async () => undefined, list: async () => [], remove: async () => undefined },
    missing: () => Promise.reject(refused("Looking for single blobs")),
    put: () => Promise.reject(refused("Writing single blobs")),
    keys: () => Promise.reject(refused("Pruning")),
    remove: () => Promise.reject(refused("Pruning")),
    removePointer: () => Promise.reject(refused("Dropping a channel")),
    tokensOf: () => Promise.reject(refused("Keeping tokens")),
    close: async () => undefined,
  };
}

function notHere(name: string, what: string): SkillsError {
  return new SkillsError("usage", `${what} is not possible over ${name}`, {
    hint: "an edge's API is for its tenants; the operator works on its storage, with --target cloudflare",
  });
}

function deliveryKey(layer: string, bundle: Digest): string {
  return `${layer}/${bundle}`;
}

function contentOf({ upload, bundle }: SentBundle): { readonly upload: string | null; readonly index: string } {
  return { upload, index: new TextDecoder().decode(bundle.index) };
}

function dueOf(sent: readonly SentBundle[]): { readonly blobs: number; readonly bytes: number } {
  const sizes = new Map<Digest, number>();
  for (const { bundle, send } of sent) {
    for (const digest of send) {
      sizes.set(digest, bundle.blobs.get(digest)?.byteLength ?? 0);
    }
  }
  return { blobs: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
}

/** Whether the head of a history is the wanted move over the same history. */
function isMoved(pointer: Pointer | null, wanted: Pointer): boolean {
  const [head, before] = pointer?.history ?? [];
  const [wantedHead, wantedBefore] = wanted.history;
  return head?.bundle === wantedHead?.bundle && head?.reason === wantedHead?.reason && before?.at === wantedBefore?.at;
}

/** What is not there any more. */
function nothing(error: unknown): null {
  if (SkillsError.is(error) && (error.code === "bundle-unknown" || error.code === "bundle-gone")) {
    return null;
  }
  throw error;
}
