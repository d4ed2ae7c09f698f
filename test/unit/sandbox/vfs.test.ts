import { describe, expect, test } from "vitest";
import { FileError } from "../../../src/sandbox/files/errors.ts";
import { plant, sealedDir, sealedFile } from "../../../src/sandbox/files/sealed.ts";
import { Store } from "../../../src/sandbox/files/store.ts";
import { Vfs } from "../../../src/sandbox/files/vfs.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (files: Vfs, path: string) => new TextDecoder().decode(files.readFile(path));

function makeFiles(limits = { bytes: 1000, nodes: 100 }): Vfs {
  return new Vfs(new Store(limits, () => 1_000));
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof FileError ? error.code : String(error);
  }
  return "none";
}

describe("paths", () => {
  test("links are followed in the middle and, when asked, at the end", () => {
    const files = makeFiles();
    files.mkdirAll("/a/b");
    files.writeFile("/a/b/f", bytes("x"));
    files.symlink("b", "/a/link");
    files.symlink("/a/link/f", "/to-f");
    expect(text(files, "/a/link/f")).toBe("x");
    expect(files.realpath("/to-f")).toBe("/a/b/f");
    expect(files.find("/to-f", "nofollow").kind).toBe("link");
  });

  test("`..` behind a link goes to the parent of where the link leads", () => {
    const files = makeFiles();
    files.mkdirAll("/a/b/c");
    files.writeFile("/a/b/f", bytes("in b"));
    files.symlink("/a/b/c", "/c");
    expect(text(files, "/c/../f")).toBe("in b");
  });

  test("nothing lies above the root", () => {
    const files = makeFiles();
    files.writeFile("/f", bytes("x"));
    expect(text(files, "/../../f")).toBe("x");
  });

  test("a link to itself ends in ELOOP", () => {
    const files = makeFiles();
    files.symlink("loop", "/loop");
    expect(codeOf(() => files.find("/loop"))).toBe("ELOOP");
    expect(codeOf(() => files.writeFile("/loop", bytes("x")))).toBe("ELOOP");
  });

  test("a file is no directory, with or without a slash", () => {
    const files = makeFiles();
    files.writeFile("/f", bytes("x"));
    expect(codeOf(() => files.find("/f/"))).toBe("ENOTDIR");
    expect(codeOf(() => files.find("/f/x"))).toBe("ENOTDIR");
    expect(codeOf(() => files.find("/none"))).toBe("ENOENT");
  });

  test("writing through a link that leads to nothing makes what it leads to", () => {
    const files = makeFiles();
    files.symlink("target", "/link");
    files.writeFile("/link", bytes("x"));
    expect(text(files, "/target")).toBe("x");
  });
});

