import { describe, expect, it } from "vitest";
import { viewOfLayer, viewOfStored } from "../../../src/deploy/bundle-view.ts";
import { deploy } from "../../../src/deploy/deploy.ts";
import { diffLayer } from "../../../src/deploy/diff.ts";
import { layerOf } from "../../helpers/deployable.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";

const NOTES = { path: "notes.md", content: "same" };

describe("diffLayer()", () => {
  it("tells skills and files that came, went and changed, with sizes, in path order", async () => {
    const before = await layerOf("platform", [
      { name: "gone", body: "bye\n", files: [NOTES] },
      { name: "kept", files: [NOTES, { path: "old.md", content: "12345" }, { path: "b.md", content: "one" }] },
      { name: "same", files: [NOTES] },
    ]);
    const after = await layerOf("platform", [
      { name: "kept", files: [NOTES, { path: "b.md", content: "three" }, { path: "a.md", content: "1" }] },
      { name: "new", body: "hi\n" },
      { name: "same", files: [NOTES] },
    ]);
    const diff = await diffLayer("platform", viewOfLayer(before), viewOfLayer(after));
    const [gone, kept, fresh, ...rest] = diff.skills;
    expect([diff.layer, diff.before, diff.after, rest]).toEqual(["platform", before.digest, after.digest, []]);
    expect(kept).toMatchObject({ skill: "kept", change: "changed" });
    expect(kept?.files).toEqual([
      { path: "a.md", change: "added", before: null, after: 1 },
      { path: "b.md", change: "changed", before: 3, after: 5 },
      { path: "old.md", change: "removed", before: 5, after: null },
    ]);
    expect((kept?.after ?? 0) - (kept?.before ?? 0)).toBe(1 + 2 - 5);
    expect(gone).toMatchObject({ skill: "gone", change: "removed", after: null });
    expect(gone?.files.map(({ path, after: size }) => [path, size])).toEqual([
      ["SKILL.md", null],
      ["notes.md", null],
    ]);
    expect(fresh).toMatchObject({ skill: "new", change: "added", before: null, files: [{ path: "SKILL.md" }] });
  });

  it("of a bundle that is the same is empty, of one that is not there has all skills added", async () => {
    const layer = await layerOf("acme", [{ name: "a", files: [NOTES] }]);
    const view = viewOfLayer(layer);
    expect(await diffLayer("acme", view, view)).toEqual({
      layer: "acme",
      before: layer.digest,
      after: layer.digest,
      skills: [],
    });
    const first = await diffLayer("acme", null, view);
    expect([first.before, first.skills.map(({ change }) => change)]).toEqual([null, ["added"]]);
  });

  it("reads bundles of a target, of which only the records of changed skills", async () => {
    const target = new MemoryTarget();
    const skills = Array.from({ length: 5 }, (_, i) => ({ name: `s-${i}`, files: [NOTES] }));
    const before = await layerOf("platform", skills);
    const after = await layerOf("platform", [...skills.slice(1), { name: "s-0", body: "changed\n", files: [NOTES] }]);
    await deploy(target, [before], { channel: "live", by: "ada", now: () => new Date(0) });
    const read: string[] = [];
    const get = target.get.bind(target);
    target.get = async (key) => {
      read.push(key.split("/")[0] ?? "");
      return get(key);
    };
    const diff = await diffLayer("platform", await viewOfStored(target, before.digest), viewOfLayer(after));
    expect([diff.skills.map(({ skill }) => skill), read]).toEqual([["s-0"], ["index", "blob"]]);
    expect(await codeOf(() => viewOfStored(target, after.digest))).toBe("bundle-damaged");
  });
});
