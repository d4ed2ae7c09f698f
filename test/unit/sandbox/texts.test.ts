import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lengthOf, textOf, writeText } from "../../../src/sandbox/python/texts.ts";

function bytesOf(text: string, most = 10_000): Uint8Array {
  const into = new Uint8Array(12_000).fill(1);
  const length = writeText(text, into, 3, most);
  expect(into[3 + length]).toBe(0);
  return into.slice(3, 3 + length);
}

describe("names of Python", () => {
  test("are UTF-8 where they can be", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const bytes = new TextEncoder().encode(text);
        expect([textOf(bytes), bytesOf(text), lengthOf(text)]).toEqual([text, bytes, bytes.length]);
      }),
    );
  });

  test("are the same bytes again, whatever these are", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = textOf(bytes);
        expect([bytesOf(text), lengthOf(text)]).toEqual([bytes, bytes.length]);
      }),
    );
  });

  test("hold a byte that is no character as CPython does, and swallow nothing behind it", () => {
    expect(textOf(Uint8Array.of(0x64, 0xe9, 0x2f, 0x66, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xff))).toBe(
      "d\udce9/f\u00e9\udced\udca0\udc80\udcff",
    );
  });

  test("that have no room are cut between characters", () => {
    expect([bytesOf("a\u00e9", 3), bytesOf("a\u00e9", 4), bytesOf("", 1)].map((bytes) => bytes.length)).toEqual([
      1, 3, 0,
    ]);
  });
});
