import { expect, it } from "vitest";
import { runLoad } from "../../scripts/bench/load.ts";

it("answers 64 connections whole and of one bundle each while bundles are deployed and rolled back", async () => {
  // A little longer than an isolate keeps a pointer, so that it sees a second bundle.
  const { times, wrong, bundles } = await runLoad({ seconds: 6, connections: 64, moveEveryMs: 300 });
  expect(wrong).toEqual([]);
  expect([...times].filter(([, took]) => took.length === 0)).toEqual([]);
  expect(bundles).toBeGreaterThan(1);
});
