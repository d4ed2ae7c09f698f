import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteCache } from "../../../src/sources/byte-cache.ts";

describe("ByteCache", () => {
  it("gives what was set, and undefined for what was not", () => {
    const cache = new ByteCache(100);
    cache.set("a", "value", 10);
    expect([cache.get("a"), cache.get("b"), cache.bytes]).toEqual(["value", undefined, 10]);
  });

  it("puts out the least recently used first: reading counts as use", () => {
    const cache = new ByteCache(30);
    cache.set("a", 1, 10);
    cache.set("b", 2, 10);
    cache.set("c", 3, 10);
    cache.get("a");
    cache.set("d", 4, 10);
    expect(["a", "b", "c", "d"].map((key) => cache.get(key))).toEqual([1, undefined, 3, 4]);
  });

  it("lets a value over half of its bytes pass by, and forgets what the key held before", () => {
    const cache = new ByteCache(100);
    cache.set("a", "old", 10);
    cache.set("b", "stays", 10);
    cache.set("a", "too large", 51);
    expect([cache.get("a"), cache.get("b"), cache.bytes]).toEqual([undefined, "stays", 10]);
  });

  it("counts a value that replaces another one once", () => {
    const cache = new ByteCache(100);
    cache.set("a", 1, 40);
    cache.set("a", 2, 20);
    expect([cache.get("a"), cache.bytes]).toEqual([2, 20]);
  });

  it("never holds more than its bytes, and counts exactly what it holds", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c", "d", "e"), bytes: fc.nat(80), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new ByteCache(100);
        for (const { key, bytes, gone } of steps) {
          if (gone) {
            cache.delete(key);
          } else {
            cache.set(key, bytes, bytes);
          }
          const held = ["a", "b", "c", "d", "e"].map((name) => cache.get<number>(name) ?? 0);
          expect(cache.bytes).toBe(held.reduce((sum, size) => sum + size));
          expect(cache.bytes).toBeLessThanOrEqual(100);
        }
      }),
    );
  });
});
