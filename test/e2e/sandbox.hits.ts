/** Owns the runs that hit each limit in each language, and what their answers say; never runs one. */
import type { RunLimitName, RunLimits, Runtime } from "../../src/model/run.ts";

/** A run that hits one limit. */
export interface Hit {
  readonly limit: RunLimitName | "output";
  readonly runtime: Runtime;
  readonly source: string;
  readonly limits: Partial<RunLimits>;
  /** What the answer has beside the limit. */
  readonly says: object;
}

const API = "https://api.example.test";

/** The network of these runs: a few bytes at one address, many at all others. */
export const EGRESS = {
  allow: [API],
  stub: { [`${API}/few`]: { status: 200, body: "few" }, "*": { status: 200, body: "x".repeat(1_000) } },
};

/** Limits of an operator under which each of these runs hits its own first. */
export const ALL_LIMITS: Partial<RunLimits> = {
  timeout_ms: 240_000,
  cpu_ms: 100,
  memory_bytes: 32 << 20,
  output_bytes: 100,
  files: 2,
  file_bytes: 1_000,
  processes: 2,
  network_calls: 2,
  network_bytes: 1_500,
};

export const STOPPED = { exit_code: null, timed_out: true };
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

export const HITS: readonly Hit[] = [
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
        `import urllib.request\nfor i in range(3):\n    try: print(len(urllib.request.urlopen('${API}/few').read()))\n    except OSError: print('refused')`,
        { ...GOES_ON, stdout: "3\n3\nrefused\n" },
      ],
      bash: [
        `for i in 1 2 3; do curl -s ${API}/few | wc -c; done; curl -s ${API}/few || echo $?`,
        { ...GOES_ON, stdout: "3\n3\n0\n7\n" },
      ],
      javascript: [
        `(async () => { for (let i = 0; i < 3; i++) console.log(await fetch('${API}/few').then(async (r) => (await r.text()).length, (e) => e.cause.code)); })()`,
        { ...GOES_ON, stdout: "3\n3\nECONNREFUSED\n" },
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

/** What of an answer is compared. */
export const expected = ({ limit, says }: Hit) => ({ limit: limit === "output" ? null : limit, ...says });
