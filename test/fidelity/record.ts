/**
 * Owns recording what the scripts of this suite do natively: CPython 3.13, bash and Node.js 24, each in a directory of its own.
 *
 *   PYTHON=python3.13 node test/fidelity/record.ts
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DATA, type FidelityScript, fidelityScripts, lastLine, type Outcome } from "./scripts.ts";

/** What native runs did, by name. */
export const RECORDED = new URL("recorded.json", import.meta.url);

/** Runs one natively. Its directory reads as `/skill` in what it says. */
function runNatively(script: FidelityScript, python: string): Outcome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fidelity-")));
  const bin = join(root, ".bin");
  try {
    const skill = join(root, "skill");
    const path = `scripts/${script.name}`;
    const given = { ...DATA, [path]: new TextEncoder().encode(script.source) };
    for (const [name, bytes] of Object.entries(given)) {
      mkdirSync(dirname(join(skill, name)), { recursive: true });
      writeFileSync(join(skill, name), bytes);
    }
    mkdirSync(bin);
    symlinkSync(python, join(bin, "python3"));
    const program = { python, bash: "bash", javascript: process.execPath }[script.runtime];
    const run = spawnSync(program, [path, ...script.argv], {
      cwd: skill,
      input: script.stdin,
      encoding: "utf8",
      env: {
        PATH: `${bin}:/usr/bin:/bin`,
        HOME: root,
        LANG: "C.UTF-8",
        TMPDIR: "/tmp",
        PWD: skill,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    const plain = (text: string) => text.replaceAll(skill, "/skill");
    const written = readdirSync(skill, { recursive: true, withFileTypes: true }).flatMap(
      (entry): [string, string][] => {
        const full = join(entry.parentPath, entry.name);
        const name = full.slice(skill.length + 1);
        const bytes = entry.isFile() ? readFileSync(full) : null;
        return bytes === null || bytes.equals(given[name] ?? new Uint8Array([0, 255]))
          ? []
          : [[name, bytes.toString("utf8")]];
      },
    );
    const files = Object.fromEntries(written.sort(([a], [b]) => (a < b ? -1 : 1)));
    const status = run.status ?? 128 + (run.signal === null ? 0 : constants.signals[run.signal]);
    return { exit_code: status, stdout: plain(run.stdout), last: plain(lastLine(run.stderr)), files };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { stdout } = spawnSync(process.env.PYTHON ?? "python3.13", ["-c", "import sys; print(sys.executable)"], {
    encoding: "utf8",
  });
  const outcomes = fidelityScripts().map((script) => [script.name, runNatively(script, stdout.trim())]);
  writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(outcomes), null, 2)}\n`);
  console.error(`${outcomes.length} scripts recorded`);
}
