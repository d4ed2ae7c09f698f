/** Measures scripts in the sandbox, cold and warm, against the native subprocess that a user would otherwise start. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalEdge, startEdge } from "../local-edge.ts";
import { median, type Row, short } from "./table.ts";

const ROUNDS = 20;

interface Subject {
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
    language: "JavaScript",
    script: "hello.js",
    source: "console.log(JSON.stringify({ hello: 1 }));\n",
    native: [process.execPath],
  },
];

export async function measureScripts(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  const scripts = join(directory, "skills/bench/scripts");
  mkdirSync(scripts, { recursive: true });
  writeFileSync(
    join(directory, "skills/bench/SKILL.md"),
    "---\nname: bench\ndescription: Scripts that are measured.\n---\nRun them.\n",
  );
  for (const { script, source } of SUBJECTS) {
    writeFileSync(join(scripts, script), source);
  }
  const edge = await startEdge([join(directory, "skills"), "--state", join(directory, "state"), "--port", "0"]);
  try {
    const rows: Row[] = [];
    for (const subject of SUBJECTS) {
      rows.push(await measure(edge, subject, scripts));
    }
    return rows;
  } finally {
    await edge.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(edge: LocalEdge, { language, script, native }: Subject, scripts: string): Promise<Row> {
  const cold = await run(edge, script);
  const warm: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    warm.push(await run(edge, script));
    const begun = performance.now();
    const [program, ...words] = native;
    const { status } = spawnSync(program, [...words, join(scripts, script)]);
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

async function run(edge: LocalEdge, script: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${edge.token}` },
    body: JSON.stringify({ skill_name: "bench", script_name: script }),
  });
  const answer = (await response.json()) as { is_error: boolean; content: string };
  if (answer.is_error) {
    throw new Error(answer.content);
  }
  return performance.now() - begun;
}
