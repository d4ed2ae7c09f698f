/** Owns attacks on what the runs of a box share, its memory and its thread, through the doors between a run's programs: pipes, inputs, names. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const ORIGIN = "http://api.example.test";
const EGRESS = { allow: [ORIGIN], stub: { "*": { status: 200, body: "answer" } } };

/** Runs a flood with another run of the tenant beside it; neither may cost the process. */
async function flood(run: Pick<CaseRun, "runtime" | "source"> & Partial<CaseRun>) {
  const before = harness.runner.restarts;
  const beside: CaseRun = { runtime: "bash", source: "sleep 0.3; echo beside" };
  const [own, other] = await Promise.all([harness.run({ egress: EGRESS, ...run }), harness.run(beside)]);
  expect([other.result.stdout, harness.runner.restarts - before]).toEqual(["beside\n", 0]);
  const { stdout, stderr, exit_code, limit } = own.result;
  return { stdout, last: stderr.trimEnd().split("\n").at(-1), exit_code, limit };
}

const python = (source: string, more: Partial<CaseRun> = {}) => flood({ runtime: "python", source, ...more });
const bash = (source: string, more: Partial<CaseRun> = {}) => flood({ runtime: "bash", source, ...more });

const NO_MEMORY = "OSError: [Errno 12] Cannot allocate memory";

describe("bytes that nobody reads", () => {
  test.each([
    ["a pipe", "import os\nr, w = os.pipe()\nfor i in range(4000): os.write(w, bytes(1 << 20))"],
    ["many pipes", "import os\nfor i in range(1500): os.write(os.pipe()[1], bytes(1 << 20))"],
    ["a pipe, one by one", "import os\nr, w = os.pipe()\nwhile True: os.write(w, b'x')"],
    ["a socket", "import socket\na, b = socket.socketpair()\nfor i in range(4000): a.sendall(bytes(1 << 20))"],
    [
      "the input of a program",
      "import subprocess\np = subprocess.Popen(['cat'], stdin=subprocess.PIPE)\nfor i in range(4000): p.stdin.write(bytes(1 << 20))",
    ],
    [
      "a request without an end",
      `import socket\ns = socket.create_connection(('api.example.test', 80))\ns.sendall(b'POST / HTTP/1.1\\r\\nhost: a\\r\\ncontent-length: 9999999999\\r\\n\\r\\n')\nfor i in range(4000): s.sendall(bytes(1 << 20))`,
    ],
    [
      "requests behind requests",
      `import socket\ns = socket.create_connection(('api.example.test', 80))\nfor i in range(4000): s.sendall(b'GET / HTTP/1.1\\r\\nhost: a\\r\\n\\r\\n' * 30000)`,
    ],
  ])("in %s have a bound", async (_what, source) => {
    expect(await python(source)).toEqual({ stdout: "", last: NO_MEMORY, exit_code: 1, limit: "memory" });
  });

  test("are room again once they are read, or nobody can", async () => {
    const source = `import os, socket, subprocess
piece = bytes(8 << 20)
for i in range(8):
    r, w = os.pipe()
    os.write(w, piece)
    os.close(r)
    a, b = socket.socketpair()
    a.sendall(piece)
    b.close()
    assert len(subprocess.run(['cat'], input=piece, stdout=subprocess.PIPE).stdout) == len(piece)
    subprocess.run(['python3', '-c', 'import os; os.write(os.pipe()[1], bytes(8 << 20))'], check=True)
print('through')`;
    expect(await python(source)).toEqual({ stdout: "through\n", last: "", exit_code: 0, limit: null });
  });
});

describe("what a program prints for another one", () => {
  test.each([
    ["for nobody", "python3 -c \"while True: print('x' * 1000000)\" > /dev/null; echo $?", "137\n"],
    [
      "for the next of a pipe",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: words of a shell
      "python3 -c \"while True: print('x' * 1000000)\" | wc -c; echo ${PIPESTATUS[0]}",
      "33000033\n137\n",
    ],
  ])("%s has a bound", async (_what, source, stdout) => {
    expect(await bash(source)).toMatchObject({ stdout, limit: "memory" });
  });

  test("for Python has a bound: the program ends, and the run says why", async () => {
    const source =
      "import subprocess\nsubprocess.run(['python3', '-c', 'while True: print(1000 * chr(120))'], stdout=subprocess.PIPE)";
    expect(await python(source)).toMatchObject({ last: "MemoryError", exit_code: 1, limit: "memory" });
  });

  test("letter by letter takes no more room than at once", async () => {
    const source = "import os\nfor i in range(1 << 19): os.write(1, b'o'); os.write(2, b'e')";
    const { stdout, exit_code } = await python(source);
    expect([stdout.length, exit_code]).toEqual([1 << 19, 0]);
  });
});

