/** Owns the twenty skills whose scripts are run over and over: three languages, work and faults. Never runs one. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One thing that scripts do, in each language, and how they end. */
interface Kind {
  readonly py: string;
  readonly sh: string;
  readonly js: string;
  readonly ends: number;
}

const KINDS: readonly Kind[] = [
  { py: "print('hello')", sh: "echo hello", js: "console.log('hello')", ends: 0 },
  {
    py: "import argparse, json\nargparse.ArgumentParser().parse_args()\nprint(json.dumps({'a': [1, 2, 3]}))",
    sh: "echo '{\"a\": [1, 2, 3]}' | jq -c '.a | map(. * 2)'",
    js: "const { parseArgs } = require('util'); parseArgs({ allowPositionals: true }); console.log(JSON.stringify({ a: [1, 2, 3] }))",
    ends: 0,
  },
  {
    py: "import csv, io\nfor i in range(20):\n    open(f'out-{i}.txt', 'w').write('line\\n' * 1000)\nprint(sum(1 for _ in csv.reader(io.StringIO('a,b\\n' * 1000))))",
    sh: "for i in $(seq 1 20); do seq 1 500 > out-$i.txt; done; cat out-*.txt | sort -u | wc -l",
    js: "const fs = require('fs'); for (let i = 0; i < 20; i++) fs.writeFileSync('out-' + i, 'line\\n'.repeat(1000)); console.log(fs.readdirSync('.').length)",
    ends: 0,
  },
  {
    py: "import subprocess\nprint(subprocess.run('echo child | tr a-z A-Z', shell=True, capture_output=True, text=True).stdout)",
    sh: "python3 -c 'print(6 * 7)'; bash -c 'echo inner'",
    js: "require('child_process').exec('echo child', (e, out) => console.log(out))",
    ends: 0,
  },
  {
    py: "import sys\nprint('half')\nsys.exit(3)",
    sh: "echo half; exit 3",
    js: "console.log('half'); process.exit(3)",
    ends: 3,
  },
  {
    py: "raise ValueError('a fault')",
    sh: "set -e; false; echo never",
    js: "throw new TypeError('a fault')",
    ends: 1,
  },
  {
    py: "x = []\nwhile True: x.append(bytearray(8 << 20))",
    sh: "for i in 1 2 3; do seq 1 900000 > big-$i; done",
    js: "require('fs').writeFileSync('big', Buffer.alloc(20_000_000))",
    ends: 1,
  },
  {
    py: "import urllib.request\nurllib.request.urlopen('https://nobody.test/')",
    sh: "curl -s https://nobody.test/ || exit 1",
    js: "fetch('https://nobody.test/').catch(() => process.exit(1))",
    ends: 1,
  },
  {
    py: "for i in range(60000): print('x' * 30)",
    sh: "for i in $(seq 1 300); do seq 1 1000; done",
    js: "for (let i = 0; i < 60000; i++) console.log('x'.repeat(30))",
    ends: 0,
  },
  {
    py: "import time, asyncio\nasyncio.run(asyncio.sleep(0.02))\ntime.sleep(0.02)",
    sh: "sleep 0.05",
    js: "setTimeout(() => console.log('late'), 40)",
    ends: 0,
  },
];

const SKILLS = 20;

/** A script to be run, and the exit status it has to have. */
export interface FixedScript {
  readonly skill: string;
  readonly script: string;
  readonly ends: number;
}

/** Writes the skills below a directory, and one that only waits; gives their scripts in the order in which they are to be run. */
export function writeFixedSkills(directory: string): readonly FixedScript[] {
  const scripts: FixedScript[] = [];
  for (let i = 0; i < SKILLS; i++) {
    const skill = `fixed-${i}`;
    const root = join(directory, skill);
    const kind = KINDS[i % KINDS.length];
    if (kind === undefined) {
      continue;
    }
    mkdirSync(join(root, "scripts"), { recursive: true });
    writeFileSync(
      join(root, "SKILL.md"),
      `---\nname: ${skill}\ndescription: Scripts that are run over and over.\n---\nRun them.\n`,
    );
    for (const ending of ["py", "sh", "js"] as const) {
      const script = `main.${ending}`;
      writeFileSync(join(root, "scripts", script), `${kind[ending]}\n`);
      scripts.push({ skill, script, ends: kind.ends });
    }
  }
  const sleeper = join(directory, "sleeper");
  mkdirSync(join(sleeper, "scripts"), { recursive: true });
  writeFileSync(join(sleeper, "SKILL.md"), "---\nname: sleeper\ndescription: Waits.\n---\nRun it.\n");
  writeFileSync(join(sleeper, "scripts", "sleep.py"), "import time\ntime.sleep(1.5)\n");
  return scripts;
}
