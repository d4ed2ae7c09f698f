import { beforeAll, describe, expect, it } from "vitest";
import type { PackedLayer } from "../helpers/pack-skills.ts";
import { ask, call, createToken, deploySkills } from "./support/edge.ts";
import { problem, problemOf } from "./support/problem.ts";

/** A tenant whose channel was moved from one bundle to another, as two isolates would name its snapshots. */
let before = "";
let after = "";
let first: PackedLayer;
let token = "";

beforeAll(async () => {
  await deploySkills("platform", [{ name: "common" }]);
  first = await deploySkills("mover", [{ name: "rules", body: "first\n", files: [{ path: "a.md", content: "1\n" }] }]);
  await deploySkills(
    "mover",
    [{ name: "rules", body: "second\n", files: [{ path: "a.md", content: "2\n" }] }],
    [first.bundle],
  );
  token = await createToken("mover");
  after = (await ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
  const firstBundle = first.bundle.slice("sha256:".length, "sha256:".length + 32);
  before = after
    .split(".")
    .map((part, i) => (i === 2 ? firstBundle : part))
    .join(".");
});

function pinned(bundle: string): { headers: Record<string, string> } {
  return { headers: { "X-Skills-Bundle": bundle } };
}

describe("X-Skills-Bundle", () => {
  it("keeps every read and every call on the snapshot it names", async () => {
    for (const [bundle, text, number] of [
      [before, "first", "1"],
      [after, "second", "2"],
    ] as const) {
      const [document, file, loaded, context] = [
        await ask(token, "/v1/skills/rules", pinned(bundle)),
        await ask(token, "/v1/skills/rules/files/a.md", pinned(bundle)),
        await call(token, "load_skill", { skill_name: "rules" }, pinned(bundle)),
        await ask(token, "/v1/context", pinned(bundle)),
      ];
      expect([document, file, loaded, context].map((response) => response.headers.get("X-Skills-Bundle"))).toEqual(
        Array.from({ length: 4 }, () => bundle),
      );
      expect(await document.json()).toMatchObject({ bundle, body: `${text}\n` });
      expect(await file.text()).toBe(`${number}\n`);
      expect(await loaded.json()).toMatchObject({ bundle, content: expect.stringContaining(`\n${text}\n`) });
      expect(await context.json()).toMatchObject({ bundle });
    }
  });

  it("gives another entity tag for another snapshot's document", async () => {
    const tags = [before, after].map(async (bundle) =>
      (await ask(token, "/v1/skills/rules", pinned(bundle))).headers.get("ETag"),
    );
    expect(new Set(await Promise.all(tags)).size).toBe(2);
  });

  it("is a cursor's too: a later page stays on the snapshot of the first", async () => {
    const page = await ask(token, "/v1/skills?limit=1", pinned(before));
    const { next_cursor } = (await page.json()) as { next_cursor: string };
    const next = await ask(token, `/v1/skills?limit=1&cursor=${encodeURIComponent(next_cursor)}`);
    expect(await next.json()).toMatchObject({ bundle: before, skills: [{ name: "rules" }], next_cursor: null });
  });

  it.each([
    "nonsense",
    "v1.none",
    "v1.none.none",
    `v1.none.${"0".repeat(32)}.none`,
    `v1.${"0".repeat(32)}.none.none`,
    `v1.none.none.${"0".repeat(32)}`,
  ])("answers 409 bundle-gone for %j, at every door", async (bundle) => {
    const gone = problem(
      409,
      "bundle-gone",
      "Bundle is no longer kept",
      "Cannot use this bundle: it is not among those kept for your skills. Begin again without X-Skills-Bundle",
    );
    const paths = [
      "/v1/context",
      "/v1/skills",
      "/v1/skills/rules",
      "/v1/skills/nothing",
      "/v1/skills/rules/files/a.md",
    ];
    const answers = [
      ...paths.map((path) => ask(token, path, pinned(bundle))),
      call(token, "load_skill", { skill_name: "rules" }, pinned(bundle)),
      ask(token, `/v1/skills?cursor=${encodeURIComponent(btoa(JSON.stringify({ b: bundle, n: 0 })))}`),
    ];
    for (const answer of answers) {
      expect(await problemOf(await answer)).toEqual(gone);
    }
  });
});
