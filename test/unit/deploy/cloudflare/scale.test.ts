import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bulks } from "../../../../src/deploy/cloudflare/kv-rest.ts";
import { deploy } from "../../../../src/deploy/deploy.ts";
import { openTargetOn } from "../../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn, type SeenRequest } from "../../../helpers/cloudflare/stand-in.ts";
import { layerOf } from "../../../helpers/deployable.ts";
import type { SkillSpec } from "../../../helpers/pack-skills.ts";

const SKILLS = 2_000;
const OPTIONS = { channel: "live", by: "test", now: () => new Date() };

const skills = (changed: string): SkillSpec[] =>
  Array.from({ length: SKILLS }, (_, i) => ({
    name: `skill-${i}`,
    body: `Steps of ${i}.\n`,
    files: [{ path: "references/notes.md", content: `notes of ${i}${i === 1_234 ? changed : ""}` }],
  }));

let standIn: CloudflareStandIn;
beforeAll(async () => {
  standIn = await CloudflareStandIn.start();
});
afterAll(() => standIn.stop());

async function deployed(changed: string) {
  standIn.seen.length = 0;
  const report = await deploy(await openTargetOn(standIn), [await layerOf("platform", skills(changed))], OPTIONS);
  return { report, seen: [...standIn.seen] };
}

const bulkPuts = (seen: readonly SeenRequest[]) =>
  seen.filter(({ method, path }) => method === "PUT" && path === "bulk");
const pointerPuts = (seen: readonly SeenRequest[]) =>
  seen.filter(({ method, path }) => method === "PUT" && path === "channel/platform/live");

describe(`deploy() of ${SKILLS} skills to Cloudflare`, { timeout: 60_000 }, () => {
  it("sends blobs in bulks, nothing when nothing has changed, and of one changed file what depends on it", async () => {
    const first = await deployed("");
    expect(first.report.blobs.uploaded).toBe(SKILLS * 3);
    // 6,000 blobs by 1,000, and one index.
    expect(bulkPuts(first.seen)).toHaveLength(7);
    expect(first.seen.length).toBeLessThan(30);

    const again = await deployed("");
    expect(again.report.blobs).toEqual({ uploaded: 0, unchanged: SKILLS * 3, bytes: 0 });
    expect(again.seen.filter(({ method }) => method !== "GET")).toEqual([]);

    const changed = await deployed(", changed");
    expect(changed.report.blobs.uploaded).toBe(2);
    expect([bulkPuts(changed.seen).length, pointerPuts(changed.seen).length]).toEqual([2, 1]);
    const bytes = (seen: readonly SeenRequest[]) => seen.reduce((sum, request) => sum + request.bytes, 0);
    const told = Object.entries({ first, again, changed }).map(
      ([name, { seen }]) => `${name}: ${seen.length} requests, ${bytes(seen)} bytes`,
    );
    console.log(told.join("; "));
  });
});

describe("bulks()", () => {
  const entry = (bytes: number) => ({ key: "blob/x", bytes: new Uint8Array(bytes) });

  it("is bounded by count and by bytes; what is larger than a bulk goes alone", () => {
    const MB = 1024 * 1024;
    expect(bulks([])).toEqual([]);
    expect(bulks(Array.from({ length: 2_001 }, () => entry(1))).map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
    const sizes = [12, 8, 1, 24, 20, 1].map((size) => entry(size * MB));
    expect(bulks(sizes).map((bulk) => bulk.map(({ bytes }) => bytes.byteLength / MB))).toEqual([
      [12, 8],
      [1],
      [24],
      [20],
      [1],
    ]);
  });
});
