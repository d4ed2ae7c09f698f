import { describe, expect, test } from "vitest";
import { zoneFile } from "../../../src/sandbox/python/zones.ts";

/** The offsets at some times, read from a TZif file as a reader of version 2 does. */
function offsetsIn(file: Uint8Array, times: readonly number[]): number[] {
  const view = new DataView(file.buffer);
  const second = 44 + view.getUint32(36) * 6 + view.getUint32(40);
  const [changes, kinds] = [view.getUint32(second + 32), view.getUint32(second + 36)];
  const at = second + 44;
  return times.map((time) => {
    let kind = 0;
    for (let i = 0; i < changes && Number(view.getBigInt64(at + i * 8)) <= time; i++) {
      kind = view.getUint8(at + changes * 8 + i);
    }
    expect(kind).toBeLessThan(kinds);
    return view.getInt32(at + changes * 9 + kind * 6);
  });
}

describe("time zones", () => {
  test("summer time begins and ends on the second", () => {
    const begin = Date.UTC(2024, 2, 31, 1) / 1000;
    const end = Date.UTC(2024, 9, 27, 1) / 1000;
    expect(offsetsIn(zoneFile("Europe/Berlin"), [begin - 1, begin, end - 1, end])).toEqual([3600, 7200, 7200, 3600]);
  });

  test("zones without changes, with halves of hours, in the south", () => {
    const times = [Date.UTC(2024, 0, 15) / 1000, Date.UTC(2024, 6, 15) / 1000];
    expect(offsetsIn(zoneFile("UTC"), times)).toEqual([0, 0]);
    expect(offsetsIn(zoneFile("Asia/Kolkata"), times)).toEqual([19_800, 19_800]);
    expect(offsetsIn(zoneFile("Australia/Sydney"), times)).toEqual([39_600, 36_000]);
  });
});
