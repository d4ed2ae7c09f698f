/** Owns recalling over an edge's own API. The edge changes its list, and brings it to its pointers a page of them at a time. */
import type { Block, BlockList } from "../../model/blocks.ts";
import type { Digest } from "../../model/digest.ts";
import type { Patience } from "../cloudflare/patience.ts";
import type { RecallDesk } from "../target.ts";
import { askPatiently } from "./asking.ts";
import type { EdgeApi } from "./edge-api.ts";

/** Opens it; asks nothing yet. */
export function openRecallDesk(edge: EdgeApi, patience: Patience): RecallDesk {
  const ask = (method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Record<string, unknown>> =>
    askPatiently("recall", () => edge.ask(method, path, body), patience);

  /** Brings the list to the pointers that an answer left out. */
  const spread = async (answer: Record<string, unknown>): Promise<void> => {
    for (let { next } = answer; typeof next === "string"; ) {
      ({ next } = await ask("POST", "/v1/blocks/spread", { after: next }));
    }
  };

  return {
    async list() {
      const { seq, blocks } = await ask("GET", "/v1/blocks");
      return { seq, blocks } as unknown as BlockList;
    },
    async add(digest: Digest, blocks: readonly Block[]) {
      const [{ reason, by } = { reason: "", by: "" }] = blocks;
      const along = blocks.flatMap((block) => (block.with === digest ? [block.digest] : []));
      await spread(await ask("POST", "/v1/blocks", { digest, reason, by, along }));
    },
    async lift(digest: Digest) {
      await spread(await ask("DELETE", `/v1/blocks/${digest}`));
    },
  };
}
