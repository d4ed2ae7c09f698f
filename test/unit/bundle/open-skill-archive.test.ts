import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSkillArchive } from "../../../src/bundle/archive/open-skill-archive.ts";
import { SKILL_ARCHIVE_LIMITS } from "../../../src/bundle/archive/refusal.ts";
import { tarArchive, zipArchive } from "../../../src/bundle/skill-archive.ts";
import { SkillsError } from "../../../src/model/errors.ts";
import { type EntrySpec, makeTarGz, makeZip } from "../../helpers/archives.ts";

const bytes = new TextEncoder().encode("x\n");
const SKILL: EntrySpec = { name: "SKILL.md", bytes };
const FORMATS = [
  { format: "tar.gz", make: makeTarGz, own: tarArchive },
  { format: "zip", make: makeZip, own: zipArchive },
] as const;

function refusalOf(archive: Uint8Array, limits = SKILL_ARCHIVE_LIMITS): string {
  try {
    openSkillArchive(archive, limits);
    return "opened";
  } catch (error) {
    return SkillsError.is(error) ? error.code : String(error);
  }
}

describe.each(FORMATS)("openSkillArchive() with $format", ({ make, own }) => {
  it("gives the files of an archive that this project makes", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}(\/[a-zä ]{1,8}){0,2}\.md$/), fc.uint8Array({ maxLength: 5_000 })),
        (more) => {
          const files = Object.entries({ ...more, "SKILL.md": bytes }).map(([path, content]) => ({
            path,
            bytes: content,
          }));
          const opened = openSkillArchive(own(files));
          expect([...opened].sort()).toEqual(files.map(({ path, bytes: content }) => [path, content] as const).sort());
        },
      ),
      { numRuns: 50 },
    );
  });

  it("takes directories, and names that begin with ./", () => {
    const opened = openSkillArchive(
      make([
        { name: "./", dir: true },
        { name: "./a/", dir: true },
        { name: "./SKILL.md", bytes },
        { name: "./a/b", bytes },
      ]),
    );
    expect([...opened.keys()]).toEqual(["SKILL.md", "a/b"]);
  });

  it("leaves out what systems and tools leave behind", () => {
    const opened = openSkillArchive(make([SKILL, { name: ".git/config", bytes }, { name: "a/.DS_Store", bytes }]));
    expect([...opened.keys()]).toEqual(["SKILL.md"]);
  });

  it.each(["a\\b", "C:b"])("no archive is made that holds %j, which it would refuse", (path) => {
    expect(() =>
      own([
        { path: "SKILL.md", bytes },
        { path, bytes },
      ]),
    ).toThrow(expect.objectContaining({ code: "archive-unsafe-path" }));
  });

  it.each<[string, string, readonly EntrySpec[]]>([
    ["a link", "archive-link", [SKILL, { name: "a", symlink: "SKILL.md" }]],
    ["a way upwards", "archive-unsafe-path", [SKILL, { name: "a/../../b", bytes }]],
    ["an absolute path", "archive-unsafe-path", [SKILL, { name: "/b", bytes }]],
    ["an absolute directory", "archive-unsafe-path", [SKILL, { name: "/", dir: true }]],
    ["a drive", "archive-unsafe-path", [SKILL, { name: "C:b", bytes }]],
    ["a backslash", "archive-unsafe-path", [SKILL, { name: "a\\b", bytes }]],
    ["an empty part", "archive-unsafe-path", [SKILL, { name: "a//b", bytes }]],
    ["two entries for one path", "archive-corrupt", [SKILL, { name: "./SKILL.md", bytes }]],
    ["a file that is a directory too", "archive-corrupt", [SKILL, { name: "SKILL.md/a", bytes }]],
    ["a directory of a file's name", "archive-corrupt", [SKILL, { name: "SKILL.md/", dir: true }]],
    ["its skill below a directory", "skill-md-missing", [{ name: "a/SKILL.md", bytes }]],
    ["nothing", "skill-md-missing", []],
  ])("refuses the whole for %s", (_, code, entries) => {
    expect(refusalOf(make(entries))).toBe(code);
  });

  it("stops at each limit", () => {
    const zeros = new Uint8Array(100_000);
    const archive = make([SKILL, { name: "zeros", bytes: zeros }]);
    expect([
      refusalOf(archive, { ...SKILL_ARCHIVE_LIMITS, archiveBytes: 100 }),
      refusalOf(archive, { ...SKILL_ARCHIVE_LIMITS, entries: 1 }),
      refusalOf(archive, { ...SKILL_ARCHIVE_LIMITS, bytes: 99_999 }),
      refusalOf(archive, { ...SKILL_ARCHIVE_LIMITS, ratio: 10, freeBytes: 0 }),
      refusalOf(archive),
    ]).toEqual(["archive-too-large", "archive-too-many-files", "archive-too-large", "archive-too-large", "opened"]);
  });

  it("stops a bomb long before it is unpacked", () => {
    const bomb = make([SKILL, { name: "zeros", bytes: new Uint8Array(64 * 1024 * 1024) }]);
    expect([bomb.byteLength < 1024 * 1024, refusalOf(bomb)]).toEqual([true, "archive-too-large"]);
  });

  it("answers a refusal, never a fault, for bytes that were changed or cut off", () => {
    const whole = Uint8Array.from(
      make([SKILL, { name: "a", bytes: Uint8Array.from({ length: 3_000 }, (_, i) => i * 7) }]),
    );
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = whole.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(refusalOf(changed)).toMatch(/^(?:opened|skill-md-missing|archive-[a-z-]+)$/);
        expect(refusalOf(whole.slice(0, at))).toBe("archive-corrupt");
      }),
      { numRuns: 300 },
    );
  });
});

