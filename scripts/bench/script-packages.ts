/** Owns what `import requests` takes, with the package made of Debian's: beside Python's own where that has it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../local-edge.ts";
import { type Measured, PYTHON, startScriptEdge } from "./script-edge.ts";
import { median, type Row, short } from "./table.ts";

const ROUNDS = 10;
const WHAT = "Python, import requests";
/** What requests needs, by the names that Debian's packages begin with. */
const PACKAGES = ["requests", "urllib3", "idna", "certifi", "chardet", "charset-normalizer", "six"];

const SOURCE = '# /// script\n# dependencies = ["requests"]\n# ///\nimport requests\nprint(requests.__version__)\n';

const SCRIPT: Measured = { skill: "bench", script: "main.py", native: PYTHON };

export async function measurePackages(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "edge-skills-wheels-"));
  try {
    const wheels = join(folder, "wheels");
    const settings = join(folder, "edge-skills.json");
    const words = ["packages", "build", "--debian", ...PACKAGES, "-o", wheels, "--config", settings];
    const built = await runCli(words, { cwd: folder });
    return [
      built.status === 0
        ? await measure(wheels)
        : { what: WHAT, measured: "-", goal: `not measured: ${built.stderr.trim().split("\n")[0]}` },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(wheels: string): Promise<Row> {
  const hasNative = spawnSync(PYTHON, ["-c", "import requests"]).status === 0;
  const edge = await startScriptEdge({ [SCRIPT.skill]: { "scripts/main.py": SOURCE } }, { wheels });
  try {
    const cold = await edge.run(SCRIPT);
    const [warm, native]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      warm.push(await edge.run(SCRIPT));
      if (hasNative) {
        native.push(await edge.native(SCRIPT));
      }
    }
    const measured = `cold ${short(cold)} ms, warm ${short(median(warm))} ms`;
    return hasNative
      ? {
          what: WHAT,
          measured: `${measured}, native ${short(median(native))} ms`,
          goal: `warm is ${short(median(warm) / median(native))} × native`,
        }
      : { what: WHAT, measured, goal: "not compared: python3 has no requests here" };
  } finally {
    await edge.stop();
  }
}
