/** Measures scripts in the sandbox, cold and warm, against the native subprocess that a user would otherwise start. */
import { readFileSync, statSync } from "node:fs";
import { partsFor } from "../../src/sandbox/javascript-parts.ts";
import { type Measured, PYTHON, type ScriptEdge, startScriptEdge } from "./script-edge.ts";
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
  readonly native: string;
  /** As whom it runs; default: nobody's tenant, each JavaScript run in an isolate of its own. */
  readonly as?: typeof SHARED;
  /** How many times native a warm run may take at most. */
  readonly bound?: number;
}

const ARGPARSE =
  'import argparse, json\np = argparse.ArgumentParser()\np.add_argument("--value", type=float)\nprint(json.dumps({"value": p.parse_args().value}))\n';

const REPORT =
  'const { parseArgs } = require("node:util");\nconst fs = require("node:fs");\n' +
  'const { values } = parseArgs({ options: { title: { type: "string", default: "Report" } } });\n' +
  'fs.writeFileSync("/tmp/report.md", "# " + values.title);\nconsole.log(fs.readFileSync("/tmp/report.md", "utf8"), { done: true });\n';

const SUBJECTS: readonly Subject[] = [
  { language: "Python, print", script: "hello.py", source: 'print("hello")\n', native: PYTHON, bound: 2 },
  { language: "Python, argparse and json", script: "parse.py", source: ARGPARSE, native: PYTHON, bound: 2 },
  {
    language: "shell",
    script: "hello.sh",
    source: '#!/usr/bin/env bash\nset -euo pipefail\nfor i in 1 2 3; do echo "hello $i"; done | sort -r | head -1\n',
    native: "bash",
  },
  {
    language: "shell with jq",
    script: "pick.sh",
    source: `#!/usr/bin/env bash\necho '{"a": [1, 2, 3]}' | jq -c '.a | map(. * 2)'\n`,
    native: "bash",
    bound: 1,
  },
  {
    language: "shell that starts node",
    script: "starts-node.sh",
    source: '#!/usr/bin/env bash\nnode "$(dirname "$0")/hello.js"\n',
    native: "bash",
  },
  {
    skill: LARGE,
    language: `Python, ${FILES} files read`,
    script: "files.py",
    source:
      "import os\nroot = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../data')\n" +
      "print(sum(len(open(os.path.join(root, name)).read()) for name in os.listdir(root)))\n",
    native: PYTHON,
  },
  {
    language: "JavaScript",
    script: "hello.js",
    source: "console.log(JSON.stringify({ hello: 1 }));\n",
    native: process.execPath,
    bound: 0.6,
  },
  {
    language: "JavaScript, isolation tenant",
    script: "hello.js",
    source: "console.log(JSON.stringify({ hello: 1 }));\n",
    native: process.execPath,
    as: SHARED,
    bound: 0.3,
  },
  {
    language: "JavaScript, files and words",
    script: "report.js",
    source: REPORT,
    native: process.execPath,
  },
];

export async function measureScripts(): Promise<Row[]> {
  const edge = await startScriptEdge(skillTexts(), { tenants: { [SHARED]: { isolation: "tenant" } } });
  try {
    const shared = await edge.token(SHARED);
    const rows: Row[] = [];
    for (const subject of SUBJECTS) {
      rows.push(await measure(edge, subject, measuredOf(subject, shared)));
    }
    rows.push(await measureCrowd(edge, shared), measureChildren());
    return rows;
  } finally {
    await edge.stop();
  }
}

function skillTexts() {
  const data = Array.from({ length: FILES }, (_, i) => [`data/${i}.txt`, `file ${i}\n`.repeat(20)] as const);
  const texts: Record<string, Record<string, string>> = { [LARGE]: Object.fromEntries(data) };
  for (const { skill = PLAIN, script, source } of SUBJECTS) {
    texts[skill] = { ...texts[skill], [`scripts/${script}`]: source };
  }
  return texts;
}

function measuredOf({ skill = PLAIN, script, native, as }: Subject, shared: string): Measured {
  return { skill, script, native, ...(as === SHARED ? { token: shared } : {}) };
}

async function measure(edge: ScriptEdge, { language, bound }: Subject, measured: Measured): Promise<Row> {
  const first = await edge.run(measured);
  const warm: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    warm.push(await edge.run(measured));
    plain.push(await edge.native(measured));
  }
  const ratio = median(warm) / median(plain);
  return {
    what: language,
    measured: `first ${short(first)} ms, warm ${short(median(warm))} ms, native ${short(median(plain))} ms`,
    goal: `warm is ${short(ratio)} × native${bound === undefined ? "" : `, at most ${bound} is the goal`}`,
  };
}

/** Many runs of all languages, some at a time. */
async function measureCrowd(edge: ScriptEdge, shared: string): Promise<Row> {
  const queue = Array.from({ length: CROWD }, (_, i) => SUBJECTS[i % SUBJECTS.length]).values();
  const times: number[] = [];
  const begun = performance.now();
  const work = async () => {
    for (const subject of queue) {
      if (subject !== undefined) {
        times.push(await edge.run(measuredOf(subject, shared)));
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
