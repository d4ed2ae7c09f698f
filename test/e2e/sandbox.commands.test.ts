/** Owns attacks by programs of the shell's own commands: they end from inside, let others go on, and show nothing of what runs them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CaseRun, type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const bash = async (source: string, more: Partial<CaseRun> = {}) =>
  (await harness.run({ runtime: "bash", source, ...more })).result;

/** The status that a program of a shell command ends with, and what it says. */
const ended = async (source: string, more: Partial<CaseRun> = {}) => {
  const { stdout, stderr, exit_code, limit } = await bash(source, more);
  return { stdout, stderr, exit_code, limit };
};

describe("a program without an end", () => {
  const PROGRAMS = {
    awk: "awk 'BEGIN { while (1) n++ }'",
    "awk's getline": "awk 'BEGIN { while ((getline line < \"/nowhere\")) n++ }'",
    "awk's many pipes": "awk 'BEGIN { for (i = 0; i < 30000; i++) print i | (\"cat; : \" i) }'",
    sed: "echo a | sed ':a;s/a/a/;ta'",
    "sed's D": "echo a | sed 's/^/x\\n/;D'",
    bc: "echo 'while (1) n = n + 1' | bc",
    "bc's function": "printf 'define f(n) {\\nwhile (1) n = n + 1\\n}\\nf(1)\\n' | bc",
    xargs: "yes | xargs -n1 true",
    factor: "yes 999999999999989 | head -100000 | factor",
  };

  test.concurrent.each(Object.entries(PROGRAMS))(
    "of %s ends from inside, and others have their turn meanwhile",
    async (name, source) => {
      const own = { isolation: `endless-${name}`, limits: { timeout_ms: 4_000, cpu_ms: 60_000 } };
      const before = harness.runner.restarts;
      const [endless, beside] = await Promise.all([
        ended(`echo begun; ${source}; echo after`, own),
        ended("sleep 0.5; echo beside", { isolation: own.isolation }),
      ]);
      expect(beside).toEqual({ stdout: "beside\n", stderr: "", exit_code: 0, limit: null });
      expect(endless).toMatchObject({ stdout: "begun\n", exit_code: null, limit: "wall" });
      expect(harness.runner.restarts).toBe(before);
    },
  );
});

describe("a program that asks for too much", () => {
  test.each([
    [
      "numbers of bc",
      "echo 'x = 2; while (1) x = x * x' | bc",
      "Runtime error (func=(main), adr=3): a number of more than 20000 digits\n",
    ],
    ["powers of bc", "echo '9^9^9' | bc", "Runtime error (func=(main), adr=3): a number of more than 20000 digits\n"],
    [
      "texts of awk",
      "awk 'BEGIN { x = \"a\"; while (1) x = x x }'",
      "awk: out of memory: a text of more than 16 MiB\n",
    ],
    ["fields of awk", "echo a | awk '{ NF = 1000000000 }'", "awk: there is no field 1000000000\n"],
    ["the hold space of sed", "echo a | sed ':a;G;h;ba'", "sed: memory exhausted\n"],
    [
      "numbers of expr",
      'x=9; for i in {1..40}; do x=$(expr $x "*" $x) || break; done',
      "expr: Numerical result out of range\n",
    ],
    ["lines of shuf", "shuf -i 1-4999999", "shuf: memory exhausted\n"],
    ["times of date", "date -d @99999999999999999", "date: invalid date ‘@99999999999999999’\n"],
  ])("%s: is refused, and the script goes on", async (_what, source, stderr) => {
    expect(await ended(`${source}; echo after`)).toEqual({ stdout: "after\n", stderr, exit_code: 0, limit: null });
  });

  test("uniq that skips more fields than there are, diff of files with nothing in common, yq with wide margins", async () => {
    const source = `printf 'a\\nb\\n' | uniq -f 1000000000
      seq 1 20000 > a; seq 100001 120000 > b; (echo same; cat a) > c; (echo same; cat b) > d; diff c d | sed -n '1p;$p'
      echo '{"a":{"b":1}}' | yq -I 1000000000 . | wc -c`;
    const result = await bash(source);
    expect([result.stdout, result.stderr]).toEqual(["a\n2,20001c2,20001\n> 120000\n108\n", ""]);
  });

  test.each([
    ["eval", 'x=\'eval "$x"\'; eval "$x"'],
    ["a handler of its own signal", "trap 'kill -USR1 $$' USR1; kill -USR1 $$"],
    ["a function", "f() { f; }; f"],
    ["a fork bomb", ":() { :|:& }; :"],
    ["sourced files", "echo '. ./a.sh' > a.sh; . ./a.sh"],
    ["substitutions", "f() { echo $(f); }; f"],
  ])("without end in itself: %s", async (_what, source) => {
    const { exit_code, limit, stderr } = await bash(`echo begun; ${source}; echo after`);
    expect([exit_code, limit, stderr]).toEqual([126, "memory", expect.stringMatching(/(?:depth|limit).* exceeded/)]);
  });
});

describe("names of JavaScript's own", () => {
  const WORDS = ["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"];

  test.each(WORDS)(
    "%s is a name like any other for awk, files and the environment, and none for bc, date, kill and set",
    async (word) => {
      const source = `
      awk -v ${word}=1 'BEGIN { a["${word}"] = 2; for (k in a) print k, a[k]; print ${word}, ("x" in a), ENVIRON["${word}"] }'
      echo own > ${word}; cat ${word}; export ${word}=v; printenv ${word}
      echo '${word}(1)' | bc 2> /dev/null | wc -c
      kill -${word} $$ 2> /dev/null; echo $?
      date --${word} 2> /dev/null; echo $?
      sort --${word} /dev/null 2> /dev/null; echo $?
      unset ${word}; echo '<$${word}>' | envsubst; getconf ${word} 2> /dev/null; echo $?; date -u -d @0 -I${word}`;
      expect(await ended(source)).toEqual({
        stdout: `${word} 2\n1 0 \nown\nv\n0\n1\n1\n2\n<>\n2\n1970-01-01T00:00:00+00:00\n`,
        stderr: "",
        exit_code: 0,
        limit: null,
      });
    },
  );
});

test("sed over several files keeps their lines apart, gives up at a folder, and edits each in place by itself", async () => {
  const source = `printf 'one\\ntwo' > f; printf 'three\\n' > g; mkdir dd
    sed -s -n '$p' f g; sed -n '$p' f g; sed -n p f dd g; echo " $?"
    sed -i.bak s/o/0/ f nope g dd; echo "$?"; cat f f.bak g; echo; sed -i '1q5' g; echo "$?"`;
  expect(await ended(source)).toEqual({
    stdout: "two\nthree\nthree\none\ntwo 4\n4\n0ne\ntw0one\ntwothree\n\n5\n",
    stderr:
      "sed: read error on dd: Is a directory\nsed: can't read nope: No such file or directory\nsed: couldn't edit dd: not a regular file\n",
    exit_code: 0,
    limit: null,
  });
});
