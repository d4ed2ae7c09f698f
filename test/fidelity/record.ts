/**
 * Owns running the scripts of this suite natively and recording what they do: CPython 3.13, bash and Node.js 24, each in a
 * directory of its own and, where the system can, without a network.
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
import type { Runtime } from "../../src/model/run.ts";
import { DATA, type FidelityScript, fidelityScripts, lastLine, type Outcome } from "./scripts.ts";

/** What native runs did, by name. */
export const RECORDED = new URL("recorded.json", import.meta.url);

/** Programs as they were recorded with: what each says of its version. bash's scripts are as much its tools'. */
const PROGRAMS: Readonly<Record<Runtime, readonly (readonly [words: readonly string[], version: RegExp])[]>> = {
  python: [[["-c", "import sys; print(sys.version)"], /^3\.13\./]],
  bash: [
    [["--version"], /^GNU bash, version 5\.2\./],
    [
      ["-c", "sort --version; awk -W version 2>&1; jq --version; bc --version; openssl version; zip -v; unzip -v"],
      /coreutils\) 9\.1[\s\S]*mawk 1\.3\.4[\s\S]*jq-1\.6[\s\S]*bc 1\.07[\s\S]*OpenSSL 3\.0[\s\S]*Zip 3\.0[\s\S]*UnZip 6\.00/,
    ],
  ],
  javascript: [[["--version"], /^v24\./]],
};

/** Interpreters that are here, by runtime; those of other versions than the recorded ones count as missing. */
export function natives(): ReadonlyMap<Runtime, string> {
  const pythons = [process.env.PYTHON, "python3.13", "/root/.pyenv/versions/3.13.0/bin/python3.13"];
  const found = new Map<Runtime, string>();
  const programs: readonly (readonly [Runtime, string])[] = [
    ...pythons.flatMap((name): [Runtime, string][] => (name === undefined ? [] : [["python", name]])),
    ["bash", "/usr/bin/bash"],
    ["javascript", process.execPath],
  ];
  for (const [runtime, name] of programs) {
    const fits = PROGRAMS[runtime].every(([words, version]) => version.test(said(name, words)));
    if (fits && !found.has(runtime)) {
      found.set(runtime, runtime === "python" ? said(name, ["-c", "import sys; print(sys.executable)"]).trim() : name);
    }
  }
  return found;
}

function said(program: string, words: readonly string[]): string {
  return spawnSync(program, words, { encoding: "utf8" }).stdout ?? "";
}

/** Words before a program that keep the network from it, where the system has namespaces. */
const alone = (() => {
  const words = ["unshare", "-rn", "sh", "-c", 'ip link set lo up 2> /dev/null; exec "$@"', "sh"];
  const [command = "", ...rest] = words;
  return spawnSync(command, [...rest, "true"]).status === 0 ? words : [];
})();

/** Runs one natively. Its directory reads as `/skill` in what it says. */
export function runNatively(script: FidelityScript, program: string, python: string | undefined): Outcome {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "fidelity-")));
  const bin = join(root, ".bin");
  try {
    const skill = join(root, "skill");
    const path = `scripts/${script.name}`;
    const texts = Object.entries({ ...script.files, [path]: script.source });
    const encoded = texts.map(([name, text]): [string, Uint8Array] => [name, new TextEncoder().encode(text)]);
    const given = { ...DATA, ...Object.fromEntries(encoded) };
    for (const [name, bytes] of Object.entries(given)) {
      mkdirSync(dirname(join(skill, name)), { recursive: true });
      writeFileSync(join(skill, name), bytes);
    }
    mkdirSync(bin);
    if (python !== undefined) {
      symlinkSync(python, join(bin, "python3"));
    }
    const [command = "", ...words] = [...alone, program, path, ...script.argv];
    const run = spawnSync(command, words, {
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
  const found = natives();
  const outcomes = fidelityScripts().map((script) => {
    const program = found.get(script.runtime);
    if (program === undefined) {
      throw new Error(`${script.name}: there is no ${script.runtime} of the version to record with`);
    }
    return [script.name, runNatively(script, program, found.get("python"))] as const;
  });
  writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(outcomes), null, 2)}\n`);
  console.error(`${outcomes.length} scripts recorded`);
}