describe("bytes", () => {
  test("shared bytes are copied before the first write", () => {
    const files = makeFiles();
    const shared = bytes("abc");
    const { dir, name } = files.parent("/f", "open");
    files.attach(dir, name, files.store.file(shared, 0o644));
    files.appendFile("/f", bytes("d"));
    expect(text(files, "/f")).toBe("abcd");
    expect(new TextDecoder().decode(shared)).toBe("abc");
  });

  test("a gap is filled with zeros", () => {
    const files = makeFiles();
    files.store.write(files.openFile("/f"), bytes("x"), 3);
    expect([...files.readFile("/f")]).toEqual([0, 0, 0, 120]);
  });

  test("truncating and growing again shows zeros, never old bytes", () => {
    const files = makeFiles();
    files.writeFile("/f", bytes("secret"));
    const node = files.openFile("/f");
    files.store.truncate(node, 1);
    files.store.truncate(node, 4);
    expect([...files.readFile("/f")]).toEqual([115, 0, 0, 0]);
  });

  test("more than the quota is refused, and removing gives room back", () => {
    const files = makeFiles({ bytes: 100, nodes: 100 });
    files.writeFile("/a", new Uint8Array(80));
    expect(codeOf(() => files.writeFile("/b", new Uint8Array(80)))).toBe("ENOSPC");
    expect(files.store.exhausted).toBe(true);
    files.unlink("/a");
    files.writeFile("/b", new Uint8Array(80));
    expect(files.readFile("/b").length).toBe(80);
  });

  test("only what files hold counts, not the room they have to grow", () => {
    const files = makeFiles({ bytes: 100, nodes: 100 });
    for (const name of ["/a", "/b", "/c", "/d"]) {
      for (let i = 0; i < 20; i++) {
        files.appendFile(name, bytes("x"));
      }
    }
    files.writeFile("/e", new Uint8Array(20));
    expect(codeOf(() => files.appendFile("/a", bytes("x")))).toBe("ENOSPC");
  });

  test("a file that was cut keeps no room that is not counted", () => {
    const files = makeFiles({ bytes: 50_100, nodes: 100 });
    for (let i = 0; i < 20; i++) {
      files.writeFile(`/${i}`, new Uint8Array(50_000));
      files.store.truncate(files.openFile(`/${i}`), 1);
      expect(files.openFile(`/${i}`).data.length).toBe(256);
    }
    files.writeFile("/g", new Uint8Array(80));
    files.store.truncate(files.openFile("/g"), 10);
    files.store.write(files.openFile("/g"), bytes("y"), 12);
    expect([...files.readFile("/g").subarray(9)]).toEqual([0, 0, 0, 121]);
  });

  test("appending little by little stays within the quota", () => {
    const files = makeFiles({ bytes: 1000, nodes: 100 });
    for (let i = 0; i < 1000; i++) {
      files.appendFile("/f", bytes("x"));
    }
    expect(files.readFile("/f").length).toBe(1000);
    expect(codeOf(() => files.appendFile("/f", bytes("x")))).toBe("ENOSPC");
  });

  test("there are only so many nodes", () => {
    const files = makeFiles({ bytes: 1000, nodes: 5 });
    expect(codeOf(() => Array.from({ length: 10 }, (_, i) => files.writeFile(`/${i}`, bytes(""))))).toBe("ENOSPC");
  });

  test("an open file keeps its bytes and its room when its name goes", () => {
    const files = makeFiles({ bytes: 100, nodes: 100 });
    files.writeFile("/f", new Uint8Array(80).fill(1));
    const node = files.openFile("/f");
    node.opens++;
    files.unlink("/f");
    expect(node.size).toBe(80);
    expect(codeOf(() => files.writeFile("/g", new Uint8Array(80)))).toBe("ENOSPC");
    node.opens--;
    files.store.release(node);
    files.writeFile("/g", new Uint8Array(80));
  });
});

describe("names", () => {
  test("rename replaces a file, but not a directory that holds something", () => {
    const files = makeFiles();
    files.mkdirAll("/d/e");
    files.writeFile("/a", bytes("a"));
    files.writeFile("/b", bytes("b"));
    files.rename("/a", "/b");
    expect(text(files, "/b")).toBe("a");
    files.mkdirAll("/x");
    expect(codeOf(() => files.rename("/x", "/d"))).toBe("ENOTEMPTY");
    expect(codeOf(() => files.rename("/b", "/d"))).toBe("EISDIR");
    expect(codeOf(() => files.rename("/d", "/d/e/f"))).toBe("EINVAL");
  });

  test("two names of one file show the same bytes", () => {
    const files = makeFiles();
    files.writeFile("/a", bytes("1"));
    files.link("/a", "/b");
    files.writeFile("/b", bytes("2"));
    files.unlink("/a");
    expect(text(files, "/b")).toBe("2");
  });

  test("removing a tree does not follow links", () => {
    const files = makeFiles();
    files.mkdirAll("/keep");
    files.writeFile("/keep/f", bytes("x"));
    files.mkdirAll("/d");
    files.symlink("/keep", "/d/link");
    files.removeTree("/d");
    expect(text(files, "/keep/f")).toBe("x");
  });
});

