/** Owns what becomes of runs and processes when a run cannot be stopped from inside, or takes its process down; never the limits that are kept inside. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const SEARCH = "console.log('lost'); /^(a+)+$/.test('a'.repeat(45) + 'b')";
const MEMORY = "const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5));";
const BYSTANDER = { runtime: "python", source: "import time\ntime.sleep(2)\nprint('unharmed')" } as const;
const API = "https://api.example.test";
const EGRESS = { allow: [API], stub: { "*": { status: 200, body: "fine" } } };

const run = async (one: CaseRun) => (await harness.run(one)).result;

/** A run that has used the network and then waits. */
const caller = (path: string): CaseRun => ({
  runtime: "bash",
  source: `curl -s ${API}/${path}; sleep 8; echo unharmed`,
  egress: EGRESS,
});

describe("a run that blocks its process", () => {
  test.each([
    ["javascript", SEARCH, { timeout_ms: 1_000 }, "wall"],
    ["python", "sum(range(10**12))", { timeout_ms: 1_000 }, "wall"],
    ["python", "sum(range(10**12))", { cpu_ms: 1_000 }, "cpu"],
  ] as const)("%s: %s is stopped by its limit %o", async (runtime, source, limits, limit) => {
    const result = await run({ runtime, source, limits });
    expect(result).toMatchObject({ exit_code: null, timed_out: true, limit, stdout: "" });
    expect(result.duration_ms).toBeGreaterThanOrEqual(1_000);
  });

  test("holds up nobody who comes meanwhile, and those who were there begin again", async () => {
    const before = harness.runner.restarts;
    const blocker = run({ runtime: "javascript", source: SEARCH, limits: { timeout_ms: 6_000 } });
    const bystander = run(BYSTANDER);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const newcomers = await Promise.all(
      ["one", "two", "three"].map((word) => run({ runtime: "bash", source: `echo ${word}` })),
    );
    expect(newcomers.map((result) => result.stdout)).toEqual(["one\n", "two\n", "three\n"]);
    const first = await Promise.race([blocker.then(() => "blocker"), bystander.then(() => "bystander")]);
    expect(first).toBe("bystander");
    expect(await bystander).toMatchObject({ exit_code: 0, stdout: "unharmed\n", limit: null });
    expect(await blocker).toMatchObject({ exit_code: null, timed_out: true, limit: "wall" });
    expect(harness.runner.restarts).toBeGreaterThan(before);
  });

  test("takes down with it who has used the network, which is not done twice, and that one says so", async () => {
    const calling = run(caller("once"));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [blocker, lost] = await Promise.all([
      run({ runtime: "javascript", source: SEARCH, limits: { timeout_ms: 2_000 } }),
      calling,
    ]);
    expect(blocker).toMatchObject({ exit_code: null, timed_out: true, limit: "wall" });
    expect(lost).toEqual({
      refused: "runner-lost",
      message: "another run blocked its process, which had to be ended",
    });
  });
});

describe("a run that takes all memory", () => {
  test("takes down with it who has used the network, which is not done twice, and that one says so", async () => {
    const calling = run(caller("memory"));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const [bomb, lost] = await Promise.all([run({ runtime: "javascript", source: MEMORY }), calling]);
    expect(bomb).toMatchObject({ exit_code: null, timed_out: false, limit: "memory" });
    expect(lost).toEqual({
      refused: "runner-lost",
      message: "its process died, and another run in it may be why",
    });
  });

  test("is found, and only it fails", async () => {
    const [bomb, other] = await Promise.all([run({ runtime: "javascript", source: MEMORY }), run(BYSTANDER)]);
    expect(bomb).toMatchObject({ exit_code: null, timed_out: false, limit: "memory" });
    expect(bomb.duration_ms).toBeGreaterThan(0);
    expect(other).toMatchObject({ exit_code: 0, stdout: "unharmed\n" });
  });
});
