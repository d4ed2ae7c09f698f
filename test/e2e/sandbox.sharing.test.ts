/** Owns what runs that share a JavaScript isolate have of their own, and when the isolate is not used again. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

/** A run of JavaScript in an isolate that is shared by the runs of the same source. */
async function run(source: string, argv: readonly string[] = [], more: Partial<CaseRun> = {}) {
  const { result } = await harness.run({ runtime: "javascript", source, argv, share: "tenant", ...more });
  return result;
}

/** How many runs the isolate has served, this one included. */
const VISITS = "globalThis.visits = (globalThis.visits ?? 0) + 1;\n";

describe("runs that share an isolate", () => {
  it("are evaluated anew each time, with words, input, files and variables of their own, twenty at once", async () => {
    const source = `${VISITS}
      import fs from "node:fs";
      import { setTimeout as wait } from "node:timers/promises";
      let count = 0;
      const word = process.argv[2];
      fs.writeFileSync("own.txt", word);
      process.env.WORD = word;
      process.chdir("scripts");
      for (let i = 0; i < 5; i++) {
        await wait(5);
        count++;
        console.error(word, setTimeout === globalThis.setTimeout, process === globalThis.process);
      }
      process.on("exit", () => console.log(word, count, fs.readFileSync("../own.txt", "utf8"), process.env.WORD, process.cwd(), fs.readFileSync(0, "utf8"), fs.readdirSync("..").join()));
      process.exitCode = Number(word);`;
    const words = Array.from({ length: 20 }, (_, i) => String(i));
    const results = await Promise.all(words.map((word) => run(source, [word], { stdin: `in-${word}` })));
    expect(
      results.map(({ stdout, stderr, exit_code, files }) => [stdout, stderr, exit_code, files[0]?.content]),
    ).toEqual(
      words.map((word) => [
        `${word} 5 ${word} ${word} /skill/scripts in-${word} SKILL.md,own.txt,scripts\n`,
        `${word} true true\n`.repeat(5),
        Number(word),
        word,
      ]),
    );
    const after = await run(`${source}\nconsole.log(globalThis.visits);`, ["0"]);
    expect(after.stdout).toContain("1\n");
  });

  it("keep their isolate, whatever their arguments, input and limits, and lose nothing of their skill's files", async () => {
    const source = `${VISITS}console.log(globalThis.visits, require("node:fs").readFileSync("data.txt", "utf8"));`;
    const answers = [];
    for (const text of ["one", "one", "two"]) {
      const files = [{ path: "data.txt", text }];
      answers.push(await run(source, [text], { files, stdin: text, limits: { timeout_ms: 5_000 + answers.length } }));
    }
    expect(answers.map(({ stdout }) => stdout)).toEqual(["1 one\n", "2 one\n", "3 two\n"]);
  });

  it("ask the edge for no file a second time", async () => {
    const source = `${VISITS}console.log(globalThis.visits);`;
    const files = [{ path: "data.txt", text: "a file that only this test has" }];
    const order = { runtime: "javascript", source, share: "tenant", files } as const;
    const [first, second] = [await harness.run(order), await harness.run(order)];
    expect([first.result.stdout, second.result.stdout]).toEqual(["1\n", "2\n"]);
    expect([first.asked > 0, second.asked]).toEqual([true, 0]);
  });

  it("leave no timer, listener or late word behind", async () => {
    const source = `${VISITS}
      setInterval(() => console.log("late"), 1).unref();
      process.on("exit", () => console.log("exit", globalThis.visits));
      if (process.argv[2] === "stays") await new Promise((go) => setTimeout(go, 100));`;
    const words = async (...argv: string[]) =>
      (await run(source, argv)).stdout.split("\n").filter((line) => line !== "late");
    expect([await words(), await words("stays")]).toEqual([
      ["exit 1", ""],
      ["exit 2", ""],
    ]);
  });

  it("end by their own errors only", async () => {
    const source = `${VISITS}
      const [how] = process.argv.slice(2);
      const wait = (ms) => new Promise((go) => setTimeout(go, ms));
      if (how === "rejects") { wait(20).then(() => Promise.reject(new Error("mine"))); wait(1000); }
      else if (how === "throws") setTimeout(() => { throw new Error("mine"); }, 20);
      else if (how === "exits") setTimeout(() => process.exit(7), 20);
      else if (how === "listens") { process.on("unhandledRejection", (error) => console.log("heard", error.message)); wait(20).then(() => Promise.reject(new Error("own"))); }
      else wait(200).then(() => console.log("whole"));`;
    const ways = ["whole", "rejects", "throws", "exits", "listens", "whole"];
    const results = await Promise.all(ways.map((how) => run(source, [how])));
    expect(results.map(({ exit_code, stdout, stderr }) => [exit_code, stdout, stderr.includes("mine")])).toEqual([
      [0, "whole\n", false],
      [1, "", true],
      [1, "", true],
      [7, "", false],
      [0, "heard own\n", false],
      [0, "whole\n", false],
    ]);
  });

  it("fail, and do not end in silence, when they call what an earlier run has made", async () => {
    const source =
      "globalThis.word ??= () => 'word'; console.log('before'); console.log(word()); console.log('after');";
    const [first, second] = [await run(source), await run(source)];
    expect([first.exit_code, first.stdout]).toEqual([0, "before\nword\nafter\n"]);
    expect([second.exit_code, second.stdout]).toEqual([1, "before\n"]);
    expect(second.stderr).toContain("a function was called that an earlier run of this isolate has made");
  });

  it("are not served by the isolate of another skill's files, tenant or actor", async () => {
    const source = `${VISITS}console.log(String(globalThis.visits));`;
    const ways: Partial<CaseRun>[] = [
      {},
      { isolation: "globex" },
      { share: "actor:1" },
      { share: "actor:2" },
      { isolation: "globex", share: "actor:1" },
      { path: "scripts/other.js" },
      {},
    ];
    const visits = [];
    for (const way of ways) {
      visits.push((await run(source, [], way)).stdout);
    }
    expect(visits).toEqual(["1\n", "1\n", "1\n", "1\n", "1\n", "1\n", "2\n"]);
  });

  it("are also the programs that shell and Python start as node", async () => {
    const files = [{ path: "scripts/count.js", text: `${VISITS}console.log(globalThis.visits);` }];
    const order = { runtime: "bash", source: "node scripts/count.js; node scripts/count.js", files } as const;
    expect((await harness.run({ ...order, share: "tenant" })).result.stdout).toBe("1\n2\n");
    expect((await harness.run(order)).result.stdout).toBe("1\n1\n");
  });
});

