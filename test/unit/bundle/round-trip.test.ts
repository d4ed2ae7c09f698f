import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeIndex, encodeIndex, type IndexEntry, indexEntry } from "../../../src/bundle/index-format.ts";
import { decodePointer, encodePointer, movePointer, type Pointer } from "../../../src/bundle/pointer-format.ts";
import {
  decodeRecord,
  encodeRecord,
  INLINE_FILE_BYTES,
  INLINE_TOTAL_BYTES,
} from "../../../src/bundle/record-format.ts";
import type { Digest } from "../../../src/model/digest.ts";
import { comparePaths, type JsonObject, type SkillFile, type SkillRecord } from "../../../src/model/record.ts";
import { GOLDEN_RECORD } from "../../helpers/golden.ts";

/** Any text that UTF-8 can hold, and the keys that JavaScript treats as something else. */
const text = fc.oneof(
  fc.string({ unit: "binary" }).filter((value) => value.isWellFormed()),
  fc.constantFrom("__proto__", "constructor", "toString", "\u0000", "\u2028", "</script>"),
);
const digest = fc
  .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 64, maxLength: 64 })
  .map((digits) => `sha256:${digits.join("")}` as Digest);

/** An object with these own keys, `__proto__` among them, as JSON.parse makes it. */
function withOwnKeys<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  const object: Record<string, Value> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

const strings = fc.array(fc.tuple(text, text), { maxLength: 4 }).map(withOwnKeys);
const object: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(text, fc.oneof(text, fc.array(text, { maxLength: 3 }), strings)), { maxLength: 4 })
  .map((entries) => withOwnKeys<JsonObject[string]>(entries));
const file: fc.Arbitrary<SkillFile> = fc.record({
  path: text,
  size: fc.nat(),
  digest,
  media_type: text,
  text: fc.boolean(),
});
const record: fc.Arbitrary<SkillRecord> = fc
  .tuple(
    fc.option(file),
    fc.record({
      name: text,
      aliases: fc.array(text, { maxLength: 3 }),
      digest,
      description: text,
      frontmatter: object,
      metadata: strings,
      allowed_tools: fc.array(text, { maxLength: 3 }),
      body: text,
      manifest: file,
      files: fc.array(file, { maxLength: 4 }),
      scripts: fc.array(
        fc.record({
          path: text,
          description: fc.option(text),
          runtime: fc.constantFrom("python", "bash", "javascript", null),
          parameters: object,
          runnable: fc.boolean(),
          reason: fc.option(text),
          compiled: fc.option(digest),
        }),
        { maxLength: 3 },
      ),
    }),
  )
  .map(([portable, { files, scripts, ...known }]) => ({
    ...known,
    ...(portable === null ? {} : { portable }),
    files,
    scripts,
  }));

/** Own keys and values in their order: what `toEqual` overlooks, `__proto__` and the order of keys, counts. */
const written = (value: unknown): string => JSON.stringify(value);

describe("decodeRecord()", () => {
  it("gives back any record that encodeRecord() wrote, own `__proto__` keys and the order of keys included", () => {
    fc.assert(
      fc.property(record, text, (given, content) => {
        const { record: read, texts } = decodeRecord(encodeRecord(given, () => content));
        expect(written(read)).toBe(written(given));
        expect([...texts.values()].every((value) => value === content)).toBe(true);
      }),
    );
  });
});

describe("decodeIndex()", () => {
  it("gives back the entries of any records, in path order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(record, digest), { maxLength: 5 }), (given) => {
        const entries: IndexEntry[] = given.map(([item, blob]) => indexEntry(item, blob));
        const sorted = entries.toSorted((a, b) => comparePaths(a.name, b.name));
        expect(written(decodeIndex(encodeIndex(entries)).skills)).toBe(written(sorted));
      }),
    );
  });
});

describe("decodePointer()", () => {
  it("gives back any pointer that moves made", () => {
    const move = fc.record(
      { bundle: digest, at: text, by: text, reason: fc.constantFrom("deploy", "rollback"), commit: text },
      { requiredKeys: ["bundle", "at", "by", "reason"] },
    );
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 60 }), (moves) => {
        const pointer = moves.reduce<Pointer | null>((known, item) => movePointer(known, item), null);
        expect(pointer && decodePointer(encodePointer(pointer))).toEqual(pointer);
      }),
    );
  });
});

describe("encodeRecord()", () => {
  const sized = (size: number, number: number, isText = true): SkillFile => ({
    path: `${number}.md`,
    size,
    digest: `sha256:${String(number).padStart(64, "0")}` as Digest,
    media_type: "text/markdown",
    text: isText,
  });
  const inlined = (files: readonly SkillFile[]): Digest[] => [
    ...decodeRecord(encodeRecord({ ...GOLDEN_RECORD, files }, () => "text")).texts.keys(),
  ];

  it("puts texts of up to INLINE_FILE_BYTES inside, and nothing else", () => {
    const [small, large, binary] = [sized(INLINE_FILE_BYTES, 1), sized(INLINE_FILE_BYTES + 1, 2), sized(10, 3, false)];
    expect(inlined([small, large, binary])).toEqual([small.digest]);
  });

  it("puts no more than INLINE_TOTAL_BYTES inside; smaller texts after one that did not fit still go in", () => {
    const full = INLINE_TOTAL_BYTES / INLINE_FILE_BYTES;
    const files = [
      ...Array.from({ length: full - 1 }, (_, i) => sized(INLINE_FILE_BYTES, i)),
      sized(INLINE_FILE_BYTES - 1, 100),
      sized(2, 101),
      sized(1, 102),
    ];
    expect(inlined(files)).toEqual(files.filter((item) => item.size !== 2).map((item) => item.digest));
  });

  it("puts a text that two files share inside once", () => {
    expect(inlined([sized(5, 1), { ...sized(5, 1), path: "copy.md" }])).toEqual([sized(5, 1).digest]);
  });
});
