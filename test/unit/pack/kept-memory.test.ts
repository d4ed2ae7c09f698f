import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileDigests } from "../../../src/pack/file-digests.ts";
import { decodeMemory, encodeMemory } from "../../../src/pack/kept-memory.ts";
import { type PackOptions, packSkills } from "../../../src/pack/pack.ts";
import { PackMemory } from "../../../src/pack/pack-memory.ts";
import { manifest, plant } from "../../helpers/directories.ts";
import { codeOf } from "../../helpers/error-code.ts";

const PROGRAM = "this program";

/** As if all files were old: what is younger than two seconds is never noted. */
const LATER = () => Date.now() + 10_000;

const compile: NonNullable<PackOptions["compile"]> = async ({ path, files }) => ({
  code: `compiled ${new TextDecoder().decode(files.get(path))}`,
});

/** Packs as a command does that comes after others. */
async function packNext(root: string, kept: Uint8Array | null) {
  const earlier = kept === null ? null : decodeMemory(kept, PROGRAM, LATER);
  const memory = earlier ?? new PackMemory(new FileDigests([], LATER));
  const packed = await packSkills({ roots: [root] }, { base: root, compile, memory });
  return { packed, memory, kept: encodeMemory(memory, PROGRAM) };
}

function twoSkills(): string {
  return plant({
    "a/SKILL.md": manifest("a"),
    "a/scripts/run.js": "of a",
    "a/notes.md": "notes",
    "b/SKILL.md": manifest("b"),
    "b/scripts/run.js": "of b",
    "c/SKILL.md": "---\nname: c\n---\n",
  });
}

/** All that a pack gives, every byte of it read. */
const whole = ({ layers, ...rest }: Awaited<ReturnType<typeof packSkills>>) => ({
  ...rest,
  layers: layers.map(({ blobs, ...layer }) => ({ ...layer, blobs: new Map(blobs) })),
});

describe("packSkills() with a memory that was kept in a file", () => {
  it("gives what a pack without one gives, whatever happens to the tree in between", async () => {
    const root = twoSkills();
    const steps: readonly [what: string, change: () => void][] = [
      ["the first", () => undefined],
      ["nothing", () => undefined],
      ["a file of the same size, its time set back", () => setBack(join(root, "a/notes.md"), "NOTES")],
      ["a script", () => plant({ "a/scripts/run.js": "of a, new" }, root)],
      ["what was broken", () => plant({ "c/SKILL.md": manifest("c"), "c/scripts/run.js": "of c" }, root)],
      ["a duplicate comes first", () => plant({ "aa/SKILL.md": manifest("b") }, root)],
      ["it goes again", () => rmSync(join(root, "aa"), { recursive: true })],
      ["a directory's name", () => renameSync(join(root, "a"), join(root, "z"))],
      ["files change places", () => exchange(join(root, "z/notes.md"), join(root, "z/scripts/run.js"))],
      ["a file is ignored", () => plant({ "b/.gitignore": "scripts\n" }, root)],
      ["a secret comes", () => plant({ "b/.env": "KEY=1" }, root)],
    ];
    let kept: Uint8Array | null = null;
    for (const [what, change] of steps) {
      change();
      const quick = await packNext(root, kept);
      kept = quick.kept;
      const plain = await packSkills({ roots: [root] }, { base: root, compile });
      expect([what, whole(quick.packed)]).toEqual([what, whole(plain)]);
    }
  });

  it("has nothing new to keep, and reads no file, when nothing has changed", async () => {
    const root = twoSkills();
    const { kept } = await packNext(root, null);
    const { memory, packed } = await packNext(root, kept);
    expect(memory.hasNews).toBe(false);
    // Read only now: it is not what it was.
    writeFileSync(join(root, "a/notes.md"), "other");
    expect(await codeOf(() => whole(packed))).toBe("files-changed");
  });

  it("notes no file so young that another change might not show", async () => {
    const root = twoSkills();
    const memory = new PackMemory();
    await packSkills({ roots: [root] }, { base: root, compile, memory });
    expect([...memory.files.notes()]).toEqual([]);
  });
});

describe("decodeMemory()", () => {
  it("reads nothing of what another program kept, or of what is damaged or cut off", async () => {
    const { kept } = await packNext(twoSkills(), null);
    expect(decodeMemory(kept, PROGRAM)).toBeInstanceOf(PackMemory);
    expect(decodeMemory(kept, "another program")).toBe(null);
    for (const at of [0, 40, 71, 80, 500, kept.length - 1]) {
      const damaged = kept.slice();
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect([at, decodeMemory(damaged, PROGRAM)]).toEqual([at, null]);
      expect([at, decodeMemory(kept.slice(0, at), PROGRAM)]).toEqual([at, null]);
    }
  });
});

function setBack(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, new Date(0), new Date(0));
}

function exchange(a: string, b: string): void {
  renameSync(a, `${a}.aside`);
  renameSync(b, a);
  renameSync(`${a}.aside`, b);
}
