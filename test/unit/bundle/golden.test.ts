import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { decodeBlockList } from "../../../src/bundle/block-list-format.ts";
import { BUNDLE_FORMAT, decodeIndex, encodeIndex } from "../../../src/bundle/index-format.ts";
import { decodePointer, encodePointer, HISTORY_LENGTH } from "../../../src/bundle/pointer-format.ts";
import {
  decodeRecord,
  encodeRecord,
  INLINE_FILE_BYTES,
  INLINE_TOTAL_BYTES,
} from "../../../src/bundle/record-format.ts";
import { digestOf } from "../../../src/model/digest.ts";
import { comparePaths } from "../../../src/model/record.ts";
import { digestLike, GOLDEN_ENTRIES, GOLDEN_POINTER, GOLDEN_RECORD, GOLDEN_TEXT } from "../../helpers/golden.ts";

const BUNDLES = fileURLToPath(new URL("../../fixtures/bundles/", import.meta.url).href);

function goldenBytes(file: string): Uint8Array {
  return new Uint8Array(readFileSync(`${BUNDLES}v${BUNDLE_FORMAT}/${file}`));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Every deployed bundle has these bytes: whoever changes one gives the format a new number and a new directory. */
const DIGESTS = {
  "index.json": "sha256:112dc04fe332b7fd3e7b75e9110cf0706fc40aa721cf2faa431e8fb9daf13339",
  "pointer.json": "sha256:4e7444a9f8b10240d1e94a5ce85aa2a55385c88ceb0fc5a831bc3531f1cf5f1a",
  "record.json": "sha256:3c8e7077ea2c48018167b8c257f57a7f99630ba4c27b426e72114fe4d6f4b68b",
};

describe("the committed bundle of format 1", () => {
  it("has the bytes it was committed with", async () => {
    const files = readdirSync(`${BUNDLES}v1`).sort();
    const digests = await Promise.all(files.map(async (file) => [file, await digestOf(goldenBytes(file))]));
    expect(Object.fromEntries(digests)).toEqual(DIGESTS);
  });

  it("stands in one directory for each format there has been, the current one the last", () => {
    const formats = Array.from({ length: BUNDLE_FORMAT }, (_, i) => `v${i + 1}`);
    expect(readdirSync(BUNDLES).sort()).toEqual(formats);
  });
});

describe("encodeIndex()", () => {
  it("writes the committed bytes, in whatever order the entries come", () => {
    const golden = textOf(goldenBytes("index.json"));
    expect(textOf(encodeIndex(GOLDEN_ENTRIES))).toBe(golden);
    expect(textOf(encodeIndex(GOLDEN_ENTRIES.toReversed()))).toBe(golden);
  });
});

describe("decodeIndex()", () => {
  it("reads the committed bytes", () => {
    const skills = GOLDEN_ENTRIES.toSorted((a, b) => comparePaths(a.name, b.name));
    expect(decodeIndex(goldenBytes("index.json"))).toEqual({ format: 1, skills });
  });
});

describe("encodeRecord()", () => {
  it("writes the committed bytes", () => {
    expect(textOf(encodeRecord(GOLDEN_RECORD, () => GOLDEN_TEXT))).toBe(textOf(goldenBytes("record.json")));
  });

  it("writes the same bytes whatever order a record's keys were put together in", () => {
    const turned = (value: object) => Object.fromEntries(Object.entries(value).toReversed());
    const record = {
      ...turned(GOLDEN_RECORD),
      frontmatter: GOLDEN_RECORD.frontmatter,
      metadata: GOLDEN_RECORD.metadata,
      manifest: turned(GOLDEN_RECORD.manifest),
      portable: turned(GOLDEN_RECORD.portable ?? {}),
      files: GOLDEN_RECORD.files.map(turned),
      scripts: GOLDEN_RECORD.scripts.map(turned),
    } as unknown as typeof GOLDEN_RECORD;
    expect(textOf(encodeRecord(record, () => GOLDEN_TEXT))).toBe(textOf(goldenBytes("record.json")));
  });
});

describe("decodeRecord()", () => {
  it("reads the committed bytes", () => {
    const { record, texts } = decodeRecord(goldenBytes("record.json"));
    expect(record).toEqual(GOLDEN_RECORD);
    expect([...texts]).toEqual([[digestLike("c"), GOLDEN_TEXT]]);
  });
});

describe("encodePointer() and decodePointer()", () => {
  it("write and read the committed bytes", () => {
    expect(textOf(encodePointer(GOLDEN_POINTER))).toBe(textOf(goldenBytes("pointer.json")));
    expect(decodePointer(goldenBytes("pointer.json"))).toEqual(GOLDEN_POINTER);
  });
});

describe("FORMAT.md", () => {
  const text = readFileSync(fileURLToPath(new URL("../../../src/bundle/FORMAT.md", import.meta.url).href), "utf8");
  const examples = [...text.matchAll(/^```text\n(.*)\n```$/gm)].map(([, json = ""]) =>
    new TextEncoder().encode(json.replace(/sha256:(.)\1…/g, (_, digit: string) => digestLike(digit))),
  );

  it("gives examples that can be read: an index, a record, a pointer, a block list", () => {
    const [index, record, pointer, list, ...rest] = examples as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    expect(decodeIndex(index).skills.map((skill) => skill.name)).toEqual(["unit-converter"]);
    expect([...decodeRecord(record).texts.keys()]).toEqual([digestLike("c")]);
    expect(decodePointer(pointer)).toEqual(GOLDEN_POINTER);
    const made = { reason: "tells a wrong dose", at: "2026-11-30T12:00:00.000Z", by: "ada" };
    const blocks = [
      { digest: digestLike("b"), ...made },
      { digest: digestLike("a"), ...made, with: digestLike("b") },
    ];
    expect(decodeBlockList(list)).toEqual({ seq: 1, blocks });
    expect(rest).toEqual([]);
  });

  it("states the limits that the code has", () => {
    const rows = text.replace(/ +/g, " ");
    expect(rows).toContain(`| a text inside a record | ${INLINE_FILE_BYTES / 1024} KiB |`);
    expect(rows).toContain(`| all texts inside a record | ${INLINE_TOTAL_BYTES / 1024} KiB |`);
    expect(rows).toContain(`| moves in a pointer's history | ${HISTORY_LENGTH} |`);
    expect(text).toContain(`\`format\` is ${BUNDLE_FORMAT}.`);
  });
});