describe("programs that wait for their input", () => {
  test("are counted before they start", async () => {
    const source = `import os, json
r, w = os.pipe()
ask = '\\x01box:' + json.dumps({'do': 'spawn', 'args': ['cat'], 'executables': ['/usr/bin/cat'], 'cwd': None, 'env': None, 'fds': [r, 1, 2]})
for i in range(3000): pid = os._sandbox_system(ask)
print(os.waitpid(pid, 0)[1] >> 8)`;
    const { stdout, limit } = await python(source);
    expect([stdout, limit]).toEqual(["254\n", "processes"]);
  });
});

describe("names", () => {
  test("that are no text are the same names to all of Python, and are known by what they come back as", async () => {
    const source = String.raw`import os
os.mkdir(b'd\xe9')
open(b'd\xe9/f', 'w').write('in it')
open('\udc80', 'w').write('alone')
os.symlink(b'\xf0x', b'l\xf0')
os.chdir(b'd\xe9')
print(os.listdir('.'), ascii(os.getcwdb()), os.readlink(b'../l\xf0'), open(b'../\x80').read())
try:
    open('é' * 128, 'w')
except OSError as error:
    print(error.strerror)`;
    const { result } = await harness.run({ runtime: "python", source });
    expect(result).toMatchObject({
      stdout: String.raw`['f'] b'/skill/d\xe9' b'\xf0x' alone${"\nFilename too long\n"}`,
      files: [
        { path: "d\udce9/f", content: "in it" },
        { path: "\udc80", content: "alone" },
      ],
    });
  });

  test("of half a character are what Node.js makes of them, and no address leads to one with NUL", async () => {
    const source = String.raw`const fs = require("fs");
fs.writeFileSync("a\ud800", "x");
console.log(fs.readFileSync("a\ufffd", "utf8"));
try { fs.writeFileSync(new URL("file:///skill/b%00"), "x"); } catch (error) { console.log(error.code); }`;
    const { result } = await harness.run({ runtime: "javascript", path: "scripts/main.cjs", source });
    expect(result).toMatchObject({
      stdout: "x\nERR_INVALID_ARG_VALUE\n",
      files: [{ path: "a\ufffd", content: "x" }],
    });
  });

  test("of links have a bound", async () => {
    const source = `import os
try:
    for i in range(300): os.symlink(str(i) + 'x' * (4 << 20), f'l{i}')
except OSError as error:
    print(error.strerror)`;
    expect(await python(source)).toMatchObject({ stdout: "Filename too long\n", exit_code: 0 });
  });

  test("of directories in directories have a bound, and what is there comes back", async () => {
    const source = `import os
n = 0
try:
    while True:
        os.mkdir('d' * 200); os.chdir('d' * 200); n += 1
except OSError as error:
    print(error.strerror)
open('x', 'w').close()
print(n)`;
    expect(await python(source)).toEqual({ stdout: "Filename too long\n20\n", last: "", exit_code: 0, limit: null });
    const files = [{ path: "scripts/x.js", text: "console.log('node')" }];
    const deep =
      "mkdir -p $(printf 'd/%.0s' {1..2000}); echo $?; mkdir -p $(printf 'd/%.0s' {1..9000}) 2> /dev/null; echo $?; node scripts/x.js";
    expect(await bash(deep, { files })).toMatchObject({ stdout: "0\n1\nnode\n", exit_code: 0 });
  });
});

test("what all runs share cannot be moved away, nor get other names", async () => {
  const source = "mv /usr /tmp/usr; ln /usr/bin/jq jq; rm -rf /usr; echo 1 | jq .; ls /tmp /usr";
  expect(await bash(source)).toMatchObject({ stdout: "1\n/tmp:\n\n/usr:\nbin\nlib\nshare\n" });
});

describe("a call that takes longer than the run may", () => {
  test("ends it, by the name of the limit, though nothing could stop it", async () => {
    const source = "echo begun; seq 1 60000 > a; for i in 1 2 3 4 5 6; do sort -R a | sort > b; done; echo after";
    expect(await bash(source, { limits: { timeout_ms: 300 } })).toMatchObject({ exit_code: null, limit: "wall" });
  });
});

describe("widths", () => {
  test.each([
    ["date", "date -d @0 +%400000000Y | wc -c", "4097\n"],
    ["stat", "stat -c %400000000s SKILL.md | wc -c", "4097\n"],
    ["numfmt", "numfmt --padding=400000000 1 | wc -c", "4097\n"],
    ["numfmt, to the left", "numfmt --padding=-400000000 1 | wc -c", "4097\n"],
  ])("of %s have a bound", async (_what, source, stdout) => {
    expect(await bash(source)).toMatchObject({ stdout, exit_code: 0 });
  });
});

test("a line of many matches is looked through once", async () => {
  const source =
    "python3 -c \"print('ab' * 200000)\" > line; grep -ob -e a -e zz line | tail -1; grep -o b line | wc -l";
  expect(await bash(source)).toMatchObject({ stdout: "399998:a\n200000\n", exit_code: 0 });
});

