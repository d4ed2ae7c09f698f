/** Measures packing against walking, reading and hashing the same files in one process. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packSkills } from "../../src/pack/pack.ts";
import { writeSkills } from "./skills.ts";
import { median, type Row, short } from "./table.ts";

const SKILLS = 1_000;
const ROUNDS = 5;

export async function measurePack(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  try {
    writeSkills(directory, SKILLS);
    const rounds: { pack: number; plain: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const plain = time(() => walkReadHash(directory));
      const begun = performance.now();
      const { layers } = await packSkills({ roots: [directory] });
      rounds.push({ pack: performance.now() - begun, plain });
      if (layers[0]?.skills !== SKILLS) {
        throw new Error(`packed ${layers[0]?.skills} skills of ${SKILLS}`);
      }
    }
    return [
      {
        what: `pack ${SKILLS} skills of 4 files, ms`,
        measured: short(median(rounds.map((round) => round.pack))),
        goal: "",
      },
      { what: "walk, read and hash them, ms", measured: short(median(rounds.map((round) => round.plain))), goal: "" },
      { what: "ratio", measured: short(median(rounds.map((round) => round.pack / round.plain))), goal: "≤ 8, goal 3" },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
    } else {
      createHash("sha256").update(readFileSync(path)).digest("hex");
    }
  }
}
