/** What deploying, going back and comparing promise over every target, as one suite that each implementation runs. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BundleView, viewOfLayer, viewOfStored } from "../../src/deploy/bundle-view.ts";
import { type DeployOptions, deploy, dryRun } from "../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { diffLayer } from "../../src/deploy/diff.ts";
import { promote } from "../../src/deploy/promote.ts";
import { rollback } from "../../src/deploy/rollback.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { toSkillsError } from "../../src/model/errors.ts";
import { layerOf } from "../helpers/deployable.ts";
import { codeOf } from "../helpers/error-code.ts";
import type { SkillSpec } from "../helpers/pack-skills.ts";

/** An implementation: its name for the report, and how to make an empty one. */
export interface DeployingCase {
  readonly name: string;
  readonly create: () => Promise<DeployTarget>;
}

const options: DeployOptions = { channel: "live", by: "ada", now: () => new Date(), commit: "c0ffee" };

const skill = (name: string, text: string): SkillSpec => ({
  name,
  files: [
    { path: "references/own.md", content: text },
    { path: "references/same.md", content: "the same\n" },
    { path: "scripts/run.js", content: "//\n" },
  ],
  scripts: [{ path: "scripts/run.js", runtime: "javascript" }],
});

/** Every tenant is a layer of its own, so that the tests do not meet. */
const layer = (name: string, texts: Record<string, string>): Promise<DeployableLayer> =>
  layerOf(
    name,
    Object.entries(texts).map(([key, text]) => skill(key, text)),
  );

