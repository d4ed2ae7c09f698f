import { describe, expect, it } from "vitest";
import { decodeBlockList, encodeBlockList } from "../../../src/bundle/block-list-format.ts";
import { decodePointer, encodePointer, movePointer, withBlockList } from "../../../src/bundle/pointer-format.ts";
import { type BlockList, blockedBy, blockedByAny, NO_BLOCKS, NOTHING_BLOCKED } from "../../../src/model/blocks.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { digestLike, GOLDEN_POINTER } from "../../helpers/golden.ts";

const [A, B, C] = [digestLike("a"), digestLike("b"), digestLike("c")];
const MADE = { reason: "wrong dose", at: "2026-11-30T12:00:00.000Z", by: "ada" };
const LIST: BlockList = {
  seq: 3,
  blocks: [
    { digest: A, ...MADE },
    { digest: B, ...MADE, with: A },
  ],
};

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe("the block list", () => {
  it("comes back from its document, and from a pointer that has a copy, as it was", () => {
    expect(decodeBlockList(encodeBlockList(LIST))).toEqual(LIST);
    expect(decodeBlockList(null)).toEqual(NO_BLOCKS);
    const pointer = withBlockList(GOLDEN_POINTER, LIST);
    expect(decodePointer(encodePointer(pointer))).toEqual({ ...GOLDEN_POINTER, blocked: LIST });
  });

  it("stays in a pointer that moves, and never gives way to an older one", () => {
    const pointer = withBlockList(GOLDEN_POINTER, LIST);
    const move = { bundle: C, at: MADE.at, by: "bob", reason: "deploy" } as const;
    expect(movePointer(pointer, move).blocked).toEqual(LIST);
    expect(withBlockList(pointer, { seq: 2, blocks: [] })).toBe(pointer);
    expect(withBlockList(pointer, { seq: 4, blocks: [] }).blocked).toEqual({ seq: 4, blocks: [] });
    expect(withBlockList(GOLDEN_POINTER, NO_BLOCKS)).toBe(GOLDEN_POINTER);
  });

  it.each([
    ["no JSON", new TextEncoder().encode("{"), "bundle-damaged"],
    ["no number", bytesOf({ format: 1, blocks: [] }), "bundle-damaged"],
    ["no digest", bytesOf({ format: 1, seq: 1, blocks: [{ digest: "x", ...MADE }] }), "bundle-damaged"],
    ["another format", bytesOf({ format: 2, seq: 1, blocks: [] }), "bundle-format-unknown"],
  ])("that has %s is refused", async (_, bytes, code) => {
    expect(await codeOf(async () => decodeBlockList(bytes))).toBe(code);
  });
});

describe("blockedByAny()", () => {
  it("blocks what any of the lists blocks, under one key for the same lists", () => {
    const later: BlockList = { seq: 4, blocks: [...LIST.blocks, { digest: C, ...MADE }] };
    const both = blockedByAny([LIST, later]);
    expect([both.of(A)?.digest, both.of(null, undefined, C)?.digest, both.of(digestLike("d"))]).toEqual([A, C, null]);
    expect(both.key).toBe(blockedByAny([later, LIST]).key);
    expect(blockedByAny([LIST, LIST])).toBe(blockedBy(LIST));
    expect(new Set([both.key, blockedBy(LIST).key, blockedBy(later).key, NOTHING_BLOCKED.key]).size).toBe(4);
    expect(blockedByAny([NO_BLOCKS, { seq: 5, blocks: [] }])).toBe(NOTHING_BLOCKED);
  });
});
