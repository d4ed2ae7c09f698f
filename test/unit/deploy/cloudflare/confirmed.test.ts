import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCloudflareTarget } from "../../../../src/deploy/cloudflare/cloudflare-target.ts";
import { ConfirmedFile } from "../../../../src/deploy/cloudflare/confirmed.ts";
import { deploy } from "../../../../src/deploy/deploy.ts";
import { prune } from "../../../../src/deploy/prune.ts";
import { LAG_MS } from "../../../../src/deploy/work.ts";
import { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } from "../../../helpers/cloudflare/account.ts";
import { patienceOn } from "../../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../../helpers/cloudflare/stand-in.ts";
import { layerOf, readWhole } from "../../../helpers/deployable.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { codeOf } from "../../../helpers/error-code.ts";

const START = Date.parse("2026-11-30T12:00:00.000Z");

describe("ConfirmedFile", () => {
  it("remembers for a place what was added, in another process too, and no longer than a listing lags", () => {
    const file = join(temporaryDirectory(), "state/confirmed.jsonl");
    const at = (ms: number, place = "here") => new ConfirmedFile(file, place, () => START + ms);
    at(0).add(["a", "b"]);
    // A process was killed while it wrote.
    appendFileSync(file, '{"at":1,"pla');
    const known = (confirmed: ConfirmedFile) => ["a", "b", "c"].filter((key) => confirmed.has(key));
    expect([known(at(1)), known(at(1, "elsewhere")), known(at(-1))]).toEqual([["a", "b"], [], []]);
    expect(existsSync(file)).toBe(false);
    at(0).add(["c"]);
    expect([known(at(LAG_MS - 1)), known(at(LAG_MS)), existsSync(file)]).toEqual([["c"], [], false]);
  });
});

describe("deploy() to Cloudflare after one that was interrupted", () => {
  async function prepared() {
    const standIn = await CloudflareStandIn.start();
    onTestFinished(() => standIn.stop());
    const file = join(temporaryDirectory(), "confirmed.jsonl");
    const open = (ms: number) =>
      openCloudflareTarget({
        name: "stand-in",
        apiToken: API_TOKEN,
        accountId: ACCOUNT,
        kvNamespaceId: NAMESPACE,
        r2Bucket: BUCKET,
        apiBaseUrl: standIn.apiBaseUrl,
        r2Endpoint: standIn.r2Endpoint,
        patience: patienceOn(standIn),
        confirmed: new ConfirmedFile(file, "here", () => START + ms),
      });
    const options = (ms: number) => ({ channel: "live", by: "test", now: () => new Date(START + ms) });
    const bulkPuts = () => standIn.seen.filter(({ method, path }) => method === "PUT" && path === "bulk").length;
    return { standIn, open, options, bulkPuts };
  }

  it("sends again only what was not confirmed, although the listing knows of nothing yet", async () => {
    const { standIn, open, options, bulkPuts } = await prepared();
    const layer = await layerOf("platform", [{ name: "a" }, { name: "b" }]);
    standIn.listed = new Set();
    standIn.fault = (_, { method, url }) =>
      method === "PUT" && url.pathname.includes("/channel/") ? { kind: "status", status: 500 } : null;
    expect(await codeOf(async () => deploy(await open(0), [layer], options(0)))).toBe("storage-unavailable");
    expect(bulkPuts()).toBe(2);
    standIn.fault = () => null;
    await deploy(await open(1_000), [layer], options(1_000));
    expect([bulkPuts(), Object.keys(await readWhole(standIn.readers(), "platform"))]).toEqual([2, ["a", "b"]]);
  });

  it("sends all of it again when a prune came in between", async () => {
    const { standIn, open, options } = await prepared();
    const layer = await layerOf("platform", [{ name: "a" }]);
    standIn.fault = (_, { method, url }) =>
      method === "PUT" && url.pathname.includes("/channel/") ? { kind: "status", status: 500 } : null;
    await codeOf(async () => deploy(await open(0), [layer], options(0)));
    standIn.fault = () => null;
    await prune(await open(1_000), { now: () => new Date(START + 1_000) });
    expect(standIn.kv.size).toBe(0);
    await deploy(await open(LAG_MS - 1), [layer], options(LAG_MS - 1));
    expect(Object.keys(await readWhole(standIn.readers(), "platform"))).toEqual(["a"]);
  });
});
