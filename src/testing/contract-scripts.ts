/** Owns the small scripts of the contract for runners, the same thing said in each language. Never runs them. */
import type { Runtime } from "../model/run.ts";

/** What each script does is what its case in runner-contract.ts expects. */
export const CONTRACT_SCRIPTS = ["words", "input", "fail", "files", "write", "endless", "long"] as const;

/** The name of one. */
export type ContractScript = (typeof CONTRACT_SCRIPTS)[number];

interface Language {
  readonly extension: string;
  readonly sources: Readonly<Record<ContractScript, string>>;
}

/** A script where it lies in its skill, for who compiles it before it is run. */
export function contractScript(
  runtime: Runtime,
  script: ContractScript,
): { readonly path: string; readonly text: string } {
  const { extension, sources } = LANGUAGES[runtime];
  return { path: `scripts/${script}${extension}`, text: sources[script] };
}

/** The scripts by language. Each runs with the skill as its working directory. */
const LANGUAGES: Readonly<Record<Runtime, Language>> = {
  python: {
    extension: ".py",
    sources: {
      words: "import json, sys\nprint(json.dumps(sys.argv[1:]))\n",
      input: "import sys\nsys.stdout.write('[' + sys.stdin.read() + ']')\n",
      fail: "import sys\nprint('before')\nprint('went wrong', file=sys.stderr)\nsys.exit(3)\n",
      files: "import json\nprint(json.dumps([open('data/own.txt').read(), open('given.txt').read()]))\n",
      write:
        "import os\nassert not os.path.exists('out')\nos.mkdir('out')\nopen('out/result.txt', 'w').write('written once')\n",
      endless: "while True:\n    pass\n",
      long: "print('x' * 100000)\n",
    },
  },
  bash: {
    extension: ".sh",
    sources: {
      words: 'for word in "$@"; do printf %s "$word" | jq -Rs .; done | jq -cs .\n',
      input: "printf '['; cat; printf ']'\n",
      fail: "echo before; echo 'went wrong' >&2; exit 3\n",
      files: 'jq -cn --arg a "$(cat data/own.txt)" --arg b "$(cat given.txt)" \'[$a, $b]\'\n',
      write: "[ ! -e out ] && mkdir out && printf 'written once' > out/result.txt\n",
      endless: "while true; do :; done\n",
      long: "for i in $(seq 2000); do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n",
    },
  },
  javascript: {
    extension: ".mjs",
    sources: {
      words: "console.log(JSON.stringify(process.argv.slice(2)));\n",
      input: "import { readFileSync } from 'node:fs';\nprocess.stdout.write('[' + readFileSync(0, 'utf8') + ']');\n",
      fail: "console.log('before');\nconsole.error('went wrong');\nprocess.exitCode = 3;\n",
      files:
        "import { readFileSync } from 'node:fs';\nconst read = (path) => readFileSync(path, 'utf8');\nconsole.log(JSON.stringify([read('data/own.txt'), read('given.txt')]));\n",
      write:
        "import { mkdirSync, writeFileSync } from 'node:fs';\nmkdirSync('out');\nwriteFileSync('out/result.txt', 'written once');\n",
      endless: "for (;;) {}\n",
      long: "console.log('x'.repeat(100000));\n",
    },
  },
};
