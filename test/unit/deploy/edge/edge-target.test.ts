import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_PATIENCE, type Patience } from "../../../../src/deploy/cloudflare/patience.ts";
import { type DeployOptions, deploy } from "../../../../src/deploy/deploy.ts";
import { createEdgeApi } from "../../../../src/deploy/edge/edge-api.ts";
import { openEdgeTarget } from "../../../../src/deploy/edge/edge-target.ts";
import { prune } from "../../../../src/deploy/prune.ts";
import type { DeployTarget } from "../../../../src/deploy/target.ts";
import { Work } from "../../../../src/deploy/work.ts";
import { layerOf } from "../../../helpers/deployable.ts";
import { codeOf, failureOf } from "../../../helpers/error-code.ts";
import { type Fate, faultyProxy, type Passed } from "../../../helpers/faulty-proxy.ts";
import { type LocalEdge, startLocalEdge } from "../../../helpers/local-edge.ts";

let edge: LocalEdge;
beforeAll(async () => {
  edge = await startLocalEdge();
}, 60_000);
afterAll(() => edge.stop());

/** Waits for nobody. */
const patience: Patience = { ...DEFAULT_PATIENCE, sleep: async () => undefined };
const options: DeployOptions = { channel: "live", by: "ada", now: () => new Date() };
const isMove = ({ method, path }: Passed): boolean => method === "POST" && path.startsWith("/v1/deploys");

let tenants = 0;
async function scene(on: LocalEdge = edge) {
  const tenant = `t${tenants++}`;
  const token = await on.token(tenant, ["read", "deploy"]);
  const direct = openEdgeTarget(createEdgeApi({ name: "edge", url: new URL(on.url), token }), patience);
  const through = async (fateOf: (passed: Passed, count: number) => Fate) => {
    const { url, seen } = await faultyProxy(on.url, fateOf);
    return { target: openEdgeTarget(createEdgeApi({ name: "edge", url, token }), patience), seen };
  };
  /** What an agent reads. */
  const bodies = async (): Promise<string[]> => {
    const headers = { Authorization: `Bearer ${token}` };
    const page = (await (await fetch(new URL("/v1/skills", on.url), { headers })).json()) as {
      skills: { name: string }[];
    };
    return Promise.all(
      page.skills.map(async ({ name }) =>
        (await fetch(new URL(`/v1/skills/${name}/files/references/a.md`, on.url), { headers })).text(),
      ),
    );
  };
  const layer = (text: string, skills = 3) =>
    layerOf(
      tenant,
      Array.from({ length: skills }, (_, i) => ({
        name: `skill-${i}`,
        files: [{ path: "references/a.md", content: `${text} ${i}\n` }],
      })),
    );
  const headOf = async (target: DeployTarget) => (await target.readPointer(tenant, "live")).pointer?.history ?? [];
  return { tenant, direct, through, bodies, layer, headOf };
}

const textsOf = (text: string): string[] => [0, 1, 2].map((i) => `${text} ${i}\n`);

