/** Owns that a run has one budget, whichever of its programs use it up and wherever they run; never the limits of one program. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunLimits } from "../../src/model/run.ts";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

/** A script of JavaScript that starts commands, one after the other, and prints what they print. */
const starting = (...commands: readonly string[]) =>
  `const { exec } = require("child_process");
   (async () => { for (const command of ${JSON.stringify(commands)})
     await new Promise((go) => exec(command, (error, out) => go(process.stdout.write(out + (error ? "failed " + error.code + "\\n" : ""))))); })();`;

const outcome = async (run: CaseRun) => {
  const { exit_code, limit, stdout } = (await harness.run(run)).result;
  return { exit_code, limit, stdout };
};

describe("a limit that another program of the run hits, in an isolate of its own, is named", () => {
  const files = (text: string) => [{ path: "scripts/inner.js", text }];

  test.each([
    ["memory", "python3 -c 'bytearray(100 << 20)'", {}, "failed 1\n"],
    ["files", "seq 1 1000 > a", { file_bytes: 1_000 }, "failed 1\n"],
    ["network", "curl -s https://other.test/", {}, "failed 7\n"],
    ["processes", "for i in 1 2 3 4; do bash -c 'echo x'; done", { processes: 3 }, "x\nx\nfailed 254\n"],
  ] as const)("%s: JavaScript starts %s", async (limit, command, limits, stdout) => {
    const run = { runtime: "javascript", source: starting(command), limits } as const;
    expect(await outcome(run)).toEqual({ exit_code: 0, limit, stdout });
  });

  test.each([
    ["files", "require('fs').writeFileSync('a', 'x'.repeat(2000))", { file_bytes: 1_000 }, "1\n"],
    ["network", "fetch('https://other.test/').catch(() => console.log('refused'))", {}, "refused\n0\n"],
  ] as const)("%s: shell starts node, which runs %s", async (limit, inner, limits, stdout) => {
    const source = "node scripts/inner.js 2> /dev/null; echo $?";
    expect(await outcome({ runtime: "bash", source, files: files(inner), limits })).toEqual({
      exit_code: 0,
      limit,
      stdout,
    });
  });
});

describe("processes are counted over all programs of a run", () => {
  const limits: Partial<RunLimits> = { processes: 5 };

  test("of those that JavaScript starts one after the other", async () => {
    const command = "for i in 1 2; do bash -c 'echo x'; done";
    const run = { runtime: "javascript", source: starting(command, command, command), limits } as const;
    expect(await outcome(run)).toEqual({
      exit_code: 0,
      limit: "processes",
      stdout: "x\nx\nx\nfailed 254\nfailed undefined\n",
    });
  });

  test("of those that JavaScript starts at once", async () => {
    const source = `const { exec } = require("child_process");
      let out = "";
      for (let i = 0; i < 3; i++) exec("for i in 1 2 3; do bash -c 'sleep 0.1; echo x'; done", (error, text) => { out += text; });
      process.on("exit", () => console.log(out.trim().split("\\n").length <= 5, out.includes("x")));`;
    expect(await outcome({ runtime: "javascript", source, limits })).toEqual({
      exit_code: 0,
      limit: "processes",
      stdout: "true true\n",
    });
  });
});

describe("memory is that of all interpreters of a run together", () => {
  /** Takes 40 MiB, then starts what takes as much, and so on. */
  const NESTED = `import subprocess, sys
depth = int(sys.argv[1])
try: held = bytearray(40 << 20)
except MemoryError: print(depth, 'no memory', flush=True); sys.exit()
print(depth, flush=True)
if depth > 1: subprocess.run([sys.executable, __file__, str(depth - 1)])`;

  test("one that another one waits for finds less", async () => {
    const run = { runtime: "python", source: NESTED, argv: ["3"] } as const;
    expect(await outcome(run)).toEqual({ exit_code: 0, limit: "memory", stdout: "3\n2 no memory\n" });
  });

  test("one that has ended has given its own back", async () => {
    const source = `import subprocess, sys
for i in range(4): subprocess.run([sys.executable, '-c', 'bytearray(40 << 20); print("fits")'])`;
    expect(await outcome({ runtime: "python", source })).toEqual({
      exit_code: 0,
      limit: null,
      stdout: "fits\n".repeat(4),
    });
  });
});

describe("at most four isolates live at once in a run, as the platform allows", () => {
  const files = [{ path: "scripts/inner.js", text: "setTimeout(() => console.log('inner'), 500)" }];

  test("JavaScript, the box, and two more", async () => {
    const source = `const { execFile } = require("child_process");
      const run = () => new Promise((go) => execFile("node", ["scripts/inner.js"], (error, out, words) => go((error ? words : out).trim())));
      Promise.all([run(), run(), run()]).then((all) => console.log(all.sort().join("; "))).then(run).then(console.log);`;
    const { stdout } = await outcome({ runtime: "javascript", source, files });
    expect(stdout).toBe("inner; inner; node: spawn EAGAIN\ninner\n");
  });

  test("the box, and three of JavaScript", async () => {
    const source = `import subprocess
all = [subprocess.Popen(["node", "scripts/inner.js"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(4)]
print(sorted(one.communicate()[0].strip() for one in all))`;
    const { stdout } = await outcome({ runtime: "python", source, files });
    expect(stdout).toBe("['inner', 'inner', 'inner', 'node: spawn EAGAIN']\n");
  });
});
