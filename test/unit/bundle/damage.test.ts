import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeIndex, encodeIndex } from "../../../src/bundle/index-format.ts";
import { blobKey, channelKey, indexKey } from "../../../src/bundle/keys.ts";
import { decodePointer, encodePointer, HISTORY_LENGTH, movePointer } from "../../../src/bundle/pointer-format.ts";
import { decodeRecord, encodeRecord } from "../../../src/bundle/record-format.ts";
import { SkillsError } from "../../../src/model/errors.ts";
import { failureOf } from "../../helpers/error-code.ts";
import { digestLike, GOLDEN_ENTRIES, GOLDEN_POINTER, GOLDEN_RECORD } from "../../helpers/golden.ts";

const DOCUMENTS = [
  { what: "decodeIndex()", decode: decodeIndex, bytes: encodeIndex(GOLDEN_ENTRIES) },
  { what: "decodeRecord()", decode: decodeRecord, bytes: encodeRecord(GOLDEN_RECORD, () => "text") },
  { what: "decodePointer()", decode: decodePointer, bytes: encodePointer(GOLDEN_POINTER) },
] as const;

const MAY_BE_ABSENT = new Set(["portable"]);

function edited(bytes: Uint8Array, change: (document: Record<string, unknown>) => void): Uint8Array {
  const document: Record<string, unknown> = JSON.parse(new TextDecoder().decode(bytes));
  change(document);
  return new TextEncoder().encode(JSON.stringify(document));
}

describe.each(DOCUMENTS)("$what", ({ decode, bytes }) => {
  it("throws bundle-format-unknown for another format, whatever else is in the document, and says what it reads", async () => {
    const other = new TextEncoder().encode('{"format":2,"something":"new"}');
    const failure = await failureOf(() => decode(other));
    expect(failure.code).toBe("bundle-format-unknown");
    expect(failure.message).toMatch(/its format is 2, this version reads 1$/);
  });

  it.each(["", "null", "[]", "{}", '{"format":"1"}', "\ufeff", "\u0000", '{"format":1}'])(
    "throws bundle-damaged for %j",
    async (text) => {
      expect((await failureOf(() => decode(new TextEncoder().encode(text)))).code).toBe("bundle-damaged");
    },
  );

  it("throws bundle-damaged for bytes that are not UTF-8", async () => {
    const damaged = Uint8Array.of(...bytes.subarray(0, 12), 0xff, ...bytes.subarray(13));
    expect((await failureOf(() => decode(damaged))).code).toBe("bundle-damaged");
  });

  it("throws bundle-damaged when any field is missing", async () => {
    const keys = Object.keys(JSON.parse(new TextDecoder().decode(bytes))).filter((key) => !MAY_BE_ABSENT.has(key));
    const codes = await Promise.all(
      keys.map(async (key) => {
        const damaged = edited(bytes, (document) => delete document[key]);
        return (await failureOf(() => decode(damaged))).code;
      }),
    );
    expect(new Set(codes)).toEqual(new Set(["bundle-damaged"]));
  });

  it("throws nothing but a SkillsError, wherever the bytes were cut or changed", () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), fc.boolean(), (at, byte, isCut) => {
        const damaged = isCut ? bytes.slice(0, at) : bytes.with(at, byte);
        try {
          decode(damaged);
        } catch (error) {
          expect(SkillsError.is(error)).toBe(true);
        }
      }),
    );
  });
});

describe("movePointer()", () => {
  it("puts the newest move first and keeps HISTORY_LENGTH of them", () => {
    const move = (number: number) =>
      ({ bundle: digestLike("a"), at: `move ${number}`, by: "ada", reason: "deploy" }) as const;
    let pointer = movePointer(null, move(0));
    for (let number = 1; number <= HISTORY_LENGTH + 5; number++) {
      pointer = movePointer(pointer, move(number));
    }
    const kept = Array.from({ length: HISTORY_LENGTH }, (_, i) => move(HISTORY_LENGTH + 5 - i));
    expect(pointer).toEqual({ format: 1, bundle: digestLike("a"), history: kept });
  });
});

describe("storage keys", () => {
  it("are a prefix and what the prefix names", () => {
    const digest = digestLike("a");
    expect([blobKey(digest), indexKey(digest), channelKey("acme", "live")]).toEqual([
      `blob/${"a".repeat(64)}`,
      `index/${"a".repeat(64)}`,
      "channel/acme/live",
    ]);
  });
});
