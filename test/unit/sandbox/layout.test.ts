import { describe, expect, test } from "vitest";
import { collectChanges } from "../../../src/sandbox/files/changes.ts";
import { applyDelta, pathsOf, takeDelta } from "../../../src/sandbox/files/delta.ts";
import { layOut } from "../../../src/sandbox/files/layout.ts";
import { plant, sealedDir, sealedFile } from "../../../src/sandbox/files/sealed.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const LIMITS = { files: 100, file_bytes: 1000 };

function start(skill: Record<string, string>, inputs: Record<string, string> = {}) {
  const placed = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) }));
  const usr = sealedDir();
  plant(
    usr,
    "bin/jq",
    sealedFile(0, () => new Uint8Array(0), 0o555),
  );
  return layOut({ skill: placed(skill), inputs: placed(inputs), quota: 10_000, usr, now: () => 0 });
}

describe("layout", () => {
  test("a call's files lie over the skill's, and no path leads out of the skill", () => {
    const { files } = start({ "a.txt": "skill" }, { "a.txt": "call", "../../etc/x": "out", "/abs": "abs" });
    expect(new TextDecoder().decode(files.readFile("/skill/a.txt"))).toBe("call");
    expect(files.peek("/etc/x")).toBeNull();
    expect(files.peek("/skill/etc/x")?.kind).toBe("file");
    expect(files.peek("/skill/abs")?.kind).toBe("file");
  });

  test("what the sandbox provides cannot be changed", () => {
    const { files } = start({});
    expect(() => files.writeFile("/usr/bin/jq", bytes("x"))).toThrow("EROFS");
    expect(() => files.writeFile("/usr/bin/new", bytes("x"))).toThrow("EROFS");
    expect(() => files.unlink("/usr/bin/jq")).toThrow("EROFS");
    expect(files.find("/bin/jq").mode).toBe(0o555);
  });

  test("devices take and give, and hold nothing", () => {
    const { files } = start({});
    files.writeFile("/dev/null", bytes("gone"));
    expect(files.readFile("/dev/null").length).toBe(0);
    expect(files.readFile("/dev/urandom").length).toBeGreaterThan(1000);
  });
});

describe("changes", () => {
  test("new and changed files come back, unchanged and restored ones do not", () => {
    const layout = start({ "same.txt": "1", "changed.txt": "1", "restored.txt": "1" });
    layout.files.writeFile("/skill/changed.txt", bytes("2"));
    layout.files.writeFile("/skill/restored.txt", bytes("2"));
    layout.files.writeFile("/skill/restored.txt", bytes("1"));
    layout.files.writeFile("/skill/new.bin", new Uint8Array([0, 255]));
    layout.files.writeFile("/tmp/elsewhere.txt", bytes("x"));
    expect(collectChanges(layout, LIMITS)).toEqual({
      cut: false,
      files: [
        { path: "changed.txt", size: 1, encoding: "utf-8", content: "2" },
        { path: "new.bin", size: 2, encoding: "base64", content: "AP8=" },
      ],
    });
  });

  test("links are never followed, and a replaced /skill gives nothing", () => {
    const layout = start({ "a.txt": "1" });
    layout.files.writeFile("/tmp/secret", bytes("s"));
    layout.files.symlink("/tmp/secret", "/skill/link.txt");
    layout.files.symlink("/tmp", "/skill/dir");
    expect(collectChanges(layout, LIMITS).files).toEqual([]);
    layout.files.removeTree("/skill");
    layout.files.symlink("/tmp", "/skill");
    expect(collectChanges(layout, LIMITS).files).toEqual([]);
  });

  test("files and bytes beyond the limits are cut", () => {
    const layout = start({});
    for (let i = 0; i < 5; i++) {
      layout.files.writeFile(`/skill/${i}`, bytes("xxxx"));
    }
    expect(collectChanges(layout, { files: 3, file_bytes: 1000 })).toMatchObject({ cut: true, files: { length: 3 } });
    expect(collectChanges(layout, { files: 100, file_bytes: 9 })).toMatchObject({ cut: true, files: { length: 2 } });
  });
});

describe("delta", () => {
  test("brings another file system to the same state, there and back", () => {
    const here = start({ "a.txt": "1", "b.txt": "2" });
    const beforeHere = pathsOf(here.files);
    here.files.writeFile("/skill/a.txt", bytes("changed"));
    here.files.unlink("/skill/b.txt");
    here.files.mkdirAll("/skill/d/e");
    here.files.symlink("a.txt", "/skill/link");
    const there = start({ "a.txt": "1", "b.txt": "2" });
    applyDelta(there.files, takeDelta(here.files, beforeHere), "shared");
    expect(new TextDecoder().decode(there.files.readFile("/skill/link"))).toBe("changed");
    expect(there.files.peek("/skill/b.txt")).toBeNull();
    expect(there.files.peek("/skill/d/e")?.kind).toBe("dir");
    const beforeThere = pathsOf(there.files);
    there.files.writeFile("/tmp/out", bytes("x"));
    const back = takeDelta(there.files, beforeThere);
    expect(back.files.map((file) => file.path)).toEqual(["/tmp/out"]);
    applyDelta(here.files, back, "written");
    expect(new TextDecoder().decode(here.files.readFile("/tmp/out"))).toBe("x");
  });
});