describe("long paths", () => {
  test("have names of 255 bytes at most, as Linux counts them", () => {
    const files = makeFiles({ bytes: 1000, nodes: 100 });
    for (const name of ["x".repeat(255), "\u20ac".repeat(85), "\u00e9".repeat(127)]) {
      files.mkdir(`/${name}`);
    }
    for (const name of ["x".repeat(256), "\u20ac".repeat(86), "\u00e9".repeat(128)]) {
      expect(codeOf(() => files.mkdir(`/${name}`))).toBe("ENAMETOOLONG");
    }
  });

  const deep = (parts: number) => "/d".repeat(parts);

  test("end where they do on Linux, in one go and step by step, and nothing is left half made", () => {
    const files = makeFiles({ bytes: 1000, nodes: 20_000 });
    expect(codeOf(() => files.mkdirAll(deep(100_000)))).toBe("ENAMETOOLONG");
    expect([...files.root.entries.keys()]).toEqual([]);
    files.mkdirAll(deep(2_047));
    expect(codeOf(() => files.mkdir(`${deep(2_047)}/d`))).toBe("ENAMETOOLONG");
    expect(codeOf(() => files.find(deep(100_000)))).toBe("ENAMETOOLONG");
    expect(files.peek(deep(100_000))).toBeNull();
  });

  test("are not made by moving a directory below another one", () => {
    const files = makeFiles({ bytes: 1000, nodes: 20_000 });
    files.mkdirAll(`/a${deep(1_500)}`);
    files.mkdirAll(`/b${deep(1_500)}`);
    expect(codeOf(() => files.rename("/a", `/b${deep(1_500)}/a`))).toBe("ENAMETOOLONG");
    files.rename("/a", "/b/a");
    expect(files.find(`/b/a${deep(1_500)}`).kind).toBe("dir");
    expect(codeOf(() => files.mkdirAll(`/b/a${deep(2_046)}`))).toBe("ENAMETOOLONG");
  });

  test("have no more characters together than there is room for, wherever the files were made", () => {
    const files = makeFiles({ bytes: 1000, nodes: 100 });
    const far = `/${"x".repeat(255)}`.repeat(14);
    files.mkdirAll(far);
    expect(codeOf(() => Array.from({ length: 20 }, (_, i) => files.writeFile(`${far}/${i}`, bytes(""))))).toBe(
      "ENOSPC",
    );
    expect(files.store.exhausted).toBe(true);
    const moved = makeFiles({ bytes: 1000, nodes: 100 });
    moved.mkdirAll(far);
    moved.mkdir("/near");
    for (let i = 0; i < 20; i++) {
      moved.writeFile(`/near/${i}`, bytes(""));
    }
    expect(codeOf(() => moved.rename("/near", `${far}/near`))).toBe("ENOSPC");
    expect(moved.find("/near/0").kind).toBe("file");
    moved.removeTree("/near");
    for (let i = 0; i < 40; i++) {
      moved.writeFile(`/${i}`, bytes(""));
      moved.unlink(`/${i}`);
    }
  });

  test("are not hidden in links", () => {
    const files = makeFiles();
    files.symlink("x".repeat(4_095), "/long");
    expect(codeOf(() => files.symlink("x".repeat(4_096), "/longer"))).toBe("ENAMETOOLONG");
  });
});

describe("what runs share", () => {
  test("stays where it is, and gets no second name", () => {
    const files = makeFiles();
    const usr = sealedDir();
    const program = sealedFile(0, () => bytes(""));
    plant(usr, "bin/jq", program);
    files.root.entries.set("usr", usr);
    files.mkdir("/tmp");
    const codes = [
      () => files.rename("/usr", "/tmp/usr"),
      () => files.removeTree("/usr"),
      () => files.rename("/usr/bin/jq", "/tmp/jq"),
      () => files.link("/usr/bin/jq", "/tmp/jq"),
      () => files.setMeta(program, { mode: 0o777 }),
    ].map(codeOf);
    expect(codes).toEqual(["EBUSY", "EROFS", "EBUSY", "EXDEV", "EROFS"]);
    expect([usr.parent === usr, program.links, files.find("/usr/bin/jq") === program]).toEqual([true, 1, true]);
  });
});

test("a size that is no number takes no room", () => {
  const files = makeFiles({ bytes: 100, nodes: 10 });
  files.writeFile("/f", bytes("x"));
  const node = files.openFile("/f");
  expect(codeOf(() => files.store.truncate(node, Number.NaN))).toBe("ENOSPC");
  expect(codeOf(() => files.store.truncate(node, 101))).toBe("ENOSPC");
});
