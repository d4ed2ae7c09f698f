/** Measures scripts in the sandbox, cold and warm, against the native subprocess that a user would otherwise start. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { partsFor } from "../../src/sandbox/javascript-parts.ts";
import { type LocalEdge, startEdge } from "../local-edge.ts";
import { median, type Row, short } from "./table.ts";

const ROUNDS = 20;
/** Files of the skill, all of which every run of it can read. */
const FILES = 500;
const CROWD = 40;
const AT_ONCE = 8;

const PLAIN = "bench";
const LARGE = "files";
/** A tenant whose JavaScript runs share an isolate. */
const SHARED = "shared";

interface Subject {
  /** Default: {@link PLAIN}. */
  readonly skill?: string;
  readonly language: string;
  readonly script: string;
  readonly source: string;
  readonly native: readonly [program: string, ...words: string[]];
  /** As whom it runs; default: nobody's tenant, each JavaScript run in an isolate of its own. */
  readonly as?: keyof Tokens;
  /** How many times native a warm run may take at most. */
  readonly bound?: number;
}

const PYTHON =
  'import argparse, json\np = argparse.ArgumentParser()\np.add_argument("--value", type=float)\nprint(json.dumps({"value": p.parse_args().value}))\n';

const REPORT =
  'const { parseArgs } = require("node:util");\nconst fs = require("node:fs");\n' +
  'const { values } = parseArgs({ options: { title: { type: "string", default: "Report" } } });\n' +
  'fs.writeFileSync("/tmp/report.md", "# " + values.title);\nconsole.log(fs.readFileSync("/tmp/report.md", "utf8"), { done: true });\n';

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
    bound: 0.6,
  },
  {
    language: "JavaScript, isolation tenant",
    script: "hello.js",
    source: "console.log(JSON.stringify({ hello: 1 }));\n",
    native: [process.execPath],
    as: SHARED,
    bound: 0.3,
  },
  {
    language: "JavaScript, files and words",
    script: "report.js",
    source: REPORT,
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
  const settings = join(directory, "edge-skills.json");
  writeFileSync(settings, JSON.stringify({ tenants: { [SHARED]: { isolation: "tenant" } } }));
  const places = ["--state", join(directory, "state"), "--config", settings, "--port", "0"];
  const edge = await startEdge([join(directory, "skills"), ...places]);
  try {
    const tokens: Tokens = { own: edge.token, [SHARED]: await tokenFor(edge, SHARED) };
    const rows: Row[] = [];
    for (const subject of SUBJECTS) {
      rows.push(await measure(edge, tokens, subject, directory));
    }
    rows.push(await measureCrowd(edge, tokens), measureChildren());
    return rows;
  } finally {
    await edge.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Tokens {
  readonly own: string;
  readonly [SHARED]: string;
}

async function tokenFor(edge: LocalEdge, tenant: string): Promise<string> {
  const response = await fetch(`${edge.url}/v1/tokens?tenant=${tenant}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${edge.operator_token}` },
    body: JSON.stringify({ scopes: ["read", "run"] }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function measure(edge: LocalEdge, tokens: Tokens, subject: Subject, directory: string): Promise<Row> {
  const { skill = PLAIN, language, script, native, bound } = subject;
  const cold = await run(edge, tokens, subject);
  const warm: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    warm.push(await run(edge, tokens, subject));
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
    goal: `warm is ${short(ratio)} × native${bound === undefined ? "" : `, at most ${bound} is the goal`}`,
  };
}

/** Many runs of all languages, some at a time. */
async function measureCrowd(edge: LocalEdge, tokens: Tokens): Promise<Row> {
  const queue = Array.from({ length: CROWD }, (_, i) => SUBJECTS[i % SUBJECTS.length]).values();
  const times: number[] = [];
  const begun = performance.now();
  const work = async () => {
    for (const subject of queue) {
      if (subject !== undefined) {
        times.push(await run(edge, tokens, subject));
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

/** Bytes of the modules for a script that only prints, and of all modules; without the script. */
function javaScriptSizes(): readonly [least: number, most: number] {
  const built = readFileSync(new URL("../../src/sandbox/generated/javascript.txt", import.meta.url), "utf8");
  const { modules } = JSON.parse(built) as { modules: Record<string, string | { cjs: string }> };
  const size = (some: typeof modules) =>
    Object.values(some).reduce((sum, code) => sum + Buffer.byteLength(typeof code === "string" ? code : code.cjs), 0);
  return [size(partsFor("", modules)), size(modules)];
}

/** What the loader is given to make a child of. */
function measureChildren(): Row {
  const sizeOf = (...names: readonly string[]) =>
    names.reduce(
      (sum, name) => sum + statSync(new URL(`../../src/sandbox/generated/${name}`, import.meta.url)).size,
      0,
    );
  const box = sizeOf("box.txt", "python.wasm", "sqlite.wasm");
  const [least, most] = javaScriptSizes();
  return {
    what: "code of a child",
    measured: `Python and shell ${short(box / 1e6)} MB, JavaScript ${short(least / 1e3)} kB, with all that a script can use ${short(most / 1e3)} kB`,
    goal: "-",
  };
}

async function run(edge: LocalEdge, tokens: Tokens, { skill = PLAIN, script, as = "own" }: Subject): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${tokens[as]}` },
    body: JSON.stringify({ skill_name: skill, script_name: script }),
  });
  const answer = (await response.json()) as { is_error: boolean; content: string };
  if (answer.is_error) {
    throw new Error(answer.content);
  }
  return performance.now() - begun;
}
