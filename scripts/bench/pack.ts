/** Measures check and pack of skills, some of them broken, against walking, reading and hashing the same files in one process. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packSkills } from "../../src/pack/pack.ts";
import { writeBrokenSkill } from "./broken-skills.ts";
import { writeSkills } from "./skills.ts";
import { median, type Row, short } from "./table.ts";

const SKILLS = 2_000;
/** One in fifty. */
const BROKEN = 40;
const ROUNDS = 7;
/** A body of this many bytes, and one of twice as many. */
const BODY_BYTES = 400_000;

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
      row("twice the size, times as long", short(await growth()), "≤ 3"),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function row(what: string, measured: string, goal = ""): Row {
  return { what, measured, goal };
}

/** How much longer the worst of some texts takes when it is twice as long; the best of several rounds, taken in turns. */
async function growth(): Promise<number> {
  const parts = ["[a](b.md) ", "`", "[", "*a: b\n", "<!-- ", "]: x\n", "a: [\n", "\n\n- "];
  let worst = 0;
  for (const part of parts) {
    const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 2 * ROUNDS; round++) {
      for (const [at, bytes] of [BODY_BYTES, 2 * BODY_BYTES].entries()) {
        best[at] = Math.min(best[at] ?? 0, await timeOf(part, bytes));
      }
    }
    worst = Math.max(worst, (best[1] ?? 0) / (best[0] ?? 0));
  }
  return worst;
}

/** How long packing takes of one skill whose body is `part` over and over. */
async function timeOf(part: string, bytes: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  try {
    const body = part.repeat(Math.floor(bytes / part.length));
    writeFileSync(join(directory, "SKILL.md"), `---\nname: x\ndescription: x\n---\n${body}`);
    const begun = performance.now();
    await packSkills({ roots: [directory] });
    return performance.now() - begun;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