describe("openSkillArchive()", () => {
  it.each([
    ["a hard link", makeTarGz([SKILL, { name: "a", hardlink: "SKILL.md" }]), "archive-link"],
    ["a device", makeTarGz([SKILL, { name: "a", type: "char-device" }]), "archive-link"],
    [
      "a name in an extension of tar",
      makeTarGz([SKILL, { name: "a", bytes, flags: { pax: true } }]),
      "archive-corrupt",
    ],
    ["a damaged checksum of gzip", makeTarGz([SKILL], "wrong"), "archive-corrupt"],
    ["a second gzip behind the first", Buffer.concat([makeTarGz([SKILL]), makeTarGz([SKILL])]), "archive-corrupt"],
    ["a password", makeZip([SKILL, { name: "a", bytes, flags: { encrypted: true } }]), "archive-encrypted"],
    ["a wrong checksum", makeZip([SKILL, { name: "a", bytes, flags: { crc: "wrong" } }]), "archive-corrupt"],
    ["a wrong size", makeZip([SKILL, { name: "a", bytes, flags: { declared_size: 1 } }]), "archive-corrupt"],
    ["zip64", makeZip([SKILL, { name: "a", bytes, flags: { zip64: true } }]), "archive-corrupt"],
    ["another method", makeZip([SKILL, { name: "a", bytes, flags: { method: 12 } }]), "archive-corrupt"],
    ["a tar that is not compressed", new Uint8Array(1024), "archive-corrupt"],
  ])("refuses %s", (_, archive, code) => {
    expect(refusalOf(archive)).toBe(code);
  });

  it("takes stored files, long paths of ustar and sizes behind the data", () => {
    const long = `${"d/".repeat(60)}file`;
    expect([
      [...openSkillArchive(makeTarGz([SKILL, { name: long, bytes, flags: { ustar_prefix: true } }])).keys()],
      [...openSkillArchive(makeZip([SKILL, { name: "a", bytes, flags: { method: "store" } }])).keys()],
      [...openSkillArchive(makeZip([SKILL, { name: "a", bytes, flags: { data_descriptor: true } }])).keys()],
    ]).toEqual([
      ["SKILL.md", long],
      ["SKILL.md", "a"],
      ["SKILL.md", "a"],
    ]);
  });
});