/** Runs the suite over an implementation. */
export function describeDeploying({ name, create }: DeployingCase): void {
  describe(`deploying over ${name}`, { timeout: 60_000 }, () => {
    let target: DeployTarget;
    beforeAll(async () => {
      target = await create();
    }, 60_000);
    afterAll(() => target.close());

    const bundleIn = async (of: string, channel = "live") => (await target.readPointer(of, channel)).pointer?.bundle;
    const stored = async (of: string): Promise<BundleView> => {
      const bundle = await bundleIn(of);
      return bundle === undefined ? Promise.reject(new Error("nothing is live")) : viewOfStored(target, bundle);
    };

    it("deploy() sends what is missing, moves the channel, and says both", async () => {
      const first = await layer("sends", { one: "1\n", two: "2\n" });
      expect(await dryRun(target, [first], { channel: "live" })).toEqual({
        channel: "live",
        layers: [{ layer: "sends", bundle: first.digest, previous: null, moved: true }],
        blobs: { uploaded: first.blobs.size, unchanged: 0, bytes: expect.any(Number) },
      });
      expect(await bundleIn("sends")).toBeUndefined();
      const report = await deploy(target, [first], options);
      expect(report).toMatchObject({ blobs: { uploaded: first.blobs.size, unchanged: 0 } });
      expect(await bundleIn("sends")).toBe(first.digest);

      const again = await deploy(target, [first], options);
      expect(again).toEqual({
        channel: "live",
        layers: [{ layer: "sends", bundle: first.digest, previous: first.digest, moved: false }],
        blobs: { uploaded: 0, unchanged: first.blobs.size, bytes: 0 },
      });

      // One file of one skill: that blob and its record.
      const second = await layer("sends", { one: "1\n", two: "changed\n" });
      const changed = { uploaded: 2, unchanged: second.blobs.size - 2, bytes: expect.any(Number) };
      expect(await dryRun(target, [second], { channel: "live" })).toMatchObject({ blobs: changed });
      expect(await deploy(target, [second], options)).toMatchObject({ blobs: changed });
      const { history } = (await target.readPointer("sends", "live")).pointer ?? { history: [] };
      expect(history.map(({ bundle, reason, commit }) => ({ bundle, reason, commit }))).toEqual([
        { bundle: second.digest, reason: "deploy", commit: "c0ffee" },
        { bundle: first.digest, reason: "deploy", commit: "c0ffee" },
      ]);
      expect(history.every(({ by }) => by.startsWith("ada"))).toBe(true);
    });

    it("deploy() of everything sends also what is there, and moves nothing that is live", async () => {
      const one = await layer("mends", { one: "1\n" });
      await deploy(target, [one], options);
      const report = await deploy(target, [one], { ...options, upload: "all" });
      expect(report).toMatchObject({ layers: [{ moved: false }], blobs: { uploaded: one.blobs.size, unchanged: 0 } });
      expect((await target.readPointer("mends", "live")).pointer?.history).toHaveLength(1);
    });

    it("deploy() moves several layers, each to its own bundle", async () => {
      const layers = [await layer("several-a", { one: "1\n" }), await layer("several-b", { one: "2\n" })];
      await deploy(target, layers, { ...options, channel: "many" });
      expect([await bundleIn("several-a", "many"), await bundleIn("several-b", "many")]).toEqual(
        layers.map(({ digest }) => digest),
      );
      expect(await target.listLayers("many")).toEqual(["several-a", "several-b"]);
    });

    it("deploy() of two at the same time lets one win, and tells the other", async () => {
      const both = [await layer("race", { one: "1\n" }), await layer("race", { one: "2\n" })];
      const ended = await Promise.allSettled(both.map((one) => deploy(target, [one], options)));
      const failed = ended.flatMap((end) => (end.status === "rejected" ? [toSkillsError(end.reason).code] : []));
      expect(failed).toEqual(["deploy-conflict"]);
      expect(await bundleIn("race")).toBe(both[ended.findIndex(({ status }) => status === "fulfilled")]?.digest);
      expect((await target.readPointer("race", "live")).pointer?.history).toHaveLength(1);
    });

    it("rollback() goes back to what the history has, and to nothing else", async () => {
      const [first, second] = [await layer("back", { one: "1\n" }), await layer("back", { one: "2\n" })];
      await deploy(target, [first], options);
      await deploy(target, [second], options);
      const back = { layer: "back", channel: "live", by: "bob", now: () => new Date() };
      expect(await rollback(target, { ...back, to: null })).toEqual({
        layer: "back",
        channel: "live",
        bundle: first.digest,
        previous: second.digest,
      });
      expect((await target.readPointer("back", "live")).pointer?.history[0]).toMatchObject({
        bundle: first.digest,
        reason: "rollback",
        commit: "c0ffee",
      });
      const other = await layer("back", { one: "3\n" });
      expect(await codeOf(() => rollback(target, { ...back, to: other.digest }))).toBe("bundle-unknown");
    });

    it("promote() moves a channel to what another one has, and uploads nothing", async () => {
      const [live, tried] = [await layer("promoted", { one: "1\n" }), await layer("promoted", { one: "2\n" })];
      await deploy(target, [live], options);
      await deploy(target, [tried], { ...options, channel: "preview-1" });
      const move = { from: "preview-1", to: "live", layer: "promoted", by: "ada", now: () => new Date() };
      const report = [{ layer: "promoted", bundle: tried.digest, previous: live.digest, moved: true }];
      expect(await promote(target, { ...move, mode: "dry" })).toEqual(report);
      expect(await promote(target, move)).toEqual(report);
      expect(await bundleIn("promoted")).toBe(tried.digest);
    });

    it("a deployed bundle can be compared with a packed one, file by file", async () => {
      const before = await layer("compared", { one: "1\n", two: "2\n" });
      const after = await layer("compared", { two: "22\n", three: "3\n" });
      await deploy(target, [before], options);
      const { skills } = await diffLayer("compared", await stored("compared"), viewOfLayer(after));
      expect(
        skills.map(({ skill: changed, change, files }) => [changed, change, files.map(({ path }) => path)]),
      ).toEqual([
        ["one", "removed", ["SKILL.md", "references/own.md", "references/same.md", "scripts/run.js"]],
        ["three", "added", ["SKILL.md", "references/own.md", "references/same.md", "scripts/run.js"]],
        ["two", "changed", ["references/own.md"]],
      ]);
    });
  });
}
