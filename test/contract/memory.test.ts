import { createMemoryStore } from "../../src/sources/memory-store.ts";
import { createPackedSource } from "../../src/sources/packed-source.ts";
import { liveEntries } from "../helpers/pack-skills.ts";
import { describeBlobStore } from "./blob-store.contract.ts";
import { describeSource } from "./source.contract.ts";

describeBlobStore({
  name: "createMemoryStore()",
  create: async () => {
    const entries = new Map<string, Uint8Array>();
    return {
      store: createMemoryStore(entries),
      put: async (key, bytes) => {
        entries.set(key, bytes);
      },
    };
  },
});

describeSource({
  name: "createPackedSource() over memory",
  create: async (skills) => createPackedSource(createMemoryStore(await liveEntries(skills))),
});
