/** Measures how much more of the processor packing and importing take when what they are given is twice as large: the worst of many shapes of each kind. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { tarArchive } from "../../src/bundle/skill-archive.ts";
import { openArchive } from "../../src/pack/archive/open-archive.ts";
import { packSkills } from "../../src/pack/pack.ts";

/** Each size in turns, so often; the best time of the processor counts, since others work on the machine, too. */
const ROUNDS = 6;
const TEXT_BYTES = 400_000;
/** Frontmatter above 128 K characters is refused. */
const YAML_BYTES = 50_000;
const FILES = 600;
const ENTRIES = 2_000;

/** What is measured, made ready once. */
interface Work {
  once(): Promise<unknown>;
  end(): void;
}

/** Makes work of a size. */
type Shape = (size: number) => Work;

const repeated = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length));
const HEAD = "---\nname: x\ndescription: x\n";

/** What is packed, by kind: what holds, and its smaller size. */
const KINDS: readonly (readonly [what: string, size: number, shapes: readonly Shape[]])[] = [
  [
    "a body",
    TEXT_BYTES,
    ["[a](b.md) ", "`", "[", "*a: b\n", "<!-- ", "]: x\n", "a: [\n", "\n\n- "].map(
      (part) => (bytes) => packing({ "SKILL.md": `${HEAD}---\n${repeated(part, bytes)}` }),
    ),
  ],
  [
    "a frontmatter",
    YAML_BYTES,
    ["- ", "[", "a: ", "&a ", "'", "k: v\n", "x: y: z\n", "  "].map(
      (part) => (bytes) => packing({ "SKILL.md": `${HEAD}z: ${repeated(part, bytes)}\n---\n` }),
    ),
  ],
  [
    "a script",
    TEXT_BYTES / 2,
    [
      ["a.py", "import a\n"],
      ["a.py", "add_argument('--a', "],
      ["a.py", "'"],
      ["a.sh", "$("],
      ["a.sh", "a | b && c\n"],
      ["a.sh", "cat <<A\n"],
      ["a.js", "import 'a';\n"],
      ["a.js", "/* "],
    ].map(
      ([name = "", part = ""]) =>
        (bytes) =>
          packing({ "SKILL.md": `${HEAD}---\n`, [`scripts/${name}`]: repeated(part, bytes) }),
    ),
  ],
  [
    "a tree",
    FILES,
    [
      (count) => packing(manyFiles(count, (n) => `f${n}.md`)),
      (count) => packing(manyFiles(count, (n) => `d${n}/f.md`)),
      (count) => packing(manyFiles(count / 10, (n) => `${"d/".repeat(n % 50)}f${n}.md`)),
      (count) => packing({ ...manyFiles(count / 4, (n) => `f${n}.md`), ".gitignore": ignoring(count / 4) }),
      (count) => packing(manySkills(count / 2)),
      (count) => packing({ "SKILL.md": `${HEAD}---\n`, "real/a.md": "x" }, (top) => links(top, count / 2)),
    ],
  ],
  [
    "an archive",
    ENTRIES,
    [
      (count) => opening(tarArchive(entries(count, (n) => `f${n}.md`))),
      (count) => opening(tarArchive(entries(count, (n) => `${"d/".repeat(20)}${n}`))),
      (count) => opening(zipSync(Object.fromEntries(entries(count, (n) => `f${n}.md`).map((e) => [e.path, e.bytes])))),
      (count) => opening(zipSync({ "SKILL.md": new Uint8Array(count * 2_000) })),
    ],
  ],
];

/** By kind, how many times as long the worst shape takes when it is twice as large. */
export async function measureGrowth(): Promise<[what: string, times: number][]> {
  const rows: [string, number][] = [];
  for (const [what, size, shapes] of KINDS) {
    const ratios: number[] = [];
    for (const shape of shapes) {
      ratios.push(await ratioOf([shape(size), shape(2 * size)]));
    }
    rows.push([what, Math.max(...ratios)]);
  }
  return rows;
}

async function ratioOf(works: readonly [Work, Work]): Promise<number> {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [at, work] of works.entries()) {
        const before = process.cpuUsage();
        await work.once();
        const { user, system } = process.cpuUsage(before);
        best[at] = Math.min(best[at] ?? 0, user + system);
      }
    }
  } finally {
    for (const work of works) {
      work.end();
    }
  }
  return (best[1] ?? 0) / (best[0] ?? 0);
}

/** Packing a directory with some files. */
function packing(files: Readonly<Record<string, string>>, more: (top: string) => void = () => undefined): Work {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  more(directory);
  return {
    once: () => packSkills({ roots: [directory] }),
    end: () => rmSync(directory, { recursive: true, force: true }),
  };
}

function opening(archive: Uint8Array): Work {
  return { once: () => openArchive(archive), end: () => undefined };
}

function manyFiles(count: number, nameOf: (n: number) => string) {
  return Object.fromEntries([
    ["SKILL.md", `${HEAD}---\n`] as const,
    ...Array.from({ length: count }, (_, n) => [nameOf(n), `${n}`] as const),
  ]);
}

function manySkills(count: number) {
  const made = Array.from({ length: count }, (_, n) => [`s${n}/SKILL.md`, `---\nname: s${n}\ndescription: x\n---\n`]);
  return Object.fromEntries(made) as Record<string, string>;
}

function ignoring(count: number): string {
  return Array.from({ length: count }, (_, n) => `/ignored-${n}/**`).join("\n");
}

function links(top: string, count: number): void {
  for (let n = 0; n < count; n++) {
    symlinkSync("real", join(top, `link-${n}`));
  }
}

function entries(count: number, nameOf: (n: number) => string) {
  return Array.from({ length: count }, (_, n) => ({ path: nameOf(n), bytes: new Uint8Array(20) }));
}
