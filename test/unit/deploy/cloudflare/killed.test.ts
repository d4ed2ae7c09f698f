import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../../../src/deploy/deployable.ts";
import { writeBundle } from "../../../../src/pack/write-bundle.ts";
import { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } from "../../../helpers/cloudflare/account.ts";
import { openTargetOn } from "../../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../../helpers/cloudflare/stand-in.ts";
import { layerOf, readWhole } from "../../../helpers/deployable.ts";

const IS_LONG = process.env.LONG === "1";
const KILLS = IS_LONG ? 200 : 6;
const SKILLS = IS_LONG ? 2_000 : 60;
const CLI = fileURLToPath(new URL("../../../../src/cli.ts", import.meta.url));
const LAYERS = ["platform", "acme"] as const;
const OPTIONS = { channel: "live", by: "test", now: () => new Date() };

/** Points to kill at, the same in each run: a small generator (mulberry32). */
function* chances(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

const layersOf = (version: string): Promise<DeployableLayer[]> =>
  Promise.all(
    LAYERS.map((layer) =>
      layerOf(
        layer,
        Array.from({ length: SKILLS / LAYERS.length }, (_, i) => ({
          name: `${layer}-${i}`,
          // Every tenth skill changes.
          body: `${i % 10 === 0 ? version : "the same"} ${i}\n`,
          files: [{ path: "notes.md", content: `notes of ${i} ${i % 10 === 0 ? version : ""}` }],
        })),
      ),
    ),
  );

let initial: CloudflareStandIn;
let standIn: CloudflareStandIn;
let directory = "";
let after: DeployableLayer[];
/** What is seen of each layer before and after, as a digest. */
let views: { readonly before: readonly string[]; readonly after: readonly string[] };
let requests = 0;

async function seenBy(server: CloudflareStandIn): Promise<string[]> {
  const read = LAYERS.map((layer) => readWhole(server.readers(), layer));
  return (await Promise.all(read)).map((view) => createHash("sha256").update(JSON.stringify(view)).digest("hex"));
}

/** Runs the command line in a process of its own; answers how it ended. */
async function deployInProcess(
  kill: { readonly at: number; readonly when: "before" | "after" } | null,
): Promise<unknown> {
  // What was confirmed of an account that was put back since is not so any more.
  const state = join(directory, "state");
  rmSync(state, { recursive: true, force: true });
  const words = ["deploy", join(directory, "bundle"), "--target", "cloudflare", "--state", state];
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      USER: "tester",
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
      EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
      EDGE_SKILLS_KV_NAMESPACE_ID: NAMESPACE,
      EDGE_SKILLS_R2_BUCKET: BUCKET,
    },
  });
  standIn.onRequest = (at, when) => {
    if (at === kill?.at && when === kill.when) {
      child.kill("SIGKILL");
    }
  };
  const [status, signal] = await once(child, "exit");
  standIn.onRequest = () => undefined;
  return signal ?? status;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "edge-skills-killed-"));
  [initial, standIn] = await Promise.all([CloudflareStandIn.start(), CloudflareStandIn.start()]);
  const before = await layersOf("before");
  after = await layersOf("after");
  await writeBundle(after, join(directory, "bundle"));
  await deploy(await openTargetOn(initial), before, OPTIONS);
  standIn.copyFrom(initial);
  expect(await deployInProcess(null)).toBe(0);
  requests = standIn.seen.length;
  views = { before: await seenBy(initial), after: await seenBy(standIn) };
}, 120_000);
afterAll(async () => {
  await Promise.all([initial.stop(), standIn.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

describe("edge-skills deploy, killed", { timeout: KILLS * 30_000 }, () => {
  it(`at ${KILLS} points leaves readers one whole bundle of each layer, and the next deploy finishes`, async () => {
    const random = chances(7);
    const seen = new Set<string>();
    for (let n = 0; n < KILLS; n++) {
      const at = Math.floor((random.next().value ?? 0) * requests);
      const when = (random.next().value ?? 0) < 0.5 ? "before" : "after";
      standIn.copyFrom(initial);
      const ended = await deployInProcess({ at, when });
      const now = await seenBy(standIn);
      const sides = now.map((view, i) =>
        view === views.after[i] ? "after" : view === views.before[i] ? "before" : "half",
      );
      expect([n, at, when, sides.includes("half")]).toEqual([n, at, when, false]);
      seen.add(`${ended} ${sides.join()}`);
      await deploy(await openTargetOn(standIn), after, OPTIONS);
      expect([n, ...(await seenBy(standIn))]).toEqual([n, ...views.after]);
    }
    expect([...seen].some((end) => end.startsWith("SIGKILL before"))).toBe(true);
  });
});
