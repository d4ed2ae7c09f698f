/** Owns every limit of a run in every language, alone and in a crowd: what is said, what is kept; never what cannot be stopped from inside. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunLimitName, RunLimits, Runtime } from "../../src/model/run.ts";
import { type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

/** A run that hits one limit. */
interface Hit {
  readonly limit: RunLimitName | "output";
  readonly runtime: Runtime;
  readonly source: string;
  readonly limits: Partial<RunLimits>;
  /** What the answer has beside the limit. */
  readonly says: object;
}

const API = "https://api.example.test";
const EGRESS = { allow: [API], stub: { "*": { status: 200, body: "x".repeat(1_000) } } };
const STOPPED = { exit_code: null, timed_out: true };
const GOES_ON = { exit_code: 0, timed_out: false };
const FAILS = { exit_code: 1, timed_out: false };

const hit = (
  limit: Hit["limit"],
  limits: Partial<RunLimits>,
  sources: Readonly<Partial<Record<Runtime, readonly [source: string, says: object]>>>,
): Hit[] =>
  Object.entries(sources).map(([runtime, [source, says]]) => ({
    limit,
    runtime: runtime as Runtime,
    source,
    limits,
    says,
  }));

const HITS: readonly Hit[] = [
  ...hit(
    "wall",
    { timeout_ms: 4_000 },
    {
      python: ["import time\nprint('before')\ntime.sleep(60)", { ...STOPPED, stdout: "before\n" }],
      bash: ["echo before; sleep 60", { ...STOPPED, stdout: "before\n" }],
      javascript: ["console.log('before'); setTimeout(() => 0, 60000)", { ...STOPPED, stdout: "before\n" }],
    },
  ),
  ...hit(
    "cpu",
    { cpu_ms: 20 },
    {
      python: ["print('before')\nwhile True: pass", { ...STOPPED, stdout: "before\n" }],
      bash: ["echo before; while :; do :; done", { ...STOPPED, stdout: "before\n" }],
      javascript: ["console.log('before'); for (;;);", { ...STOPPED, stdout: "before\n" }],
    },
  ),
  // Of JavaScript only the platform knows what it takes: sandbox.lifecycle.test.ts.
  ...hit(
    "memory",
    { memory_bytes: 32 << 20 },
    {
      python: ["x = bytearray(100 << 20)", FAILS],
      bash: ["echo before; x=aaaaaaaa; while :; do x=$x$x; done", { exit_code: 126, stdout: "before\n" }],
    },
  ),
  ...hit(
    "output",
    { output_bytes: 100 },
    {
      python: ["print('ab' * 100)", { ...GOES_ON, truncated: true, stdout: "ab".repeat(50) }],
      bash: ["for i in {1..100}; do printf ab; done", { ...GOES_ON, truncated: true, stdout: "ab".repeat(50) }],
      javascript: ["console.log('ab'.repeat(100))", { ...GOES_ON, truncated: true, stdout: "ab".repeat(50) }],
    },
  ),
  ...hit(
    "files",
    { files: 2 },
    {
      python: ["for i in range(4): open(f'f{i}', 'w').close()", { ...GOES_ON, truncated: true }],
      bash: ["for i in 1 2 3 4; do echo $i > $i; done", { ...GOES_ON, truncated: true }],
      javascript: [
        "for (let i = 0; i < 4; i++) require('fs').writeFileSync('f' + i, '')",
        { ...GOES_ON, truncated: true },
      ],
    },
  ),
  ...hit(
    "files",
    { file_bytes: 1_000 },
    {
      python: ["with open('a', 'wb') as f: f.write(bytes(2000))", FAILS],
      bash: ["seq 1 1000 > a", FAILS],
      javascript: ["require('fs').writeFileSync('a', 'x'.repeat(2000))", FAILS],
    },
  ),
  ...hit(
    "processes",
    { processes: 2 },
    {
      python: [
        "import subprocess\nprint([subprocess.run(['true']).returncode for i in range(4)])",
        { ...GOES_ON, stdout: "[0, 0, 254, 254]\n" },
      ],
      bash: ["for i in 1 2 3 4; do bash -c :; done; echo $?", { ...GOES_ON, stdout: "254\n" }],
      javascript: [
        "const { exec } = require('child_process'); (async () => { for (let i = 0; i < 4; i++) await new Promise((go) => exec(':', (e) => (console.log(e ? 'no' : 'yes'), go()))); })()",
        { ...GOES_ON, stdout: "yes\nyes\nno\nno\n" },
      ],
    },
  ),
  ...hit(
    "network",
    { network_calls: 2 },
    {
      python: [
        `import urllib.request\nfor i in range(3):\n    try: print(len(urllib.request.urlopen('${API}/').read()))\n    except OSError: print('refused')`,
        { ...GOES_ON, stdout: "1000\n1000\nrefused\n" },
      ],
      bash: [
        `for i in 1 2 3; do curl -s ${API}/ | wc -c; done; curl -s ${API}/ || echo $?`,
        { ...GOES_ON, stdout: "1000\n1000\n0\n7\n" },
      ],
      javascript: [
        `(async () => { for (let i = 0; i < 3; i++) console.log(await fetch('${API}/').then(async (r) => (await r.text()).length, (e) => e.cause.code)); })()`,
        { ...GOES_ON, stdout: "1000\n1000\nECONNREFUSED\n" },
      ],
    },
  ),
  ...hit(
    "network",
    { network_bytes: 1_500 },
    {
      python: [
        `import urllib.request\nprint(len(urllib.request.urlopen('${API}/').read()))\nurllib.request.urlopen('${API}/')`,
        { ...FAILS, stdout: "1000\n" },
      ],
      bash: [`curl -s ${API}/ | wc -c; curl -s ${API}/ || echo $?`, { ...GOES_ON, stdout: "1000\n7\n" }],
      javascript: [
        `(async () => { for (let i = 0; i < 2; i++) console.log(await fetch('${API}/').then(async (r) => (await r.text()).length, (e) => e.cause.code)); })()`,
        { ...GOES_ON, stdout: "1000\nECONNREFUSED\n" },
      ],
    },
  ),
  ...hit(
    "network",
    {},
    {
      python: ["import urllib.request\nurllib.request.urlopen('https://other.test/')", FAILS],
      bash: ["curl -s https://other.test/", { exit_code: 7 }],
      javascript: ["fetch('https://other.test/')", FAILS],
    },
  ),
];

