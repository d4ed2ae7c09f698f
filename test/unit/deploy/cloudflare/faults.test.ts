import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WORK_MS } from "../../../../src/bundle/keys.ts";
import { deploy } from "../../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../../src/deploy/deployable.ts";
import { prune } from "../../../../src/deploy/prune.ts";
import { LAG_MS } from "../../../../src/deploy/work.ts";
import { openTargetOn, patienceOn } from "../../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn, type Fault } from "../../../helpers/cloudflare/stand-in.ts";
import { layerOf, readWhole } from "../../../helpers/deployable.ts";
import { codeOf, failureOf } from "../../../helpers/error-code.ts";
import type { SkillSpec } from "../../../helpers/pack-skills.ts";

/** As many calls as a deploy has under way at once (cloudflare-target.ts). */
const CALLS_AT_ONCE = 6;

/** When a deploy is; each test begins a day later, so that notes of the one before have run out. */
let day = 0;
const now = () => new Date(day * 86_400_000);
const options = () => ({ channel: "live", by: "test", now });
const LAYERS = ["platform", "acme"] as const;

function skills(version: string): SkillSpec[] {
  return ["alpha", "beta"].map((name) => ({
    name,
    body: `${name} ${version}\n`,
    files: [{ path: "references/big.md", content: `${name} ${version} ${"x".repeat(20_000)}` }],
  }));
}
const layersOf = (version: string): Promise<DeployableLayer[]> =>
  Promise.all(LAYERS.map((name) => layerOf(name, skills(`${name} ${version}`))));

let standIn: CloudflareStandIn;
/** As it was before each test: `before` is live. */
let initial: CloudflareStandIn;
let before: DeployableLayer[];
let after: DeployableLayer[];
let views: { readonly before: unknown; readonly after: unknown };
/** Requests of a deploy of `after` over `before` that nothing disturbs. */
let requests = 0;

const seenBy = (server: CloudflareStandIn): Promise<unknown[]> =>
  Promise.all(LAYERS.map((layer) => readWhole(server.readers(), layer)));

beforeAll(async () => {
  [standIn, initial, before, after] = await Promise.all([
    CloudflareStandIn.start(),
    CloudflareStandIn.start(),
    layersOf("before"),
    layersOf("after"),
  ]);
  await deploy(await openTargetOn(initial), before, options());
  standIn.copyFrom(initial);
  await deploy(await openTargetOn(standIn), after, options());
  requests = standIn.seen.length;
  views = { before: await seenBy(initial), after: await seenBy(standIn) };
});
afterAll(() => Promise.all([standIn.stop(), initial.stop()]));
beforeEach(() => {
  day++;
  standIn.copyFrom(initial);
  standIn.fault = () => null;
  standIn.listed = null;
});

/** `before` or `after` of each layer; fails on anything half. */
async function seen(): Promise<string[]> {
  return (await seenBy(standIn)).map((view, i) => {
    const [old, fresh] = [views.before, views.after].map((all) => (all as unknown[])[i]);
    const isAfter = JSON.stringify(view) === JSON.stringify(fresh);
    expect(view).toEqual(isAfter ? fresh : old);
    return isAfter ? "after" : "before";
  });
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "429 with Retry-After": { kind: "status", status: 429, retryAfter: 7 },
  "429 without": { kind: "status", status: 429 },
  "500": { kind: "status", status: 500 },
  "503 with Retry-After": { kind: "status", status: 503, retryAfter: 2 },
  "524": { kind: "status", status: 524 },
  "a connection dropped before": { kind: "drop", when: "before" },
  "a connection dropped after": { kind: "drop", when: "after" },
  "an answer cut short": { kind: "cut" },
  "no answer in time": { kind: "slow" },
  "a bulk write done by half": { kind: "partial" },
};

const patience = () => ({ ...patienceOn(standIn), timeoutMs: 1_000 });

