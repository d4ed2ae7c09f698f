/** Owns holding the shell's own parts against what bash and jq do: parentheses, bytes, widths, replacements, dates; never the shell. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sandboxParseDate } from "../../../src/sandbox/shell/jq-dates.ts";
import { sandboxArithmetic } from "../../../src/sandbox/shell/parentheses.ts";
import { sandboxCut, sandboxPadded, sandboxUnsigned } from "../../../src/sandbox/shell/printed.ts";
import { sandboxMatched, sandboxReplacement } from "../../../src/sandbox/shell/replacements.ts";
import { bytesOf, decodeText, encodeText, latin1 } from "../../../src/sandbox/shell/tools/text.ts";

test.each([
  ["((count - 1))", true],
  ["(((1 + 2) * 3 == 9))", true],
  ["((x\n+ 1\n))", true],
  ["(( x == ')' ))", true],
  ["((echo a); echo b)", false],
  ["((echo a) | cat)", false],
  ["((echo a) )", false],
  ["((echo", false],
])("sandboxArithmetic tells what %j is", (text, isArithmetic) => {
  expect(sandboxArithmetic(text, 2)).toBe(isArithmetic);
});

test("decodeText and encodeText keep all bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(encodeText(decodeText(bytes))).toEqual(bytes);
      expect(bytesOf(latin1(bytes))).toEqual(bytes);
    }),
  );
});

test("decodeText shows letters beside bytes that are none", () => {
  expect(decodeText(Uint8Array.of(0xff, 0xc3, 0xa9, 0x61, 0xe2, 0x82))).toBe("\uf7ffé\u0061\uf7e2\uf782");
});

test("sandboxPadded and sandboxCut count bytes", () => {
  expect([sandboxPadded("é", 4), sandboxPadded("é", -4), sandboxPadded("long", 2)]).toEqual(["  é", "é  ", "long"]);
  expect([sandboxCut("éa", 2), sandboxCut("éa", -1)]).toEqual(["é", "éa"]);
  expect(encodeText(sandboxCut("aé", 2))).toEqual(Uint8Array.of(0x61, 0xc3));
});

test("sandboxUnsigned gives C's unsigned long", () => {
  expect([sandboxUnsigned(-1), sandboxUnsigned(255)]).toEqual([2n ** 64n - 1n, 255n]);
});

test("sandboxReplacement puts the match where & stands unquoted", async () => {
  const parts = [
    { type: "Literal", value: "<&" },
    { type: "Escaped", value: "&" },
    { type: "ParameterExpansion", value: "\\&&" },
  ];
  const expand = async (_ctx: unknown, all: readonly { readonly value?: string }[]) =>
    all.map(({ value = "" }) => value).join("");
  const on = { state: { shoptOptions: { patsub_replacement: true } } };
  const off = { state: { shoptOptions: { patsub_replacement: false } } };
  expect(sandboxMatched(await sandboxReplacement(on, parts, expand), "$1")).toBe("<$1&&$1");
  expect(sandboxMatched(await sandboxReplacement(off, parts, expand), "m")).toBe("<&&\\&&");
});

test.each([
  ["2024-02-29", "%Y-%m-%d", [2024, 1, 29, 0, 0, 0, 4, 59]],
  ["2024-03-02T10:20:30Z", "%FT%T%z", [2024, 2, 2, 10, 20, 30, 6, 61]],
  ["5 Mar 2024", "%d %b %Y", [2024, 2, 5, 0, 0, 0, 2, 64]],
  ["2024.001", "%Y.%j", [2024, 0, 1, 0, 0, 0, 1, 0]],
  ["03/02/24", "%D", [2024, 2, 2, 0, 0, 0, 6, 61]],
  ["69", "%y", [1969, 0, 1, 0, 0, 0, 3, 0]],
  ["tomorrow", "%Y-%m-%d", null],
  ["2024-02-29x", "%Y-%m-%d", null],
])("sandboxParseDate reads %j as %j", (text, format, date) => {
  expect(sandboxParseDate(text, format)).toEqual(date);
});
