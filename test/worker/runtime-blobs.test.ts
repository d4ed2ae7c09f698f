/** Owns files of skills put at run time that nothing needs any more: removed in time, never one that a kept state needs, never while they come back. */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { IndexEntry } from "../../src/bundle/index-format.ts";
import { blobKey, runtimeKey, WORK_MS } from "../../src/bundle/keys.ts";
import { HISTORY_LENGTH } from "../../src/bundle/pointer-format.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { tenantObject } from "./support/edge.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problemOf } from "./support/problem.ts";

let edges = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number): void => {
  vi.setSystemTime(Date.now() + ms);
};

async function scene() {
  const edge = new PrivateEdge(`runtime-blobs-${edges++}`, {});
  const { token } = await edge.token("acme", ["read", "write"]);
  const put = (name: string, files: Readonly<Record<string, string>>, description = "Put.") => {
    const all = { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n`, ...files };
    const body = { files: Object.entries(all).map(([path, content]) => ({ path, content })) };
    return edge.ask(token, `/v1/runtime/skills/${name}`, { method: "PUT", body: JSON.stringify(body) });
  };
  const keyOf = async (text: string): Promise<string> => runtimeKey("acme", blobKey(await digestOf(text)));
  /** Changes until what was live before is in no kept state, then once more when its time is up. */
  const age = async (): Promise<void> => {
    for (let change = 0; change <= HISTORY_LENGTH; change++) {
      await put("busy", {}, `Change ${change} of ${Date.now()}.`);
    }
    pass(WORK_MS);
  };
  return { edge, token, put, keyOf, age };
}

describe("a file of a skill put at run time", () => {
  it("is removed once no kept state has needed it for 10 minutes; what others need stays", {
    timeout: 60_000,
  }, async () => {
    const { edge, token, put, keyOf, age } = await scene();
    await put("one", { "own.md": "own\n", "shared.md": "shared\n" });
    await put("two", { "shared.md": "shared\n" });
    expect((await edge.ask(token, "/v1/runtime/skills/one", { method: "DELETE" })).status).toBe(204);
    const [own, shared] = [await keyOf("own\n"), await keyOf("shared\n")];
    await age();
    expect(await edge.keys("runtime/acme/")).toContain(own);
    await put("busy", {}, "The last one.");
    await vi.waitFor(async () => expect(await edge.keys("runtime/acme/")).not.toContain(own), { timeout: 20_000 });
    expect(await edge.keys("runtime/acme/")).toContain(shared);
    edge.forget();
    expect(await (await edge.ask(token, "/v1/skills/two/files/shared.md")).text()).toBe("shared\n");
    // It may come again.
    expect((await put("one", { "own.md": "own\n" })).status).toBe(200);
    edge.forget();
    expect(await (await edge.ask(token, "/v1/skills/one/files/own.md")).text()).toBe("own\n");
  });

  it("is not taken while it is being removed, and told when to come back", async () => {
    const { edge, put } = await scene();
    const tenant = edge.tenant("acme");
    const digest = await digestOf("own\n");
    await tenant.announceRuntimeBlobs([digest], Date.now());
    pass(WORK_MS);
    expect(await tenant.claimRuntimeBlobs(Date.now())).toEqual([]);
    pass(WORK_MS);
    expect(await tenant.claimRuntimeBlobs(Date.now())).toEqual([digest]);
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const refused = await put("one", { "own.md": "own\n" });
    said.mockRestore();
    expect([await problemOf(refused), refused.headers.get("Retry-After")]).toMatchObject([
      { status: 503, body: { code: "storage-unavailable" } },
      "600",
    ]);
    await tenant.forgetRuntimeBlobs([digest]);
    expect((await put("one", { "own.md": "own\n" })).status).toBe(200);
  });
});

/** A change of a tenant's: a skill with some files is put or deleted, or somebody sends files and never the skill; then time goes by. */
const change = fc.record({
  kind: fc.constantFrom("put", "put", "put", "delete", "begun only"),
  skill: fc.nat(3),
  files: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 4 }),
  minutes: fc.constantFrom(0, 0, 1, 6, 11),
});

describe("RuntimeBlobs", () => {
  it("never lets go what a kept state needs, and in the end lets go all else", { timeout: 120_000 }, async () => {
    const digests = await Promise.all(Array.from({ length: 40 }, (_, i) => digestOf(`blob ${i}`)));
    const fileOf = (i: number): Digest => digests[i] ?? expect.fail();
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 55, maxLength: 90 }), async (changes) => {
        const tenant = tenantObject(`blobs-${edges++}`);
        const stored = new Set<Digest>();
        const states: ReadonlyMap<number, readonly Digest[]>[] = [new Map()];
        let now = 1_000_000;
        /** What the kept states need. */
        const needed = () => new Set(states.slice(-HISTORY_LENGTH).flatMap((state) => [...state.values()].flat()));
        const sweep = async (): Promise<void> => {
          const gone = await tenant.claimRuntimeBlobs(now);
          const kept = needed();
          expect(gone.filter((digest) => kept.has(digest))).toEqual([]);
          for (const digest of gone) {
            stored.delete(digest);
          }
          await tenant.forgetRuntimeBlobs(gone);
        };
        const put = async (skill: number, needs: readonly Digest[], isWhole: boolean): Promise<void> => {
          expect(await tenant.announceRuntimeBlobs(needs, now)).toBe(true);
          for (const digest of needs) {
            stored.add(digest);
          }
          if (isWhole) {
            await tenant.putRuntimeSkill(entryOf(skill, needs[0] ?? expect.fail()), needs, now);
            states.push(new Map([...(states.at(-1) ?? []), [skill, needs]]));
          }
        };
        for (const { kind, skill, files, minutes } of changes) {
          if (kind === "delete") {
            if ((await tenant.deleteRuntimeSkill(`skill-${skill}`, now)) !== null) {
              states.push(new Map([...(states.at(-1) ?? [])].filter(([name]) => name !== skill)));
            }
          } else {
            // The record is the first: which files it has is part of it.
            const record = await digestOf(`${skill} ${files.join(",")}`);
            await put(skill, [record, ...files.map(fileOf)], kind === "put");
          }
          now += minutes * 60_000;
          await sweep();
        }
        for (let turn = 0; turn <= HISTORY_LENGTH; turn++) {
          await put(9, [fileOf(20 + (turn % 2)), fileOf(10 + (turn % 2))], true);
        }
        for (let round = 0; round < 4; round++) {
          now += WORK_MS;
          await sweep();
        }
        expect([...stored].sort()).toEqual([...needed()].sort());
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });
});

function entryOf(skill: number, record: Digest): IndexEntry {
  const counts = { resources: 0, scripts: 0, runnable: 0 };
  return { name: `skill-${skill}`, description: "Put.", digest: record, record, ...counts };
}
