/** Owns the memory of the runner over a thousand runs; the figures themselves are the bench's. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunBench, runMany, startRunBench } from "../../scripts/bench/sandbox-memory.ts";

let bench: RunBench;

beforeAll(async () => {
  bench = await startRunBench();
});

afterAll(async () => {
  await bench?.stop();
});

test("after 1,000 mixed runs of 20 skills, faults included, the runner holds at most 1.5 times of what it held after 50", async () => {
  const { early, late, wrong } = await runMany(bench);
  expect(wrong).toEqual([]);
  expect(bench.restarts()).toBe(0);
  expect(late / early).toBeLessThanOrEqual(1.5);
}, 600_000);
