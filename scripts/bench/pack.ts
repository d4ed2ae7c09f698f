/** Measures check and pack of skills, some of them broken, against walking, reading and hashing the same files in one process. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packSkills } from "../../src/pack/pack.ts";
import { writeBrokenSkill } from "./broken-skills.ts";
import { measureGrowth } from "./growth.ts";
import { writeSkills } from "./skills.ts";
import { median, type Row, short } from "./table.ts";

const SKILLS = 2_000;
/** One in fifty. */
const BROKEN = 40;
const ROUNDS = 7;

export async function measurePack(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  try {
    writeSkills(directory, SKILLS - BROKEN);
    for (let i = 0; i < BROKEN; i++) {
      writeBrokenSkill(directory, `broken-${i}`, i);
    }
    const rounds: { pack: number; plain: number }[] = [];
    const digests = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const plain = time(() => walkReadHash(directory));
      const begun = performance.now();
      const { digest, skills } = await packSkills({ roots: [directory] });
      rounds.push({ pack: performance.now() - begun, plain });
      digests.add(digest);
      if (skills.length !== SKILLS) {
        throw new Error(`found ${skills.length} skills of ${SKILLS}`);
      }
    }
    const ratio = median(rounds.map((round) => round.pack / round.plain));
    return [
      row(`check and pack ${SKILLS} skills of 4 files, 2 % broken, ms`, short(median(rounds.map(({ pack }) => pack)))),
      row("walk, read and hash them, ms", short(median(rounds.map(({ plain }) => plain)))),
      row("ratio", short(ratio), "≤ 8, goal 3"),
      row("memory at most, MB", short(memoryOf(directory) / 1e6), "≤ 300"),
      row("different digests in all rounds", String(digests.size), "1"),
      ...(await measureGrowth()).map(([what, times]) =>
        row(`twice as much: ${what}, times as long`, short(times), "≤ 3"),
      ),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function row(what: string, measured: string, goal = ""): Row {
  return { what, measured, goal };
}

/** What one run takes in a process of its own, in bytes. */
function memoryOf(directory: string): number {
  const program = fileURLToPath(new URL("./pack-memory.ts", import.meta.url).href);
  return Number(execFileSync(process.execPath, [program, directory], { encoding: "utf8" }));
}

function time(work: () => void): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

function walkReadHash(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      walkReadHash(path);
    } else if (entry.isFile()) {
      createHash("sha256").update(readFileSync(path)).digest("hex");
    }
  }
}