describe("commands whose output is larger than what they read", () => {
  test.each([
    ["join of lines of one key", "seq -f 'x %g' 1 3000 > a; join a a 2>&1; echo $?", "join: memory exhausted\n1\n"],
    ["join of many keys", "seq -w 1 60000 > a; join a a | wc -l", "60000\n"],
    [
      "dd far behind the end",
      "dd if=/dev/zero of=f bs=1M count=1 seek=4000 2>&1; ls f 2> /dev/null",
      "dd: error writing output: No space left on device\n",
    ],
    ["dd of no bytes", "dd bs=0 if=SKILL.md 2>&1 | head -1", "dd: invalid number: ‘0’\n"],
    [
      "dd of a size that is none",
      "dd bs=1constructor if=SKILL.md 2>&1 | head -1",
      "dd: invalid number: ‘1constructor’\n",
    ],
    ["iconv", "seq 1 100000 | iconv -t utf-16 | wc -c", "1177792\n"],
  ])("%s", async (_what, source, stdout) => {
    expect(await bash(source)).toMatchObject({ stdout });
  });
});

describe("a range of words", () => {
  test("has all of them, or is refused", async () => {
    const source = "echo {1..20000} | wc -w; for i in {20000..1}; do :; done; echo $i; echo {a..z}{1..1000} | wc -w";
    expect(await bash(source)).toMatchObject({ stdout: "20000\n1\n26000\n", exit_code: 0 });
    const most = await bash("echo begun; echo {1..100000000}; echo after");
    expect(most).toMatchObject({ stdout: "begun\n", exit_code: 126, limit: "memory" });
  });
});

describe.concurrent("JavaScript that never waits", () => {
  const limits = { timeout_ms: 6_000 };

  test.each([
    ["awaits what is there", "(async () => { for (;;) await null; })()"],
    ["awaits what never was a promise", "(async () => { for (;;) await { then: (go) => go() }; })()"],
    ["awaits what fails", "(async () => { for (;;) try { await Promise.reject(1); } catch {} })()"],
    ["in many places at once", "for (let i = 0; i < 100; i++) (async () => { for (;;) await i; })()"],
    ["has microtasks of microtasks", "const again = () => queueMicrotask(again); again()"],
  ])("and %s lets others have their turn", async (_what, source) => {
    const run = { runtime: "javascript", source: `console.log("begun"); ${source}`, limits } as const;
    expect(await flood(run)).toEqual({ stdout: "begun\n", last: "", exit_code: null, limit: "wall" });
  });

  test("has its timers behind its promises all the same, and ends when it is done", async () => {
    const source = `const { setTimeout: pause } = require("timers/promises");
      (async () => {
        const out = [];
        setTimeout(() => out.push("first timer"), 0);
        setTimeout(() => out.push("second timer"), 20);
        const until = Date.now() + 400;
        while (Date.now() < until) await Promise.reject(new Error("caught")).catch(() => 0);
        out.push("promises");
        await pause(60);
        console.log(out.join());
      })();`;
    expect(await flood({ runtime: "javascript", source })).toEqual({
      stdout: "promises,first timer,second timer\n",
      last: "",
      exit_code: 0,
      limit: null,
    });
  });
});

test("a run that had no time since another one never waits has its time elsewhere", async () => {
  const limits = { timeout_ms: 3_000 };
  const spins = { runtime: "javascript", source: "console.log('begun'); for (;;);", limits } as const;
  const beside = { runtime: "bash", source: "sleep 0.3; echo beside", limits } as const;
  const [own, other] = await Promise.all([harness.run(spins), harness.run(beside)]);
  expect([own.result.exit_code, own.result.limit]).toEqual([null, "wall"]);
  expect([other.result.stdout, other.result.exit_code]).toEqual(["beside\n", 0]);
});

describe("calls that take a while each", () => {
  const limits = { timeout_ms: 6_000 };

  test.each([
    ["python", "import hashlib\nprint('begun')\nb = bytes(300000)\nwhile True: hashlib.sha256(b).digest()"],
    ["bash", "echo begun; seq 1 60000 > a; while :; do sort -R a > b; done"],
  ] as const)("of %s let others have their turn, and end with the run's time", async (runtime, source) => {
    expect(await flood({ runtime, source, limits })).toMatchObject({
      stdout: "begun\n",
      exit_code: null,
      limit: "wall",
    });
  });
});

test("hosts are names like any other, each with an address of its own, as many as a process may ask for", async () => {
  const source = `import socket
names = ['__proto__', 'constructor', 'toString'] + [f'h{i}' for i in range(2000)]
print(len({socket.getaddrinfo(name, 80)[0][4][0] for name in names}))
for name in [b'x' * 256, *[f'n{i}' for i in range(4000)]]:
    try: socket.getaddrinfo(name, 80)
    except socket.gaierror: last = name
print(len(last))`;
  expect(await python(source)).toMatchObject({ stdout: "2003\n5\n", exit_code: 0 });
});
