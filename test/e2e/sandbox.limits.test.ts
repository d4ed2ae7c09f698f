/** Owns every limit of a run in every language, alone: what is said, what is kept; never a crowd, nor what cannot be stopped from inside. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Runtime } from "../../src/model/run.ts";
import { type Harness, startHarness } from "./sandbox.harness.ts";
import { EGRESS, expected, HITS, type Hit, STOPPED } from "./sandbox.hits.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

async function run({ runtime, source, limits }: Hit) {
  return (await harness.run({ runtime, source, limits, egress: EGRESS })).result;
}

describe.concurrent("a limit is named, and what was done before it is kept", () => {
  test.each(HITS)("$limit of $runtime with $limits", async (one) => {
    const result = await run(one);
    expect(result).toMatchObject(expected(one));
    expect(result.duration_ms).toBeGreaterThan(0);
  });
});

async function expectKept(runtime: Runtime, source: string, words: string): Promise<void> {
  const files = [{ path: "scripts/inner.js", text: "console.log('inner'); setTimeout(() => 0, 60000)" }];
  const { result } = await harness.run({ runtime, source, files, limits: { timeout_ms: 5_000 } });
  expect(result).toMatchObject({ exit_code: null, timed_out: true, limit: "wall" });
  expect(result.stdout.trim().split(/\s+/).sort()).toEqual(words.split(" ").sort());
}

describe.concurrent("a stop from inside", () => {
  test.each([
    ["python", "import subprocess\nprint('own')\nsubprocess.run(['bash', '-c', 'echo inner; sleep 60'])", "own inner"],
    ["python", "import sys\nsys.stdout.write('no line end')\nwhile True: pass", "no line end"],
    ["bash", "echo own; python3 -c 'print(\"inner\"); import time; time.sleep(60)'", "own inner"],
    ["bash", "echo own; bash -c 'echo inner; sleep 60'", "own inner"],
    ["bash", "echo own; node scripts/inner.js", "own inner"],
    ["bash", "echo own; { echo piped; sleep 60; } | cat", "own piped"],
    ["bash", "trap 'echo never' EXIT; echo own; sleep 60", "own"],
    ["bash", "while echo own; do sleep 60; done", "own"],
    ["bash", "set -e; f() { echo own; sleep 60; }; f", "own"],
    ["javascript", "process.stdout.write('own'); (async () => { for (;;) await null; })()", "own"],
  ] as const)("keeps what was printed: %s: %s", expectKept);

  test("gives a Python script no time to go on in", async () => {
    const source =
      "import signal, sys\ndef on(*a):\n    sys.stderr.write('H')\n    sys.stderr.flush()\n    while True: pass\nsignal.signal(signal.SIGUSR1, on)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass";
    const { result } = await harness.run({ runtime: "python", source, limits: { timeout_ms: 5_000 } });
    expect(result).toMatchObject({ ...STOPPED, limit: "wall", stderr: "H" });
  });
});
