/** Owns what the runner does beyond the acceptance cases: warm runs, programs, network, crowds; never a language's details. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NODE_MODULES, PYTHON_MODULES, SHELL_COMMANDS } from "../../src/model/sandbox-table.ts";
import { type Answer, type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const ECHO = { allow: ["https://api.example.test"], stub: { "*": { status: 200, echo: true } } };

describe("limits of commands", () => {
  test.each([
    ["bash", "wget -q https://x.test/; echo $?", {}, { stdout: "4\n", limit: "network" }],
    ["bash", "printf '%1000000000d' 1; echo $?", {}, { exit_code: 0, stdout: "1\n", limit: "memory" }],
    ["bash", "f() { f; }; f; echo never", {}, { exit_code: 126, stdout: "", limit: "memory" }],
    ["bash", "yes > a; echo $?", { file_bytes: 100_000 }, { exit_code: 0, stdout: "1\n", limit: "files" }],
    ["bash", "awk 'BEGIN { while (1) i++ }'", { timeout_ms: 500 }, { exit_code: null, timed_out: true, limit: "wall" }],
    ["bash", "echo a | sed ':a;s/a/aa/;ta'", { timeout_ms: 500 }, { exit_code: null, timed_out: true, limit: "wall" }],
  ] as const)("%s: %s", async (runtime, source, limits, expected) => {
    const { result } = await harness.run({ runtime, source, limits });
    expect(result).toMatchObject(expected);
  });
});

describe("files and input", () => {
  test("a warm run of a known skill asks the edge for nothing", async () => {
    for (const [runtime, source] of [
      ["python", "print('warm python')"],
      ["bash", "echo warm bash"],
      ["javascript", "console.log('warm javascript')"],
    ] as const) {
      const first = await harness.run({ runtime, source });
      const second = await harness.run({ runtime, source });
      expect([first.asked > 0, second.asked]).toEqual([true, 0]);
    }
  });

  test("files of the call and standard input reach every language", async () => {
    const inputs = [{ path: "in/data.txt", text: "from the call" }];
    for (const [runtime, source] of [
      ["python", "import sys\nprint(open('in/data.txt').read(), sys.stdin.read())"],
      ["bash", 'echo "$(cat in/data.txt) $(cat)"'],
      [
        "javascript",
        "const fs = require('fs'); console.log(fs.readFileSync('in/data.txt', 'utf8'), fs.readFileSync(0, 'utf8'))",
      ],
    ] as const) {
      const { result } = await harness.run({ runtime, source, inputs, stdin: "and input" });
      expect(result).toMatchObject({ exit_code: 0, stdout: "from the call and input\n", files: [] });
    }
  });

  test("one tenant's runs leave nothing for another's", async () => {
    const source = "import os\nprint(os.path.exists('/tmp/x'))\nopen('/tmp/x', 'w').write('1')";
    for (const isolation of ["acme", "globex", "acme"]) {
      const { result } = await harness.run({ runtime: "python", source, isolation });
      expect(result.stdout).toBe("False\n");
    }
  });

  test("a runner refuses a protocol it does not know", async () => {
    const { result } = await harness.run({ runtime: "bash", source: "echo", protocol: 2 });
    expect(result).toMatchObject({ refused: "runner-failed", message: "this runner speaks protocol 1, not 2" });
  });
});

describe("programs start each other", () => {
  test("shell, Python and shell again, on the same files", async () => {
    const { result } = await harness.run({
      runtime: "bash",
      source: `echo 'import subprocess; open("b", "w").write(open("a").read() * 2); print(subprocess.run("cat b; exit 3", shell=True).returncode)' > x.py
echo hi > a; python3 x.py; rm x.py a; [ -f b ] && ./scripts/tool.py one`,
      files: [
        { path: "scripts/tool.py", text: "#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1:])\nsys.exit(4)\n" },
      ],
    });
    expect(result).toMatchObject({
      exit_code: 4,
      stdout: "hi\nhi\n3\n['one']\n",
      files: [{ path: "b", content: "hi\nhi\n" }],
    });
  });

  test("JavaScript starts shell and Python, and sees what they wrote", async () => {
    const { result } = await harness.run({
      runtime: "javascript",
      path: "scripts/main.mjs",
      source: `import { execFile } from "node:child_process"; import { promisify } from "node:util"; import fs from "node:fs";
fs.writeFileSync("in.txt", "b\\na\\n");
const { stdout } = await promisify(execFile)("bash", ["-c", "sort in.txt > out.txt; rm in.txt; python3 -c 'print(6 * 7)'"]);
console.log(stdout.trim(), fs.readFileSync("out.txt", "utf8").trim().split("\\n").join(), fs.existsSync("in.txt"));`,
    });
    expect(result).toMatchObject({
      exit_code: 0,
      stdout: "42 a,b false\n",
      files: [{ path: "out.txt", content: "a\nb\n" }],
    });
  });
});

test("archives are made and opened", async () => {
  const { result } = await harness.run({
    runtime: "bash",
    source: `mkdir -p d/e && echo one > d/a.txt && echo two > d/e/b.txt
tar czf x.tgz d && zip -qr y.zip d && rm -r d
tar xzf x.tgz && cat d/a.txt && rm -r d && unzip -q y.zip -d out && cat out/d/e/b.txt; tar tzf x.tgz | sort | head -2
rm -r out x.tgz y.zip; tar xf none.tar; echo $?`,
  });
  expect(result).toMatchObject({ exit_code: 0, stdout: "one\ntwo\nd/\nd/a.txt\n2\n", files: [] });
});

test("a shell writes a file anew as often as it likes", async () => {
  const source = "seq 1 60000 > a; for i in $(seq 1 120); do cat a > b; done; wc -c < b; rm a b";
  const { result } = await harness.run({ runtime: "bash", source });
  expect(result).toMatchObject({ exit_code: 0, stdout: "348894\n", limit: null });
});

// What Debian's tar 1.34, zip 3.0 and unzip 6.00 print for the same.
test("tar writes to standard output, takes names from a list, and refuses what it does not know", async () => {
  const { result } = await harness.run({
    runtime: "bash",
    source: `cd "$(mktemp -d)"; mkdir d; echo one > a; echo two > d/b
tar cf - a d | tar xOf - ; tar cvf t.tar a d; tar tvf t.tar | cut -c1-10; tar tf t.tar d; printf 'a\n' > list; tar cf l.tar -T list; tar tf l.tar
tar --exclude='b' -cf e.tar d; tar tf e.tar; tar -xf t.tar --strip-components=1; ls
tar -Q -xf t.tar; echo $?; tar xf t.tar absent 2>&1; echo $?; tar xf list 2>&1; echo $?; tar cf x.tar absent 2>&1; echo $?; tar xf t.tar -C absent; echo $?`,
  });
  const errors = [
    "tar: invalid option -- 'Q'",
    "Try 'tar --help' or 'tar --usage' for more information.",
    "tar: absent: Cannot open: No such file or directory",
    "tar: Error is not recoverable: exiting now",
  ];
  const failed = "tar: Exiting with failure status due to previous errors";
  const lines = [
    ...["one", "two", "a", "d/", "d/b", "-rw-r--r--", "drwxr-xr-x", "-rw-r--r--", "d/", "d/b", "a"],
    ...["d/", "a", "b", "d", "e.tar", "l.tar", "list", "t.tar", "64"],
    ...["tar: absent: Not found in archive", failed, "2"],
    ...["tar: This does not look like a tar archive", failed, "2"],
    ...["tar: absent: Cannot stat: No such file or directory", failed, "2", "2"],
  ];
  expect(result.stdout.split("\n").slice(0, -1)).toEqual(lines);
  expect(result.stderr.split("\n").slice(0, -1)).toEqual(errors);
});

test("zip updates and deletes in an archive that is there, unzip overwrites nothing unasked", async () => {
  const { result } = await harness.run({
    runtime: "bash",
    source: `cd "$(mktemp -d)"; echo one > a; seq 1 1000 > n; mkdir d; echo two > d/b
zip z.zip a n; zip z.zip a; zip -r z.zip d; zip -d z.zip n; unzip -p z.zip a; rm a; unzip z.zip < /dev/null 2>&1; echo $?; unzip -o z.zip d/b; unzip z.zip -d out
unzip -t z.zip | tail -1; unzip z.zip absent 2> /dev/null; echo $?; zip -u z.zip a; echo $?; zip -q y.zip absent; echo $?; unzip -q n 2> /dev/null; echo $?; unzip -Z1 z.zip`,
  });
  const padded = (what: string, name: string) => `${what}: ${name.padEnd(22)}  `;
  expect(result.stdout.split("\n").slice(0, -1)).toEqual([
    ...["  adding: a (stored 0%)", "  adding: n (deflated 53%)", "updating: a (stored 0%)"],
    ...["  adding: d/ (stored 0%)", "  adding: d/b (stored 0%)", "deleting: n", "one"],
    ...["Archive:  z.zip", padded(" extracting", "a")],
    "replace d/b? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL",
    '(EOF or read error, treating as "[N]one" ...)',
    ...["1", "Archive:  z.zip", padded(" extracting", "d/b")],
    ...["Archive:  z.zip", padded(" extracting", "out/a"), "   creating: out/d/", padded(" extracting", "out/d/b")],
    ...["No errors detected in compressed data of z.zip.", "Archive:  z.zip", "11", "12"],
    ...["", "zip error: Nothing to do! (y.zip)", "12", "9", "a", "d/", "d/b"],
  ]);
});

describe("the network of a run", () => {
  test.each([
    [
      "python",
      "import urllib.request as u\nprint(u.urlopen(u.Request('https://api.example.test/a?b=1', data=b'body', headers={'X-A': '1'})).read().decode())",
    ],
    ["bash", "curl -sS -X POST -H 'X-A: 1' -d body 'https://api.example.test/a?b=1'"],
    [
      "javascript",
      "fetch('https://api.example.test/a?b=1', { method: 'POST', headers: { 'X-A': '1' }, body: 'body' }).then(async (r) => console.log(await r.text()))",
    ],
    [
      "javascript",
      "const r = require('https').request('https://api.example.test/a?b=1', { method: 'POST', headers: { 'X-A': '1' } }, (m) => m.on('data', (d) => process.stdout.write(d))); r.end('body')",
    ],
  ] as const)("%s %#", async (runtime, source) => {
    const { result } = await harness.run({ runtime, source, egress: ECHO });
    expect(result).toMatchObject({ exit_code: 0, limit: null });
    const seen = JSON.parse(result.stdout) as { method: string; body: string; headers: [string, string][] };
    expect(seen).toMatchObject({ method: "POST", body: "body" });
    expect(seen.headers).toContainEqual(["x-a", "1"]);
  });
});

describe("http of JavaScript", () => {
  const egress = { allow: ["https://api.example.test"], stub: { "*": { status: 418, echo: true } } };

  test("sends what its options say, and fetch says who it is", async () => {
    const source = `const https = require("node:https");
const ask = (options, body) => new Promise((go) => https.request(options, (res) => { let t = ""; res.setEncoding("utf8").on("data", (c) => (t += c)).on("end", () => go([res.statusCode, res.statusMessage, JSON.parse(t)])); }).end(body));
(async () => {
  console.log(JSON.stringify(await ask({ host: "api.example.test", path: "/x?y=1", method: "post", auth: "me:pw", headers: { "X-A": ["1", "2"] } }, "body")));
  console.log(JSON.stringify(new Map(JSON.parse(await (await fetch("https://api.example.test/")).text()).headers).get("user-agent")));
  for (const input of ["http://api.example.test/", { path: "/a b" }]) try { https.get(input); } catch (error) { console.log(error.code); }
  await fetch("https://me:pw@api.example.test/").catch((error) => console.log(error.message));
})();`;
    const { result } = await harness.run({ runtime: "javascript", path: "scripts/main.cjs", source, egress });
    const [asked = "", ...rest] = result.stdout.trimEnd().split("\n");
    const [status, words, seen] = JSON.parse(asked) as [
      number,
      string,
      { method: string; body: string; headers: string[][] },
    ];
    expect([status, words, seen.method, seen.body]).toEqual([418, "I'm a Teapot", "POST", "body"]);
    expect(seen.headers).toContainEqual(["authorization", "Basic bWU6cHc="]);
    expect(seen.headers).toContainEqual(["x-a", "1, 2"]);
    expect(rest).toEqual([
      '"node"',
      "ERR_INVALID_PROTOCOL",
      "ERR_UNESCAPED_CHARACTERS",
      "Request cannot be constructed from a URL that includes credentials: https://me:pw@api.example.test/",
    ]);
  });

  test("what a listener throws is the script's error, not the request's", async () => {
    const source =
      'require("https").get("https://api.example.test/", () => { throw new Error("in the listener"); }).on("error", () => console.log("wrong"));';
    const { result } = await harness.run({ runtime: "javascript", source, egress });
    expect(result).toMatchObject({ exit_code: 1, stdout: "" });
    expect(result.stderr).toContain("Error: in the listener");
  });

  test("a request can be given up, and tells of it", async () => {
    const source = `const https = require("https"); const get = (how) => https.get("https://api.example.test/", how ?? {});
get().on("error", (error) => console.log(error.code, error.message)).destroy();
get({ signal: AbortSignal.abort() }).on("error", (error) => console.log(error.name, error.code));`;
    const { result } = await harness.run({ runtime: "javascript", source, egress });
    expect(result.stdout.split("\n").sort()).toEqual(["", "AbortError ABORT_ERR", "ECONNRESET socket hang up"]);
  });
});

test("redirects are followed hop by hop, each looked at, and none leads out", async () => {
  const to = (location: string) => ({ status: 302, headers: { location }, body: "" });
  const egress = {
    allow: ["https://api.example.test"],
    stub: {
      "https://api.example.test/in": to("/landed"),
      "https://api.example.test/landed": { status: 200, body: "landed" },
      "https://api.example.test/out": to("https://evil.test/"),
      "https://evil.test/": { status: 200, body: "CANARY" },
    },
  };
  for (const [runtime, source] of [
    [
      "python",
      "import urllib.request as u\nfor p in ('in', 'out'):\n    try: print(u.urlopen('https://api.example.test/' + p).read().decode())\n    except OSError: print('blocked')",
    ],
    ["bash", "for p in in out; do curl -sL https://api.example.test/$p && echo || echo blocked; done"],
    [
      "javascript",
      "(async () => { for (const p of ['in', 'out']) await fetch('https://api.example.test/' + p).then(async (r) => console.log(await r.text()), () => console.log('blocked')); })()",
    ],
  ] as const) {
    const { result } = await harness.run({ runtime, source, egress });
    expect(result.stdout).toBe("landed\nblocked\n");
  }
});

describe("yq", () => {
  const files = [
    { path: "f.yaml", text: "a: 1\nb:\n  - x\n  - y: 'q r'\nname: test\n" },
    { path: "m.yaml", text: "a: 1\n---\na: 2\n" },
    { path: "j.json", text: '{"k":[1,2],"s":"t"}' },
  ];

  test.each([
    ["yq '.a' f.yaml; yq -r .name f.yaml; yq eval '.b[1].y' f.yaml", "1\ntest\nq r\n"],
    ["yq -o=json -I=0 '.b' f.yaml; yq -j . f.yaml | jq .a", '["x",{"y":"q r"}]\n1\n'],
    ["yq -p json -o yaml . j.json", "k:\n  - 1\n  - 2\ns: t\n"],
    ["yq -i '.a = 5 | .c.d = \"new\"' f.yaml; yq .a f.yaml; yq .c f.yaml", "5\nd: new\n"],
    ["yq .a m.yaml", "1\n---\n2\n"],
    ["cat f.yaml | yq '.b | length'; yq -n '.x.y = 1'", "2\nx:\n  y: 1\n"],
    ["V=s yq '.a = strenv(V)' f.yaml | head -1; yq '.none // \"d\"' f.yaml", "a: s\nd\n"],
    ["yq ea '. as $item ireduce ({}; . * $item)' j.json m.yaml", "k:\n  - 1\n  - 2\ns: t\na: 2\n"],
    ["yq -e .none f.yaml; echo $?; yq . missing; echo $?; echo 'a: [1' | yq . ; echo $?", "null\n1\n1\n1\n"],
    ["yq -o toml . f.yaml 2>&1", "Error: output format 'toml' is not available here: yaml, json and props are\n"],
  ])("%s", async (source, stdout) => {
    expect((await harness.run({ runtime: "bash", source, files })).result.stdout).toBe(stdout);
  });
});

describe("wget", () => {
  const egress = { allow: ["https://api.example.test"], stub: { "*": { status: 200, body: "answer" } } };
  const missing = { allow: ["https://api.example.test"], stub: { "*": { status: 404, body: "no" } } };

  test("writes files or standard output, quietly if asked", async () => {
    const source =
      "wget -q https://api.example.test/a/b.txt; cat b.txt; wget -qO- https://api.example.test/; wget -q -O c.txt https://api.example.test/x; cat c.txt";
    expect((await harness.run({ runtime: "bash", source, egress })).result).toMatchObject({
      exit_code: 0,
      stdout: "answeransweranswer",
      stderr: "",
    });
  });

  test("its statuses are wget's", async () => {
    const source = "wget -q https://api.example.test/; echo $?; wget -q; echo $?; wget -q https://other.test/; echo $?";
    expect((await harness.run({ runtime: "bash", source, egress: missing })).result.stdout).toBe("8\n2\n4\n");
  });
});

describe("the table of the sandbox", () => {
  test("every Python module can be imported", async () => {
    const source = `import importlib, warnings\nwarnings.simplefilter("ignore")\nfor name in ${JSON.stringify([...PYTHON_MODULES])}:\n    importlib.import_module(name)\nprint("all")`;
    expect((await harness.run({ runtime: "python", source })).result).toMatchObject({ exit_code: 0, stdout: "all\n" });
  });

  test("every command is found, and no other", async () => {
    const { result } = await harness.run({ runtime: "bash", source: "ls /usr/bin" });
    expect(result.stdout.trim().split("\n").sort()).toEqual([...SHELL_COMMANDS].sort());
  });

  test("every Node.js module is there", async () => {
    const source = [...NODE_MODULES]
      .map((name) => `if (!require(${JSON.stringify(name)})) console.log(${JSON.stringify(name)});`)
      .join("\n");
    expect((await harness.run({ runtime: "javascript", source })).result).toMatchObject({
      exit_code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("crowds", () => {
  // Sixteen isolates begin at once: on a busy machine that takes longer than a run may last by default, or waits to be taken.
  const PATIENT = { timeout_ms: 240_000 };

  /** What is answered, a busy runner asked again as it says. */
  async function untilTaken(one: CaseRun): Promise<Answer["result"]> {
    for (;;) {
      const { result } = await harness.run(one);
      if (result.refused !== "runner-busy") {
        return result;
      }
      await new Promise((resolve) => setTimeout(resolve, result.retry_after_ms));
    }
  }

  const kinds = [
    ["python", "import sys\nopen('o', 'w').write(sys.argv[1])\nprint(sys.argv[1])"],
    ["bash", 'echo "$1" | tee o'],
    ["javascript", "require('fs').writeFileSync('o', process.argv[2]); console.log(process.argv[2])"],
  ] as const;

  test("fifty runs at once get fifty right answers, now or when the runner has room", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const [runtime, source] = kinds[i % kinds.length] ?? kinds[0];
        const argv = [`run-${i}`];
        const result = await untilTaken({ runtime, source, argv, limits: PATIENT, isolation: `tenant-${i % 3}` });
        return [result.stdout, result.files[0]?.content.trim()];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 50 }, (_, i) => [`run-${i}\n`, `run-${i}`]));
  }, 300_000);

  test("runs that compute do not keep others waiting", async () => {
    const ended: string[] = [];
    const run = async (name: string, one: CaseRun) => {
      const { result } = await harness.run(one);
      ended.push(name);
      expect(result.exit_code).toBe(0);
    };
    const computes = "import time\nt = time.time()\nwhile time.time() - t < 5: pass";
    await Promise.all([
      run("computes", { runtime: "python", source: computes }),
      run("is quick", { runtime: "bash", source: "echo quick" }),
    ]);
    expect(ended).toEqual(["is quick", "computes"]);
  });
});
