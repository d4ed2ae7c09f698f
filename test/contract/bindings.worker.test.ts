import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { AgentSkillsSource } from "../../src/model/skill.ts";
import type { BlobStore } from "../../src/sources/blob-store.ts";
import { createKvStore, type KvReader } from "../../src/sources/kv-store.ts";
import { createPackedSource } from "../../src/sources/packed-source.ts";
import { createR2Store } from "../../src/sources/r2-store.ts";
import { createTieredStore } from "../../src/sources/tiered-store.ts";
import { failureOf } from "../helpers/error-code.ts";
import { packSkills, pointerEntry, type SkillSpec } from "../helpers/pack-skills.ts";
import { describeBlobStore, type StoreUnderTest } from "./blob-store.contract.ts";
import { describeSource } from "./source.contract.ts";

const { SKILLS_KV: kv, SKILLS_R2: r2 } = env;

const putKv = (key: string, bytes: Uint8Array): Promise<void> => kv.put(key, bytes);
const putR2 = async (key: string, bytes: Uint8Array): Promise<void> => {
  await r2.put(key, bytes);
};

const STORES: Readonly<Record<string, StoreUnderTest>> = {
  "createKvStore()": { store: createKvStore(kv), put: putKv },
  "createR2Store()": { store: createR2Store(r2), put: putR2 },
  "createTieredStore(kv, r2)": {
    store: createTieredStore(createKvStore(kv), createR2Store(r2)),
    put: (key, bytes) => (key.startsWith("channel/") ? putR2(key, bytes) : putKv(key, bytes)),
  },
};

/** A source of these skills on a layer of its own, since the bindings are the same for all tests of a file. */
async function sourceOver({ store, put }: StoreUnderTest, skills: readonly SkillSpec[]): Promise<AgentSkillsSource> {
  const layer = `layer-${crypto.randomUUID().slice(0, 8)}`;
  const { bundle, entries } = await packSkills(skills);
  await Promise.all([...entries, pointerEntry(layer, "live", bundle)].map(([key, bytes]) => put(key, bytes)));
  return createPackedSource(store, { layer });
}

for (const [name, tested] of Object.entries(STORES)) {
  describeBlobStore({ name, create: async () => tested });
  describeSource({ name: `createPackedSource() over ${name}`, create: (skills) => sourceOver(tested, skills) });
}

/** A KV namespace that notes how it is read and misses a key as often as it is told. */
class LateKv {
  readonly reads: object[] = [];
  misses: number;

  constructor(misses: number) {
    this.misses = misses;
  }

  readonly get = async (_key: string, options: object): Promise<ArrayBuffer | null> => {
    this.reads.push(options);
    return this.misses-- > 0 ? null : new ArrayBuffer(2);
  };
}

const asKv = (late: LateKv): KvReader => late as unknown as KvReader;

const YEAR = { type: "arrayBuffer", cacheTtl: 31_536_000 };
const SHORTEST = { type: "arrayBuffer", cacheTtl: 30 };

describe("createKvStore()", () => {
  it("reads an immutable key with a year's cacheTtl", async () => {
    const late = new LateKv(0);
    await createKvStore(asKv(late)).getImmutable("blob/a");
    expect(late.reads).toEqual([YEAR]);
  });

  it("reads a miss once more with the shortest cacheTtl before it believes it", async () => {
    const [late, absent] = [new LateKv(1), new LateKv(2)];
    expect(await createKvStore(asKv(late)).getImmutable("blob/a")).toEqual(new Uint8Array(2));
    expect(await createKvStore(asKv(absent)).getImmutable("blob/a")).toBeNull();
    expect([late.reads, absent.reads]).toEqual([
      [YEAR, SHORTEST],
      [YEAR, SHORTEST],
    ]);
  });

  it("reads a pointer with the shortest cacheTtl, and believes a miss", async () => {
    const late = new LateKv(1);
    expect(await createKvStore(asKv(late)).getCurrent("channel/a/live")).toBeNull();
    expect(late.reads).toEqual([SHORTEST]);
  });
});

describe("a store whose storage fails", () => {
  const cause = new Error("the network is down");
  const rejects = async (): Promise<never> => {
    throw cause;
  };
  const throws = (): never => {
    throw cause;
  };
  const stores: { name: string; what: string; store: BlobStore }[] = [
    { name: "createKvStore()", what: "KV key", store: createKvStore({ get: rejects } as unknown as KvReader) },
    { name: "createKvStore(), at once", what: "KV key", store: createKvStore({ get: throws } as unknown as KvReader) },
    { name: "createR2Store()", what: "R2 object", store: createR2Store({ get: rejects } as unknown as R2Bucket) },
    {
      name: "createR2Store(), at once",
      what: "R2 object",
      store: createR2Store({ get: throws } as unknown as R2Bucket),
    },
    {
      name: "createR2Store(), while the body is read",
      what: "R2 object",
      store: createR2Store({ get: async () => ({ arrayBuffer: rejects }) } as unknown as R2Bucket),
    },
  ];

  it.each(stores)("throws storage-unavailable with the cause: $name", async ({ what, store }) => {
    for (const read of [() => store.getImmutable("blob/a"), () => store.getCurrent("blob/a")]) {
      const failure = await failureOf(read);
      expect([failure.code, failure.message, failure.cause]).toEqual([
        "storage-unavailable",
        `Cannot read ${what} "blob/a"`,
        cause,
      ]);
    }
  });
});

describe("createTieredStore()", () => {
  it("reads what is too large for KV from R2, and pointers from R2 only", async () => {
    const { store } = STORES["createTieredStore(kv, r2)"] as StoreUnderTest;
    await r2.put("blob/large", Uint8Array.of(1));
    await kv.put("channel/old/live", Uint8Array.of(2));
    expect(await store.getImmutable("blob/large")).toEqual(Uint8Array.of(1));
    expect(await store.getCurrent("channel/old/live")).toBeNull();
  });
});
