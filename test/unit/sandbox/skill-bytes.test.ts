import { expect, test } from "vitest";
import type { Digest } from "../../../src/model/digest.ts";
import { SkillBytes } from "../../../src/sandbox/box/skill-bytes.ts";
import { ByteCache } from "../../../src/sandbox/byte-cache.ts";
import { FileError } from "../../../src/sandbox/files/errors.ts";

/** A skill whose bytes are its digests, and what was asked of them. */
function skillOf(sizes: Readonly<Record<string, number>>, fault: Error | null = null) {
  const asked: string[][] = [];
  const files = Object.entries(sizes).map(([path, size]) => ({ path, size, digest: `sha256:${path}` as Digest }));
  const host = {
    readFiles: async (digests: readonly Digest[]) => {
      asked.push(digests.map((digest) => digest.slice("sha256:".length)));
      if (fault !== null) {
        throw fault;
      }
      return digests.map((digest) => new TextEncoder().encode(digest));
    },
    fetch: () => Promise.reject(new Error("no network")),
  };
  return { asked, skill: new SkillBytes(files, new ByteCache(1 << 20), host) };
}

const open = async (skill: SkillBytes, path: string) => {
  const content = (await skill.place()).find((file) => file.path === path)?.bytes;
  return content instanceof Uint8Array ? content : await content?.bring();
};

test("before a run only what may be a program is asked for; scripts are programs whatever they begin with", async () => {
  const { asked, skill } = skillOf({ "SKILL.md": 1, "scripts/a.py": 1, "bin/tool": 1, "lib/b.sh": 1, "data/c.csv": 1 });
  await skill.place();
  expect(asked).toEqual([["bin/tool", "lib/b.sh"]]);
});

test("a file comes with small ones of its directory that are not here yet, and nothing comes twice", async () => {
  const { asked, skill } = skillOf({
    "a/1.txt": 5,
    "a/2.txt": 5,
    "a/large.bin": 1 << 20,
    "a/b/3.txt": 5,
    "c/4.txt": 5,
  });
  await open(skill, "a/1.txt");
  await open(skill, "a/2.txt");
  await open(skill, "a/large.bin");
  expect(asked).toEqual([["a/1.txt", "a/2.txt"], ["a/large.bin"]]);
});

test("bytes that do not come are an error of the file, and why is known to the runner", async () => {
  const { skill } = skillOf({ "a.txt": 5 }, new Error("the blob is gone"));
  await expect(open(skill, "a.txt")).rejects.toThrow(new FileError("EIO", "open", "a.txt"));
  expect(skill.failure).toBe("the blob is gone");
});
