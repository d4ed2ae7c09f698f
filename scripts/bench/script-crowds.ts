/** Owns what a cold runner and a crowd of runs take in each language, beside subprocesses that are started cold and as many at a time. */
import { type Measured, PYTHON, type ScriptEdge, startScriptEdge } from "./script-edge.ts";
import { median, type Row, short } from "./table.ts";

const CROWD = 40;
const AT_ONCE = 8;
/** Fresh runner processes that are tried for each language. */
const STARTS = 3;

const SKILL = "bench";

const SOURCES: Readonly<Record<string, string>> = {
  "scripts/hello.py": 'import json\nprint(json.dumps({"hello": 1}))\n',
  "scripts/hello.sh": '#!/usr/bin/env bash\nset -euo pipefail\nfor i in 1 2 3; do echo "hello $i"; done\n',
  "scripts/hello.js": "console.log(JSON.stringify({ hello: 1 }));\n",
};

const LANGUAGES: readonly (Measured & { readonly language: string })[] = [
  { language: "Python", skill: SKILL, script: "hello.py", native: PYTHON },
  { language: "shell", skill: SKILL, script: "hello.sh", native: "bash" },
  { language: "JavaScript", skill: SKILL, script: "hello.js", native: process.execPath },
];

/** The first run of a runner process that was just started; the edge knows the skill already. */
export async function measureColdStarts(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const measured of LANGUAGES) {
    const [cold, native]: [number[], number[]] = [[], []];
    for (let start = 0; start < STARTS; start++) {
      await withEdge(async (edge) => {
        await edge.load(SKILL);
        cold.push(await edge.run(measured));
        native.push(await edge.native(measured));
      });
    }
    rows.push({
      what: `${measured.language}, first run of a fresh runner`,
      measured: `${short(median(cold))} ms, native ${short(median(native))} ms`,
      goal: `${short(median(cold) / median(native))} × native`,
    });
  }
  return rows;
}

/** Many runs of one language, some at a time, and as many subprocesses. */
export function measureCrowds(): Promise<Row[]> {
  return withEdge(async (edge) => {
    const rows: Row[] = [];
    for (const measured of LANGUAGES) {
      await edge.run(measured);
      const sandbox = await crowd(() => edge.run(measured));
      const native = await crowd(() => edge.native(measured));
      rows.push({
        what: `${measured.language}, ${CROWD} runs, ${AT_ONCE} at once`,
        measured: `${describe(sandbox)}, native ${describe(native)}`,
        goal: `${short(sandbox.all / native.all)} × native in all`,
      });
    }
    return rows;
  });
}

interface Crowd {
  readonly all: number;
  readonly each: number;
}

async function crowd(run: () => Promise<number>): Promise<Crowd> {
  const times: number[] = [];
  const begun = performance.now();
  let left = CROWD;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      times.push(await run());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { all: performance.now() - begun, each: median(times) };
}

const describe = ({ all, each }: Crowd): string => `${short(all)} ms in all (${short(each)} each)`;

async function withEdge<T>(work: (edge: ScriptEdge) => Promise<T>): Promise<T> {
  const edge = await startScriptEdge({ [SKILL]: SOURCES });
  try {
    return await work(edge);
  } finally {
    await edge.stop();
  }
}