describe("openEdgeTarget()", { timeout: 60_000 }, () => {
  it("gets a deploy done although any request or answer is lost, refused or too early, with one move", async () => {
    const { direct, through, bodies, layer, headOf } = await scene();
    const fates: Fate[] = ["lost", "answer-lost", { status: 503 }, { status: 429, retryAfter: "1" }, { status: 502 }];
    let moves = 0;
    for (const fate of fates) {
      for (const at of ["every first", "the move"] as const) {
        const told = new Set<string>();
        const { target } = await through((passed) => {
          const key = `${passed.method} ${passed.path}`;
          const isDue = at === "every first" ? !told.has(key) : isMove(passed) && !told.has(key);
          told.add(key);
          return isDue ? fate : "pass";
        });
        const next = await layer(`${JSON.stringify(fate)} ${at}`);
        await deploy(target, [next], options);
        moves++;
        const history = await headOf(direct);
        expect([history[0]?.bundle, history.length]).toEqual([next.digest, moves]);
      }
    }
    expect((await bodies()).sort()).toEqual(textsOf('{"status":502} the move'));
  });

  it("killed before any request, readers see the old bundle or the new one, and the next deploy ends it", async () => {
    const { direct, through, bodies, layer } = await scene();
    await deploy(direct, [await layer("old")], options);
    for (let killedAt = 1, isDone = false; !isDone; killedAt++) {
      const text = `new ${killedAt}`;
      const next = await layer(text);
      const { target, seen } = await through((_, count) => (count >= killedAt ? "lost" : "pass"));
      const ended = await deploy(target, [next], options).then(
        () => null,
        (error: unknown) => error,
      );
      isDone = seen.length < killedAt;
      const seenNow = (await bodies()).sort();
      const before = killedAt === 1 ? "old" : `new ${killedAt - 1}`;
      expect([textsOf(before), textsOf(text)]).toContainEqual(seenNow);
      await deploy(direct, [next], options);
      expect((await bodies()).sort()).toEqual(textsOf(text));
      expect(isDone ? ended : "killed").toEqual(isDone ? null : "killed");
    }
  });

  it("tries three times where nothing listens, and says where and what to look at", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.close();
    const pauses: number[] = [];
    const noting: Patience = { ...DEFAULT_PATIENCE, sleep: async (ms) => void pauses.push(ms) };
    const target = openEdgeTarget(createEdgeApi({ name: url.href, url, token: "es_acme_x" }), noting);
    expect(await failureOf(() => target.listLayers("live"))).toMatchObject({
      code: "edge-unavailable",
      message: `Cannot reach ${url.href}: nothing listens there`,
      hint: "is this the edge's address, and does it run?",
    });
    expect(pauses.length).toBe(2);
  });

  it("sends again only what was not confirmed", async () => {
    const { direct, through, layer } = await scene();
    const big = await layer("many", 120);
    const batch = ({ path }: Passed): boolean => path.includes("/blobs");
    let batches = 0;
    const first = await through((passed) => {
      batches += batch(passed) ? 1 : 0;
      return (batch(passed) && batches > 2) || passed.method === "DELETE" || isMove(passed) ? "lost" : "pass";
    });
    expect(await codeOf(() => deploy(first.target, [big], options))).toBe("edge-unavailable");
    const report = await deploy(direct, [big], options);
    expect(report.blobs).toMatchObject({ uploaded: big.blobs.size - 200, unchanged: 200 });
  });

  it("asks with a few requests: none for blobs when nothing changed", async () => {
    const { through, layer } = await scene();
    const { target, seen } = await through(() => "pass");
    const big = await layer("many", 120);
    await deploy(target, [big], options);
    expect(seen.filter(({ path }) => path.includes("/blobs")).length).toBe(Math.ceil(big.blobs.size / 100));
    seen.length = 0;
    await deploy(target, [big], options);
    expect(seen.map(({ method, path }) => `${method} ${path.split("?")[0]}`)).toEqual([
      "GET /v1/deploys",
      "GET /v1/deploys",
    ]);
  });

  it("keeps the operator's prune out from the first word to the last, and is kept out by one", async () => {
    // Deploys that were killed keep prunes out for a while.
    const quiet = await startLocalEdge();
    onTestFinished(() => quiet.stop());
    const { direct, layer, bodies } = await scene(quiet);
    const now = () => new Date();
    const bundle = await layer("pruned");
    const delivery = await direct.deliver?.([bundle], { channel: "live", upload: "missing", mode: "write" });
    await delivery?.send(() => undefined);
    expect(await codeOf(() => prune(quiet.target, { now }))).toBe("target-busy");
    await delivery?.end();
    const running = await Work.begin(quiet.target, "prune", "deploy", now);
    expect(await codeOf(() => deploy(direct, [bundle], options))).toBe("target-busy");
    await running.end();
    // What was sent and never deployed goes, and is sent again.
    const { removed } = await prune(quiet.target, { now });
    expect(removed.blobs).toBeGreaterThanOrEqual(bundle.blobs.size);
    const { blobs } = await deploy(direct, [bundle], options);
    expect([blobs.uploaded, (await bodies()).sort()]).toEqual([bundle.blobs.size, textsOf("pruned")]);
    expect((await prune(quiet.target, { now })).removed).toEqual({ indexes: 0, blobs: 0 });
  });

  it("does not do what is the operator's", async () => {
    const { direct } = await scene();
    expect(await codeOf(() => prune(direct, { now: () => new Date() }))).toBe("usage");
    expect(await codeOf(() => direct.tokensOf("acme"))).toBe("usage");
    expect(await codeOf(() => direct.removePointer("acme", "live"))).toBe("usage");
  });
});
