/** Bundles on disk: written whole or not at all, read only when they are what they say. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type PackedLayer, packSkills } from "../../../src/pack/pack.ts";
import { BundleDirectory } from "../../../src/pack/read-bundle.ts";
import { isBundle, writeBundle } from "../../../src/pack/write-bundle.ts";
import { manifest, plant, temporaryDirectory } from "../../helpers/directories.ts";

async function packed(name = "a") {
  const top = plant({ [`${name}/SKILL.md`]: manifest(name), [`${name}/x.txt`]: "x", [`${name}/scripts/s.js`]: "1" });
  return packSkills({ roots: [top] }, { base: top, compile: async () => ({ code: "compiled" }) });
}

async function written() {
  const { digest, layers } = await packed();
  const out = join(temporaryDirectory(), "out");
  await writeBundle(layers, out);
  return { out, digest, layers };
}

describe("writing", () => {
  test("gives what reading takes", async () => {
    const { out, digest, layers } = await written();
    const bundle = BundleDirectory.open(out);
    expect(isBundle(out)).toBe(true);
    expect(bundle.digest).toBe(digest);
    const plain = (layer: PackedLayer) => ({ ...layer, blobs: new Map(layer.blobs) });
    expect(bundle.layers.map((layer) => plain(bundle.readLayer(layer)))).toEqual(layers.map(plain));
    expect(readdirSync(dirname(out))).toEqual(["out"]);
  });

  test("into the skill itself changes nothing the next time; a directory that only looks a little like one is packed", async () => {
    const top = plant({ "a/SKILL.md": manifest("a"), "a/data/bundle.json": "{}" });
    const pack = () => packSkills({ roots: [join(top, "a")] }, { base: top });
    const first = await pack();
    await writeBundle(first.layers, join(top, "a", "out"));
    expect(await pack()).toEqual(first);
    expect(first.layers[0]?.blobs.size).toBe(3);
  });

  test("replaces an older bundle, through a link too", async () => {
    const { out } = await written();
    const link = join(dirname(out), "link");
    symlinkSync("out", link);
    const next = await packed("b");
    await writeBundle(next.layers, link);
    expect(BundleDirectory.open(out).digest).toBe(next.digest);
    expect(readdirSync(dirname(out)).sort()).toEqual(["link", "out"]);
  });

  test("fills an empty directory and makes missing ones", async () => {
    const { layers } = await packed();
    const top = temporaryDirectory();
    mkdirSync(join(top, "empty"));
    for (const out of [join(top, "empty"), join(top, "far/away")]) {
      await writeBundle(layers, out);
      expect(isBundle(out)).toBe(true);
    }
  });

  test.each([
    ["a file", { out: "x" }],
    ["a directory with other things", { "out/notes.txt": "x" }],
    ["a bundle with other things beside", { "out/bundle.json": "{}", "out/notes.txt": "x" }],
  ])("leaves %s alone", async (_, texts) => {
    const { layers } = await packed();
    const top = plant(texts);
    await expect(writeBundle(layers, join(top, "out"))).rejects.toMatchObject({ code: "output-exists" });
    expect(Object.entries(texts).every(([path, text]) => readFileSync(join(top, path), "utf8") === text)).toBe(true);
  });

  test("that fails leaves the older bundle and nothing beside it", async () => {
    const { out, digest, layers } = await written();
    const [layer] = layers;
    const broken = {
      name: "x",
      digest: layer?.digest ?? digest,
      index: new Uint8Array(),
      blobs: new Map([["sha256:a/b" as never, new Uint8Array()]]),
    };
    await expect(writeBundle([broken], out)).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(BundleDirectory.open(out).digest).toBe(digest);
    expect(readdirSync(dirname(out))).toEqual(["out"]);
  });
});

describe("reading", () => {
  const readAll = (out: string) => {
    const bundle = BundleDirectory.open(out);
    return bundle.layers.map((layer) => bundle.readLayer(layer));
  };

  test("what is no bundle", () => {
    expect(() => BundleDirectory.open(temporaryDirectory())).toThrow(
      expect.objectContaining({ code: "bundle-unknown" }),
    );
  });

  test.each(["index", "blob"])("a bundle with an altered %s", async (part) => {
    const { out } = await written();
    for (const name of readdirSync(join(out, part))) {
      writeFileSync(join(out, part, name), "altered");
    }
    expect(() => readAll(out)).toThrow(expect.objectContaining({ code: "bundle-damaged" }));
  });

  test.each(["index", "blob"])("a bundle without its %s", async (part) => {
    const { out } = await written();
    rmSync(join(out, part), { recursive: true });
    expect(existsSync(out)).toBe(true);
    expect(() => readAll(out)).toThrow(expect.objectContaining({ code: "bundle-damaged" }));
  });

  test.each([
    ["", "bundle-damaged"],
    ["[]", "bundle-damaged"],
    ['{"format":2}', "bundle-format-unknown"],
    ['{"format":1}', "bundle-damaged"],
    [`{"format":1,"digest":"sha256:${"0".repeat(64)}","layers":{}}`, "bundle-damaged"],
    [`{"format":1,"digest":"sha256:${"0".repeat(64)}","layers":{"a":1}}`, "bundle-damaged"],
  ])("a bundle.json of %j", async (text, code) => {
    const { out } = await written();
    writeFileSync(join(out, "bundle.json"), text);
    expect(() => readAll(out)).toThrow(expect.objectContaining({ code }));
  });
});
