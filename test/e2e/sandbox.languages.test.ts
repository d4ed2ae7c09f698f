/** Owns what single languages do that no acceptance case asks for: errors of the system in Python's words, `node` called by others. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptParameters } from "../../src/check/script-parameters.ts";
import { argumentsToWords } from "../../src/model/arguments.ts";
import { type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const ERRORS = `
import errno, os, subprocess, socket
def tell(call):
    try:
        call()
    except OSError as error:
        print(f"{error} | {error!r} | {type(error).__name__}")
def throw(error):
    raise error
class Own(OSError):
    def __init__(self, path, reason):
        super().__init__(reason)
tell(lambda: open("/nope"))
tell(lambda: os.rename("/nope", "/x"))
tell(lambda: open("/tmp"))
tell(lambda: os.mkdir("/tmp"))
tell(lambda: os.listdir("SKILL.md"))
tell(lambda: subprocess.run(["nope"]))
tell(lambda: socket.create_connection(("127.0.0.1", 9)))
tell(lambda: os.get_terminal_size())
tell(lambda: throw(FileNotFoundError(errno.ENOENT, "mine", "f")))
tell(lambda: throw(FileNotFoundError(2, "No such file or directory", "f")))
tell(lambda: throw(OSError(errno.EINVAL, "custom")))
tell(lambda: throw(OSError("words")))
tell(lambda: throw(Own("path", "reason")))
open("/nope")
`;

test("Python says that a script is not there with the numbers and words of Linux", async () => {
  const { result } = await harness.run({
    runtime: "bash",
    source: "echo text > x; python3 gone.py; echo $?; python3 x/y.py; echo $?",
  });
  expect(result).toMatchObject({
    stdout: "2\n2\n",
    stderr:
      "/usr/bin/python3: can't open file '/skill/gone.py': [Errno 2] No such file or directory\n" +
      "/usr/bin/python3: can't open file '/skill/x/y.py': [Errno 20] Not a directory\n",
  });
});

test("Python's errors have the numbers and words of Linux, those that scripts make up stay", async () => {
  const { result } = await harness.run({ runtime: "python", source: ERRORS });
  expect(result.stdout.split("\n")).toEqual([
    "[Errno 2] No such file or directory: '/nope' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 2] No such file or directory: '/nope' -> '/x' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 21] Is a directory: '/tmp' | IsADirectoryError(21, 'Is a directory') | IsADirectoryError",
    "[Errno 17] File exists: '/tmp' | FileExistsError(17, 'File exists') | FileExistsError",
    "[Errno 20] Not a directory: 'SKILL.md' | NotADirectoryError(20, 'Not a directory') | NotADirectoryError",
    "[Errno 2] No such file or directory: 'nope' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 111] Connection refused | ConnectionRefusedError(111, 'Connection refused') | ConnectionRefusedError",
    "[Errno 25] Inappropriate ioctl for device | OSError(25, 'Inappropriate ioctl for device') | OSError",
    "[Errno 2] mine: 'f' | FileNotFoundError(2, 'mine') | FileNotFoundError",
    "[Errno 2] No such file or directory: 'f' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 22] custom | OSError(22, 'custom') | OSError",
    "words | OSError('words') | OSError",
    "reason | Own('reason') | Own",
    "",
  ]);
  expect(result.stderr.trimEnd().split("\n").at(-1)).toBe(
    "FileNotFoundError: [Errno 2] No such file or directory: '/nope'",
  );
});

const UPPER = `
const fs = require("node:fs");
const { exec } = require("node:child_process");
const [how] = process.argv.slice(2);
console.log(fs.readFileSync(0, "utf8").trim().toUpperCase(), process.argv.slice(2).join("+"), process.cwd(), process.env.WORD);
if (fs.existsSync("note.txt")) console.log("note:", fs.readFileSync("note.txt", "utf8").trim());
fs.writeFileSync("made.txt", "by node");
if (fs.existsSync("gone.txt")) fs.rmSync("gone.txt");
if (how !== "deep") Array.prototype.map = () => "polluted";
console.error("warned");
if (how === "deep") exec("WORD=inner node scripts/up.js x < note.txt", (error, out) => console.log("inner:", out.trim()));
if (how === "fail") process.exitCode = 3;
if (how === "spin") for (;;);
`;

const node = (source: string, runtime: "bash" | "python" = "bash", more = {}) =>
  harness.run({
    runtime,
    source,
    files: [
      { path: "scripts/up.js", text: UPPER },
      { path: "lib/other.js", text: "" },
    ],
    ...more,
  });

test("what Python changes in its environment is there for the programs it starts", async () => {
  const source =
    "import os, subprocess\nos.environ['WORD'] = 'set'\nos.environ.pop('TMPDIR')\n" +
    "subprocess.run(['sh', '-c', 'echo $WORD-$TMPDIR-'])\nos.system('echo $WORD-$TMPDIR-')\nprint(os.popen('echo $WORD').read())\n";
  const { result } = await harness.run({ runtime: "python", source });
  expect(result.stdout).toBe("set--\nset--\nset\n\n");
});

describe("node, called by the shell and by Python", () => {
  test("gets words, input, environment, directory and files, and what it writes comes back", async () => {
    const { result } = await node(
      "export WORD=w; echo hello > note.txt; touch gone.txt; mkdir -p sub; cd sub\n" +
        'echo abc | node ../scripts/up.js a "b c"; cat made.txt; cd ..; ls; node scripts/up.js fail < /dev/null; echo "rc $?"\n',
    );
    expect({ ...result, duration_ms: 0 }).toEqual({
      exit_code: 0,
      stdout:
        "ABC a+b c /skill/sub w\nby nodeSKILL.md\ngone.txt\nlib\nnote.txt\nscripts\nsub\n fail /skill w\nnote: hello\nrc 3\n",
      stderr: "warned\nwarned\n",
      timed_out: false,
      truncated: false,
      limit: null,
      duration_ms: 0,
      files: [
        { path: "made.txt", size: 7, media_type: "text/plain", encoding: "utf-8", content: "by node" },
        { path: "note.txt", size: 6, media_type: "text/plain", encoding: "utf-8", content: "hello\n" },
        { path: "sub/made.txt", size: 7, media_type: "text/plain", encoding: "utf-8", content: "by node" },
      ],
    });
  });

  test("is a subprocess of Python, and a script may start the shell that starts node again", async () => {
    const source =
      "import os, shutil, subprocess\nos.environ['WORD'] = 'py'\nopen('note.txt', 'w').write('n')\n" +
      "r = subprocess.run(['node', 'scripts/up.js', 'deep'], input='in', capture_output=True, text=True)\n" +
      "print(r.returncode, r.stdout, r.stderr, shutil.which('node'))\n";
    const { result } = await node(source, "python");
    expect([result.stdout, result.stderr]).toEqual([
      "0 IN deep /skill py\nnote: n\ninner: N x /skill inner\nnote: n\n warned\n /usr/bin/node\n",
      "",
    ]);
  });

  test("runs scripts that are packed with the skill, and nothing else", async () => {
    const { result } = await node(
      "node -e 'console.log(1)'; echo $?; node lib/other.js; echo $?; cp scripts/up.js made.js; node made.js; echo $?\n" +
        "node nowhere.js; echo $?; echo 'console.log(1)' | node; echo $?; node --version\n",
    );
    expect(result.stdout).toBe("9\n1\n1\n1\n9\nv24.21.0\n");
    expect(result.stderr).not.toContain("warned");
  });

  test("counts as a process of the run, and ends with its time", async () => {
    const few = await node("for i in 1 2 3; do node scripts/up.js < /dev/null; done", "bash", {
      limits: { processes: 2 },
    });
    const spin = await node("node scripts/up.js spin < /dev/null; echo after", "bash", {
      limits: { timeout_ms: 3_000 },
    });
    expect([few.result.stdout.trim().split("\n").length, few.result.limit]).toEqual([2, "processes"]);
    expect([spin.result.exit_code, spin.result.limit, spin.result.stdout]).toEqual([
      null,
      "wall",
      " spin /skill undefined\n",
    ]);
  });
});

describe("JavaScript as the packer compiles it", () => {
  test("what is imported at run time may stand anywhere, and only what is called fails", async () => {
    const source = `(async () => { const s = "a" + "b"; console.log("hi"); const f = () => import(s); })();
const name = "no" + "where", lazy = () => () => import(name);
class Lazy { field = () => import(name); static get one() { return import(name); } }
(async () => { for (const load of [lazy(), new Lazy().field, () => Lazy.one]) await load().catch((e) => console.log(e.code)); })();
(async () => { const { sep } = await import("node:" + "path"); console.log(sep); })();`;
    const { result } = await harness.run({ runtime: "javascript", source });
    const missing = "ERR_MODULE_NOT_FOUND\n";
    expect([result.exit_code, result.stderr, result.stdout.split("\n").sort().join("\n")]).toEqual([
      0,
      "",
      `\n/\n${missing.repeat(3)}hi`,
    ]);
  });

  test("a module has no require, in Node.js's words, and import.meta as a whole", async () => {
    const source = `const t = async (n, f) => f(); const tell = (e) => console.log(e.name, e.message);
await t("require", () => require("node:fs")).catch(tell); try { console.log({ require }); } catch (e) { tell(e); }
const own = (require) => require("x"); console.log(typeof require, own((name) => name), Object.keys(import.meta).join());
require("child_process").execSync("x");`;
    const { result } = await harness.run({ runtime: "javascript", source, path: "scripts/main.mjs" });
    expect(result.stdout).toBe(
      "ReferenceError require is not defined\nReferenceError require is not defined\n" +
        "undefined x dirname,filename,main,resolve,url\n",
    );
    expect(result.stderr).toBe(
      '/skill/scripts/main.mjs:4\nrequire("child_process").execSync("x");\n\n' +
        "ReferenceError: require is not defined\n    at Object.<anonymous> (/skill/scripts/main.mjs:4)\n\nNode.js v24.21.0\n",
    );
    expect(result.exit_code).toBe(1);
  });

  test("modules of Node.js that the sandbox lacks are there until something of them is called, by whatever name", async () => {
    const source = `import dgram from "node:dgram"; import { Session } from "inspector"; import * as sqlite from "node:sqlite";
import net, { Socket } from "node:net"; import { Worker, isMainThread } from "worker_threads"; import { connect } from "http2";
const { Script } = await import("node:vm");
console.log("before", isMainThread);
const uses = [() => dgram.createSocket("udp4"), () => new Session(), () => new sqlite.DatabaseSync("a"), () => new net.Socket(), () => new Socket(), () => new Worker("x"), () => connect("x"), () => new Script("1")];
for (const use of uses) try { use(); } catch (error) { console.log(error.message, error.code === "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM"); }
await import("test").catch((error) => console.log(error.code));`;
    const { result } = await harness.run({ runtime: "javascript", source, path: "scripts/main.mjs" });
    const refused = ["dgram.createSocket", "inspector.Session", "sqlite.DatabaseSync", "net.Socket", "net.Socket"]
      .concat(["worker_threads.Worker", "http2.connect", "vm.Script"])
      .map((name) => `${name} is not available in the sandbox true\n`);
    expect([result.stderr, result.stdout]).toEqual(["", `before true\n${refused.join("")}ERR_MODULE_NOT_FOUND\n`]);
  });

  test("code that does not load is a run that failed", async () => {
    const { result } = await harness.run({
      runtime: "javascript",
      source: "",
      compiled: { "scripts/main.js": "module.exports = () => x.(y);" },
    });
    expect({ ...result, duration_ms: 0 }).toEqual({
      exit_code: 1,
      stdout: "",
      stderr: "/skill/scripts/main.js\n\nSyntaxError: Unexpected token '('\n",
      timed_out: false,
      truncated: false,
      limit: null,
      duration_ms: 0,
      files: [],
    });
  });

  test("so is code that another program starts", async () => {
    const { result } = await node("node scripts/up.js < /dev/null; echo $?", "bash", {
      compiled: { "scripts/up.js": "module.exports = () => x.(y);" },
    });
    expect([result.stdout, result.stderr]).toEqual([
      "1\n",
      "/skill/scripts/up.js\n\nSyntaxError: Unexpected token '('\n",
    ]);
  });
});

const TAKES_LISTS = `
import argparse
p = argparse.ArgumentParser(description="Takes lists.")
p.add_argument("input")
p.add_argument("--files", nargs="*", default=[])
p.add_argument("--size", nargs=2, type=int)
p.add_argument("--tag", action="append")
p.add_argument("--more", nargs="+", action="extend")
p.add_argument("--color", action=argparse.BooleanOptionalAction)
print(sorted(vars(p.parse_args()).items()))
`;

test("what the parameters of a script with argparse say leads to the values that it states", async () => {
  const parameters = scriptParameters("scripts/main.py", TAKES_LISTS, "python", () => null);
  const given = {
    args: ["in.csv"],
    tag: ["t", "u"],
    more: ["m", "n"],
    size: [3, 4],
    "no-color": true,
    files: ["a b", "c", "d"],
  };
  expect(Object.keys(parameters.properties ?? {}).sort()).toEqual([...Object.keys(given), "color"].sort());
  const argv = argumentsToWords(given, parameters);
  const { result } = await harness.run({ runtime: "python", source: TAKES_LISTS, argv });
  expect([result.stderr, result.stdout]).toEqual([
    "",
    "[('color', False), ('files', ['a b', 'c', 'd']), ('input', 'in.csv'), ('more', ['m', 'n']), ('size', [3, 4]), ('tag', ['t', 'u'])]\n",
  ]);
});

test.each([
  [
    "trap 'echo x' DEBUG; echo \"status $?\"; trap - DEBUG && echo fine",
    "status 1\nfine\n",
    "line 1: trap: DEBUG: the sandbox's shell has no such trap",
  ],
  ["echo before\nselect x in a b; do echo $x; done", "", "line 2: syntax error: the sandbox's shell has no `select'"],
])("what the shell does not have is told by its name: %s", async (source, stdout, words) => {
  const { result } = await harness.run({ runtime: "bash", source });
  expect([result.stdout, result.stderr]).toEqual([stdout, `scripts/main.sh: ${words}\n`]);
});

test("a function in the environment that is none is left alone", async () => {
  const source = `
export -f nothing 2>/dev/null || true
env 'BASH_FUNC_f%%=() { echo hi; }; echo ran' bash -c 'f' 2>&1
env 'BASH_FUNC_g%%=echo ran' bash -c 'g' 2>&1
env 'BASH_FUNC_h%%=() { echo ok; }' bash -c 'h' 2>&1
`;
  const { result } = await harness.run({ runtime: "bash", source });
  expect(result.stdout.replace(/^.*: line \d+: /gm, "")).toBe("f: command not found\ng: command not found\nok\n");
});

test("a JavaScript program starts others with the environment as it is, and has their streams in a list; nothing of util's debugging is on", async () => {
  const source = `import { spawn } from "node:child_process"; import { debuglog } from "node:util";
    process.env.WORD = "set";
    const child = spawn("sh", ["-c", "echo $WORD"], { env: process.env, stdio: ["pipe", "pipe", "pipe"] });
    child.stdout.on("data", (data) => console.log(String(data).trim()));
    child.on("close", (status) => console.log(status, child.stdio.length, child.stdio[1] === child.stdout, debuglog("x").enabled));`;
  const { result } = await harness.run({ runtime: "javascript", source, path: "scripts/main.mjs" });
  expect([result.stderr, result.stdout]).toEqual(["", "set\n0 3 true false\n"]);
});
