import { beforeAll, describe, expect, it } from "vitest";
import { SkillsError } from "../../src/model/errors.ts";
import { CountingStore } from "../helpers/counting-store.ts";
import { liveEntries } from "../helpers/pack-skills.ts";
import { bareApp } from "./support/app.ts";
import { createToken, tenancyOver } from "./support/edge.ts";
import { problem, problemOf } from "./support/problem.ts";

const DOWN = new SkillsError("storage-unavailable", "Cannot read KV key at 10.0.0.7", { cause: new Error("secret") });

let token = "";

beforeAll(async () => {
  token = await createToken("platform");
});

/** An edge over storage that a test can take down, with a clock that it moves. */
async function scene() {
  const store = new CountingStore(await liveEntries([{ name: "first" }, { name: "second" }]));
  const clock = { now: 0 };
  const { app, logged } = bareApp(tenancyOver(store, { clock: () => clock.now }));
  const get = async (path: string): Promise<Response> =>
    app.request(`https://edge.test${path}`, { headers: { Authorization: `Bearer ${token}` } });
  return { store, clock, logged, get };
}

describe("while storage fails", () => {
  it("answers 503 with nothing of the inside where nothing is known, and logs it", async () => {
    const { store, logged, get } = await scene();
    store.failure = DOWN;
    expect(await problemOf(await get("/v1/skills"))).toEqual(
      problem(503, "storage-unavailable", "Storage is not available", "Storage is not available"),
    );
    expect(logged).toEqual([DOWN.message]);
    store.failure = null;
    expect((await get("/v1/skills")).status).toBe(200);
  });

  it("answers what is known, and says so in X-Skills-Stale", async () => {
    const { store, clock, get } = await scene();
    const before = await get("/v1/skills/first");
    store.failure = DOWN;
    clock.now += 60_000;
    const [known, unknown] = [await get("/v1/skills/first"), await get("/v1/skills/second")];
    expect([before, known].map((response) => response.headers.get("X-Skills-Stale"))).toEqual([null, "true"]);
    expect(await known.json()).toEqual(await before.json());
    expect(unknown.status).toBe(503);
  });

  it("answers 500 with nothing of the inside for what nobody thought of, and logs it", async () => {
    const { store, logged, get } = await scene();
    store.failure = new TypeError("secret words");
    const answer = await problemOf(await get("/v1/skills"));
    expect(answer).toEqual(problem(500, "internal", "Something went wrong here", "Something went wrong here"));
    expect(logged).toEqual(["secret words"]);
  });
});
