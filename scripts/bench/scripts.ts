/** Measures scripts in the sandbox, cold and warm, against the native subprocess that a user would otherwise start. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalEdge, startEdge } from "../local-edge.ts";
import { median, type Row, short } from "./table.ts";

const ROUNDS = 20;
/** Files of the skill, all of which every run of it can read. */
const FILES = 500;
const CROWD = 40;
const AT_ONCE = 8;

const PLAIN = "bench";
const LARGE = "files";

interface Subject {
  /** Default: {@link PLAIN}. */
  readonly skill?: string;
  readonly language: string;
  readonly script: string;
  readonly source: string;
  readonly native: readonly [program: string, ...words: string[]];
}

const PYTHON =
  'import argparse, json\np = argparse.ArgumentParser()\np.add_argument("--value", type=float)\nprint(json.dumps({"value": p.parse_args().value}))\n';

/** The interpreter itself: what a shell finds first may be a shim that starts it slowly. */
const python3 = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout.trim();

const SUBJECTS: readonly Subject[] = [
  { language: "Python, print", script: "hello.py", source: 'print("hello")\n', native: [python3] },
  { language: "Python, argparse and json", script: "parse.py", source: PYTHON, native: [python3] },
  {
    language: "shell",
    script: "hello.sh",
    source: '#!/usr/bin/env bash\nset -euo pipefail\nfor i in 1 2 3; do echo "hello $i"; done | sort -r | head -1\n',
    native: ["bash"],
  },
  {
    language: "shell with jq",
    script: "pick.sh",
    source: `#!/usr/bin/env bash\necho '{"a": [1, 2, 3]}' | jq -c '.a | map(. * 2)'\n`,
    native: ["bash"],
  },
  {
    language: "shell that starts node",
    script: "starts-node.sh",
    source: '#!/usr/bin/env bash\nnode "$(dirname "$0")/hello.js"\n',
    native: ["bash"],
  },
  {
    skill: LARGE,
    language: `Python, ${FILES} files read`,
    script: "files.py",
    source:
      "import os\nroot = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../data')\n" +
      "print(sum(len(open(os.path.join(root, name)).read()) for name in os.listdir(root)))\n",
    native: [python3],
  },
  {
    language: "JavaScript",
    script: "hello.js",
    source: "console.log(JSON.stringify({ hello: 1 }));\n",
    native: [process.execPath],
  },
];

export async function measureScripts(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  for (const { skill = PLAIN, script, source } of SUBJECTS) {
    const root = join(directory, "skills", skill);
    mkdirSync(join(root, "scripts"), { recursive: true });
    writeFileSync(
      join(root, "SKILL.md"),
      `---\nname: ${skill}\ndescription: Scripts that are measured.\n---\nRun them.\n`,
    );
    writeFileSync(join(root, "scripts", script), source);
  }
  mkdirSync(join(directory, "skills", LARGE, "data"));
  for (let i = 0; i < FILES; i++) {
    writeFileSync(join(directory, "skills", LARGE, "data", `${i}.txt`), `file ${i}\n`.repeat(20));
  }
  const edge = await startEdge([join(directory, "skills"), "--state", join(directory, "state"), "--port", "0"]);
  try {
    const rows: Row[] = [];
    for (const subject of SUBJECTS) {
      rows.push(await measure(edge, subject, directory));
    }
    rows.push(await measureCrowd(edge), measureChildren());
    return rows;
  } finally {
    await edge.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(edge: LocalEdge, subject: Subject, directory: string): Promise<Row> {
  const { skill = PLAIN, language, script, native } = subject;
  const cold = await run(edge, subject);
  const warm: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    warm.push(await run(edge, subject));
    const begun = performance.now();
    const [program, ...words] = native;
    const { status } = spawnSync(program, [...words, join(directory, "skills", skill, "scripts", script)]);
    plain.push(performance.now() - begun);
    if (status !== 0) {
      throw new Error(`${program} ended with ${status}`);
    }
  }
  const ratio = median(warm) / median(plain);
  return {
    what: language,
    measured: `cold ${short(cold)} ms, warm ${short(median(warm))} ms, native ${short(median(plain))} ms`,
    goal: `warm is ${short(ratio)} × native`,
  };
}

/** Many runs of all languages, some at a time. */
async function measureCrowd(edge: LocalEdge): Promise<Row> {
  const queue = Array.from({ length: CROWD }, (_, i) => SUBJECTS[i % SUBJECTS.length]).values();
  const times: number[] = [];
  const begun = performance.now();
  const work = async () => {
    for (const subject of queue) {
      if (subject !== undefined) {
        times.push(await run(edge, subject));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const all = performance.now() - begun;
  return {
    what: `${CROWD} runs of all kinds, ${AT_ONCE} at once`,
    measured: `${short(all)} ms in all, ${short(median(times))} ms each`,
    goal: `${short((CROWD / all) * 1000)} runs a second`,
  };
}

/** What the loader is given to make a child of. */
function measureChildren(): Row {
  const sizeOf = (...names: readonly string[]) =>
    names.reduce(
      (sum, name) => sum + statSync(new URL(`../../src/sandbox/generated/${name}`, import.meta.url)).size,
      0,
    );
  const box = sizeOf("box.txt", "python.wasm", "stdlib.bin");
  return {
    what: "code of a child",
    measured: `Python and shell ${short(box / 1e6)} MB, JavaScript ${short(sizeOf("javascript.txt") / 1e3)} kB and its script`,
    goal: "-",
  };
}

async function run(edge: LocalEdge, { skill = PLAIN, script }: Subject): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${edge.token}` },
    body: JSON.stringify({ skill_name: skill, script_name: script }),
  });
  const answer = (await response.json()) as { is_error: boolean; content: string };
  if (answer.is_error) {
    throw new Error(answer.content);
  }
  return performance.now() - begun;
}
