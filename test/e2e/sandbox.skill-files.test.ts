/** Owns that Python and shell load a skill's files when they are opened, by whatever opens them; never what commands make of a file. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

describe("a skill's files", () => {
  test.each([
    [
      "python",
      "import os, sys\nprint(os.path.getsize('other/three.txt'))\nfor name in sys.argv[1:]: print(open(name).read())",
    ],
    ["bash", 'stat -c %s other/three.txt; for name in "$@"; do cat "$name"; echo; done'],
  ] as const)(
    "are asked for when %s opens them, small ones beside them too, and not a second time",
    async (runtime, source) => {
      const paths = ["data/one.txt", "data/two.txt", "other/three.txt"];
      const files = paths.map((path) => ({ path, text: `${path} of ${runtime}` }));
      const size = `${`other/three.txt of ${runtime}`.length}\n`;
      const runs = [];
      for (const argv of [[], ["data/one.txt"], ["data/two.txt"], ["other/three.txt", "data/one.txt"], []]) {
        const { result, asked } = await harness.run({ runtime, source, files, argv });
        runs.push([result.stdout, result.files, asked]);
      }
      expect(runs).toEqual([
        [size, [], 1],
        [`${size}data/one.txt of ${runtime}\n`, [], 2],
        [`${size}data/two.txt of ${runtime}\n`, [], 0],
        [`${size}other/three.txt of ${runtime}\ndata/one.txt of ${runtime}\n`, [], 1],
        [size, [], 0],
      ]);
    },
  );
});

describe("a file that was not opened before is opened by", () => {
  /** The file, in which `#` is a number that no other has. */
  const LINES = "b 2\na #\n";

  /** Commands in which `FILE` is the file, what they print, and what comes back of it. */
  const COMMANDS: readonly (readonly [command: string, stdout: string, left?: string])[] = [
    ["cat FILE", LINES],
    ["sort FILE", "a #\nb 2\n"],
    ["sort -o FILE FILE", "", "a #\nb 2\n"],
    ["grep a FILE", "a #\n"],
    ["grep -rh b $(dirname FILE)", "b 2\n"],
    ["wc -l < FILE", "2\n"],
    ["wc -c FILE | cut -d' ' -f1", "10\n"],
    ["head -1 FILE; tail -1 FILE", LINES],
    ["cut -d' ' -f2 FILE", "2\n#\n"],
    ["md5sum FILE > /tmp/sums; md5sum -c /tmp/sums", "FILE: OK\n"],
    ["echo 'b 2' | diff - FILE | tail -1", "> a #\n"],
    ["awk '{ n = $2 } END { print n }' FILE", "#\n"],
    ["awk 'BEGIN { while ((getline line < ARGV[1]) > 0) print line }' FILE", LINES],
    ["sed -n 1p FILE", "b 2\n"],
    ["echo x | sed 'r FILE'", `x\n${LINES}`],
    ["sed -i s/b/c/ FILE", "", "c 2\na #\n"],
    ["jq -Rs . FILE", '"b 2\\na #\\n"\n'],
    ["yq . FILE", "b 2 a #\n"],
    ["source FILE 2> /dev/null; echo $?", "127\n"],
    ["cp FILE /tmp/copy; cat /tmp/copy", LINES],
    ["cp -r $(dirname FILE) /tmp/tree; cat /tmp/tree/*", LINES],
    ["mv FILE moved.txt; cat moved.txt", LINES],
    ["ln FILE linked.txt", ""],
    ["install -m 600 FILE /tmp/installed; cat /tmp/installed", LINES],
    ["truncate -s 3 FILE", "", "b 2"],
    ["echo more >> FILE", "", `${LINES}more\n`],
    ["echo less > FILE", "", "less\n"],
    ["cp FILE /tmp/same; cat /tmp/same > FILE", ""],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: words of a shell
    ["mapfile -t lines < FILE; echo ${#lines[@]}", "2\n"],
    ['echo "$(<FILE)"', LINES],
    ["tar cf /tmp/x.tar FILE; tar xf /tmp/x.tar -C /tmp; cat /tmp/FILE", LINES],
    ["cat FILE FILE | sort -u | wc -l", "2\n"],
    ["xxd -p FILE | cut -c1-4", "6220\n"],
    ["xargs -a FILE echo", "b 2 a #\n"],
    ["sqlite3 :memory: '.separator \" \"' 'create table t(x, y)' '.import FILE t' 'select y from t'", "2\n#\n"],
    ['python3 -c \'print(open("FILE").read(), end="")\'', LINES],
    ['python3 -c \'f = open("FILE", "r+"); f.write("B")\'', "", "B 2\na #\n"],
    ['python3 -c \'open("FILE", "a").write("z")\'', "", `${LINES}z`],
    ["python3 -c 'import os; os.truncate(\"FILE\", 3)'", "", "b 2"],
    ['python3 -c \'import shutil; shutil.move(shutil.copy("FILE", "/tmp/x"), "renamed.txt")\'', ""],
    [
      'python3 -c \'import mmap; f = open("FILE", "rb"); print(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)[:3])\'',
      "b'b 2'\n",
    ],
    [
      'python3 -c \'import subprocess as s; print(s.run(["cat"], stdin=open("FILE"), capture_output=True).stdout[:3])\'',
      "b'b 2'\n",
    ],
  ];

  test.each(COMMANDS.map(([command, stdout, left = null], i) => ({ command, stdout, left, number: `${100 + i}` })))(
    "$command",
    async ({ command, stdout, left, number }) => {
      const path = `in-${number}/file.txt`;
      const own = (text: string) => text.replaceAll("FILE", path).replaceAll("#", number);
      const { result } = await harness.run({
        runtime: "bash",
        source: command.replaceAll("FILE", path),
        files: [{ path, text: own(LINES) }],
      });
      expect([result.refused, result.stderr, result.stdout]).toEqual([undefined, "", own(stdout)]);
      expect(result.files.find((file) => file.path === path)?.content ?? null).toBe(left === null ? null : own(left));
    },
  );
});