describe("an isolate that runs share is not used again", () => {
  const source = (act: string) => `${VISITS}if (process.argv[2] === "bad") { ${act} }\nconsole.log(globalThis.visits);`;

  it.each([
    ["after a run was stopped in a loop", "for (;;) {}"],
    ["after a run was stopped while it waited", "setTimeout(() => {}, 60_000); process.on('exit', () => {}); return;"],
  ])("%s", async (_what, act) => {
    const script = source(act);
    expect((await run(script)).stdout).toBe("1\n");
    const bad = await run(script, ["bad"], { limits: { timeout_ms: 700 } });
    expect([bad.exit_code, bad.stdout]).toEqual([null, ""]);
    expect((await run(script)).stdout).toBe("1\n");
  });

  it.each([
    ["changed built-in objects so that nobody can put them back", "Object.freeze(Array.prototype);"],
    [
      "defined a global for good",
      "Object.defineProperty(globalThis, 'process', { get: () => 'bad', configurable: false });",
    ],
  ])("after a run %s", async (_what, act) => {
    const script = source(act);
    const visits = [];
    for (const word of ["", "", "bad", "", ""]) {
      visits.push((await run(script, [word])).stdout);
    }
    expect(visits).toEqual(["1\n", "2\n", "3\n", "1\n", "2\n"]);
  });

  it("after code that does not load", async () => {
    const compiled = { "scripts/main.js": "module.exports = async function () { await = };" };
    for (const _ of [1, 2]) {
      const { exit_code, stderr } = await run("0", [], { compiled });
      expect([exit_code, stderr]).toEqual([1, expect.stringMatching(/^\/skill\/scripts\/main\.js\n\nSyntaxError: /)]);
    }
  });
});