const expected = ({ limit, says }: Hit) => ({ limit: limit === "output" ? null : limit, ...says });

async function run({ runtime, source, limits }: Hit, isolation = "acme") {
  return (await harness.run({ runtime, source, limits, egress: EGRESS, isolation })).result;
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

// By itself: JavaScript that only goes from one promise to the next gives no other run of its process a turn.
test("a stop from inside keeps what JavaScript printed that never waits", async () => {
  await expectKept("javascript", "process.stdout.write('own'); (async () => { for (;;) await null; })()", "own");
});

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
  ] as const)("keeps what was printed: %s: %s", expectKept);

  test("gives a Python script no time to go on in", async () => {
    const source =
      "import signal, sys\ndef on(*a):\n    sys.stderr.write('H')\n    sys.stderr.flush()\n    while True: pass\nsignal.signal(signal.SIGUSR1, on)\nwhile True:\n    try:\n        while True: pass\n    except BaseException: pass";
    const { result } = await harness.run({ runtime: "python", source, limits: { timeout_ms: 5_000 } });
    expect(result).toMatchObject({ ...STOPPED, limit: "wall", stderr: "H" });
  });
});

/** What is answered, a busy runner asked again as it says. */
async function untilTaken(one: Hit, isolation: string) {
  for (let tries = 0; tries < 20; tries++) {
    const result = await run(one, isolation);
    if (result.refused !== "runner-busy") {
      return result;
    }
    await new Promise((resolve) => setTimeout(resolve, result.retry_after_ms ?? 0));
  }
  throw new Error("the runner stayed busy");
}

test("fifty runs at once that hit every limit, three tenants: each gets its own right answer, now or when the runner has room", async () => {
  const crowd = Array.from({ length: 50 }, (_, i) => HITS[i % HITS.length]).filter((one) => one !== undefined);
  const results = await Promise.all(crowd.map((one, i) => untilTaken(one, `tenant-${i % 3}`)));
  expect(results).toMatchObject(
    // In a crowd the clock may end a run before it has printed anything.
    crowd.map((one) => (one.limit === "wall" ? { ...STOPPED, limit: "wall" } : expected(one))),
  );
});