test("databases of a skill are there for Python and the shell, attached ones too", async () => {
  const make =
    "import sqlite3\nc = sqlite3.connect('a.db')\nc.execute('create table t(x)')\nc.execute('insert into t values (41)')\nc.commit()";
  const made = (await harness.run({ runtime: "python", source: make })).result.files;
  const files = ["one.db", "two.db"].map((path) => ({ path, base64: made[0]?.content ?? "" }));
  const ways = {
    bash: "sqlite3 one.db \"attach 'two.db' as two; select t.x + u.x from t, two.t u\"",
    python:
      "import sqlite3\nc = sqlite3.connect('one.db')\nc.execute(\"attach 'two.db' as two\")\nprint(c.execute('select t.x + u.x from t, two.t u').fetchone()[0])",
  } as const;
  for (const runtime of ["bash", "python"] as const) {
    const isolation = `databases-${runtime}`;
    const { result } = await harness.run({ runtime, source: ways[runtime], files, isolation });
    expect([result.stderr, result.stdout, result.files]).toEqual(["", "82\n", []]);
  }
});

test("what a program of the run moves is whole for programs of other isolates, and comes back", async () => {
  const files = [
    { path: "moves/one.txt", text: "moved, then read by node" },
    { path: "moves/two.txt", text: "moved for node" },
    { path: "scripts/up.js", text: "console.log(require('fs').readFileSync(process.argv[2], 'utf8'))" },
  ];
  const shell = "mv moves/one.txt here.txt; node scripts/up.js here.txt";
  const node =
    "require('child_process').exec('mv moves/two.txt here.txt', () => console.log(require('fs').readFileSync('here.txt', 'utf8')))";
  const [first, second] = [
    (await harness.run({ runtime: "bash", source: shell, files })).result,
    (await harness.run({ runtime: "javascript", source: node, files })).result,
  ];
  expect([first.stdout, second.stdout]).toEqual(["moved, then read by node\n", "moved for node\n"]);
  expect([first, second].map((one) => one.files.map(({ path, content }) => [path, content]))).toEqual([
    [["here.txt", "moved, then read by node"]],
    [["here.txt", "moved for node"]],
  ]);
});

test("what may be a program can be started, wherever it lies; data is data", async () => {
  const files = [
    { path: "bin/tool", text: "#!/bin/sh\necho started\n" },
    { path: "tools/x.py", text: "#!/usr/bin/env python3\nprint('python')\n" },
    { path: "lib/data.py", text: "WORD = 1\n" },
  ];
  const source = "bin/tool; ./tools/x.py; [ -x lib/data.py ] || echo data; stat -c %a bin/tool lib/data.py";
  const { result } = await harness.run({ runtime: "bash", source, files });
  expect([result.stderr, result.stdout]).toEqual(["", "started\npython\ndata\n755\n644\n"]);
});

test("JavaScript gets a skill's files before it starts, 32 MiB at most, and says so; Python and shell load what they open", async () => {
  const large = { path: "large.bin", text: "x".repeat(32 << 20) };
  const files = [large, { path: "scripts/up.js", text: "console.log('up')" }];
  const source = "stat -c %s large.bin; node scripts/up.js; echo $?";
  const shell = (await harness.run({ runtime: "bash", source, files })).result;
  const script = (await harness.run({ runtime: "javascript", source: "console.log('up')", files })).result;
  const words =
    /^node: the skill's files have \d+ bytes, and JavaScript gets all of them before it starts: 33554432 at most\n$/;
  expect([shell.stdout, script.exit_code, script.stdout]).toEqual(["33554432\n1\n", 1, ""]);
  expect([shell.stderr, script.stderr]).toEqual([expect.stringMatching(words), expect.stringMatching(words)]);
});

test.each([
  ["python", "try: open('lost.txt').read()\nexcept OSError as e: print(e.strerror)"],
  ["bash", "cat lost.txt; echo $?"],
  ["bash", "sort lost.txt; echo $?"],
  ["bash", "mv lost.txt found.txt"],
] as const)("a run that opens a file whose bytes do not come has no result: %s %s", async (runtime, source) => {
  const files = [{ path: "lost.txt", text: "lost", lost: true }] as const;
  const { result } = await harness.run({ runtime, source, files });
  expect(result).toEqual({ refused: "runner-failed", message: expect.stringMatching(/^no bytes came for sha256:/) });
  expect(
    (await harness.run({ runtime, source: runtime === "bash" ? "echo on" : "print('on')", files })).result.stdout,
  ).toBe("on\n");
});