describe("deploy() to Cloudflare", { timeout: 120_000 }, () => {
  it.each(Object.entries(FAULTS))("finishes in spite of one fault at any call: %s", async (_, fault) => {
    // Every call in turn; slow ones only at some, they take their time.
    const calls = Array.from({ length: requests }, (_, at) => at).filter((at) => fault.kind !== "slow" || at % 6 === 0);
    for (const call of calls) {
      standIn.copyFrom(initial);
      day++;
      standIn.fault = (at) => (at === call ? fault : null);
      await deploy(await openTargetOn(standIn, patience()), after, options());
      expect([call, ...(await seen())]).toEqual([call, "after", "after"]);
    }
  });

  it.each([
    ["all answers are 500", { kind: "status", status: 500 }],
    ["all connections drop before", { kind: "drop", when: "before" }],
    ["all connections drop after", { kind: "drop", when: "after" }],
  ] satisfies [string, Fault][])(
    "fails when from some call on %s: readers see one whole bundle, the next deploy finishes",
    async (_, fault) => {
      const ends: string[] = [];
      for (let call = 0; call < requests; call++) {
        standIn.copyFrom(initial);
        day++;
        standIn.fault = (at) => (at >= call ? fault : null);
        const code = await codeOf(async () => deploy(await openTargetOn(standIn, patience()), after, options()));
        ends.push(code);
        await seen();
        standIn.fault = () => null;
        await deploy(await openTargetOn(standIn, patience()), after, options());
        expect([call, ...(await seen())]).toEqual([call, "after", "after"]);
      }
      expect(new Set(ends)).toEqual(new Set(["storage-unavailable"]));
    },
  );

  it("sends again only what was not confirmed", async () => {
    const puts = () => standIn.seen.filter(({ method, path }) => method === "PUT" && path === "bulk");
    standIn.fault = (_, { method, url }) =>
      method === "PUT" && url.pathname.includes("/channel/") ? { kind: "status", status: 500 } : null;
    await codeOf(async () => deploy(await openTargetOn(standIn, patience()), after, options()));
    expect(puts()).toHaveLength(2);
    standIn.seen.length = 0;
    standIn.fault = () => null;
    await deploy(await openTargetOn(standIn), after, options());
    expect([puts(), await seen()]).toEqual([[], ["after", "after"]]);
  });

  it("writes again what a listing that lags behind does not have yet", async () => {
    standIn.listed = new Set();
    await deploy(await openTargetOn(standIn), after, options());
    expect(await seen()).toEqual(["after", "after"]);
  });

  it("uploads what a prune has removed and a lagging listing still has", async () => {
    const target = await openTargetOn(standIn);
    await deploy(target, after, options());
    standIn.listed = new Set(standIn.kv.keys());
    await prune(target, { now, keep: 1 });
    expect(standIn.kv.size).toBeLessThan(standIn.listed.size);
    const soon = () => new Date(now().getTime() + LAG_MS - 1);
    await deploy(target, before, { ...options(), now: soon });
    expect(await seen()).toEqual(["before", "before"]);
  });

  it("of two at the same time lets one win each layer, and tells the other", async () => {
    const mine = await layersOf("mine");
    const [a, b] = await Promise.all([openTargetOn(standIn), openTargetOn(standIn)]);
    const ends = await Promise.allSettled([deploy(a, mine, options()), deploy(b, after, options())]);
    const lost = ends.filter((end) => end.status === "rejected");
    expect(lost.every(({ reason }) => reason.code === "deploy-conflict")).toBe(true);
    const { pointer } = await a.readPointer("platform", "live");
    // Nobody's move was lost: each deploy that says it is done is in the history.
    const winners = [mine, after].filter((_, i) => ends[i]?.status === "fulfilled").map((layers) => layers[0]?.digest);
    expect(pointer?.history.map(({ bundle }) => bundle)).toEqual(expect.arrayContaining(winners));
  });

  it("stays within 1,200 requests in 5 minutes by waiting as long as it is told", async () => {
    const target = await openTargetOn(standIn);
    while (standIn.rate.take() === null) {
      // Somebody else uses the token's quota up.
    }
    const begun = standIn.time;
    await deploy(target, after, options());
    // Calls that were under way at once are each told to wait, and each wait moves the one clock on.
    const waits = (standIn.time - begun) / 300_000;
    expect(waits).toBeGreaterThanOrEqual(1);
    expect(waits).toBeLessThanOrEqual(CALLS_AT_ONCE);
    expect([Number.isInteger(waits), await seen()]).toEqual([true, ["after", "after"]]);
  });

  it("says what is wrong with credentials, account, namespace and bucket, and changes nothing", async () => {
    const { openCloudflareTarget } = await import("../../../../src/deploy/cloudflare/cloudflare-target.ts");
    const { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } = await import("../../../helpers/cloudflare/account.ts");
    const good = {
      name: "production",
      apiToken: API_TOKEN,
      accountId: ACCOUNT,
      kvNamespaceId: NAMESPACE,
      r2Bucket: BUCKET,
      apiBaseUrl: standIn.apiBaseUrl,
      r2Endpoint: standIn.r2Endpoint,
      patience: patience(),
    };
    const failed = async (wrong: Partial<typeof good>) => {
      const { code, hint } = await failureOf(async () =>
        deploy(await openCloudflareTarget({ ...good, ...wrong }), after, options()),
      );
      return [code, hint];
    };
    expect([
      await failed({ apiToken: "another" }),
      await failed({ accountId: "f".repeat(32) }),
      await failed({ kvNamespaceId: "f".repeat(32) }),
      await failed({ r2Bucket: "nobodys" }),
    ]).toEqual([
      ["credentials-invalid", expect.stringContaining("api-tokens")],
      ["credentials-invalid", expect.stringContaining("Workers KV Storage")],
      ["storage-unavailable", expect.stringContaining("wrangler kv namespace create")],
      ["storage-unavailable", expect.stringContaining("wrangler r2 bucket create nobodys")],
    ]);
    expect(await seen()).toEqual(["before", "before"]);
    expect(standIn.seen.filter(({ path }) => path.startsWith("channel/"))).not.toContainEqual(
      expect.objectContaining({ method: "PUT" }),
    );
  });

  it("leaves a note that runs out when it is killed, and holds a prune up no longer", async () => {
    const target = await openTargetOn(standIn);
    await target.work.put(`work/deploy/${now().getTime() + WORK_MS}-killed`);
    expect(await codeOf(() => prune(target, { now }))).toBe("target-busy");
    day++;
    expect((await prune(target, { now })).removed).toEqual({ indexes: 0, blobs: 0 });
  });
});
