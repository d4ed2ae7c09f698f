/** Measures a watch's work after one edit, a deploy that has nothing to do next to `git status`, and what deploys send to Cloudflare. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepPackCache, openPackCache } from "../../src/cli/pack-cache.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { PackMemory } from "../../src/pack/pack-memory.ts";
import { openTargetOn } from "../../test/helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../test/helpers/cloudflare/stand-in.ts";
import { writeSkills } from "./skills.ts";
import { median, type Row, short } from "./table.ts";

const WATCHED = 1_000;
const SENT = 2_000;
const ROUNDS = 5;
const OPTIONS = { channel: "live", by: "bench", now: () => new Date() };

export async function measureDeploys(): Promise<Row[]> {
  return [...(await inDirectory(WATCHED, measureWatch)), ...(await inDirectory(SENT, measureSent))];
}

async function inDirectory(skills: number, measure: (directory: string) => Promise<Row[]>): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  try {
    writeSkills(directory, skills);
    return await measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Changes one reference file of one skill. */
function edit(directory: string, round: number): void {
  const [skill = ""] = readdirSync(directory);
  writeFileSync(join(directory, skill, "edited.md"), `edit ${round} `.repeat(2_000));
}

async function measureWatch(directory: string): Promise<Row[]> {
  const git = (...words: string[]) => execFileSync("git", ["-C", directory, ...words], { stdio: "pipe" });
  git("init", "--quiet");
  git("add", ".");
  const target = await createLocalTarget(await startLocalPlatform({ state: null }), "memory");
  const state = mkdtempSync(join(tmpdir(), "edge-skills-bench-state-"));
  try {
    const memory = new PackMemory();
    const pack = async () => (await packSkills({ roots: [directory] }, { memory })).layers;
    await deploy(target, await pack(), OPTIONS);
    const rounds = { packed: [] as number[], deployed: [] as number[], idle: [] as number[], git: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      edit(directory, round);
      const layers = await timed(rounds.packed, pack);
      await timed(rounds.deployed, () => deploy(target, layers, OPTIONS));
      // With what is kept in the state directory, as a command starts.
      await timed(rounds.idle, async () => {
        const kept = openPackCache(state);
        await deploy(target, (await packSkills({ roots: [directory] }, { memory: kept })).layers, OPTIONS);
        keepPackCache(state, kept);
      });
      await timed(rounds.git, async () => git("status", "--porcelain"));
    }
    const ratio = median(rounds.idle.map((ms, i) => ms / (rounds.git[i] ?? Number.NaN)));
    return [
      row(`one edit of ${WATCHED} skills: packed again, ms`, short(median(rounds.packed)), "< 1,000"),
      row("… and deployed to the local target, ms", short(median(rounds.deployed)), "< 1,000"),
      row("a deploy with nothing to do, pack and all, ms", short(median(rounds.idle))),
      row("git status of the same tree, ms", short(median(rounds.git))),
      row("ratio", short(ratio), "≤ 5"),
    ];
  } finally {
    await target.close();
    rmSync(state, { recursive: true, force: true });
  }
}

async function measureSent(directory: string): Promise<Row[]> {
  const standIn = await CloudflareStandIn.start();
  try {
    const target = await openTargetOn(standIn);
    const sent = async (what: string): Promise<Row> => {
      standIn.seen.length = 0;
      const { blobs } = await deployDirectory(target, directory);
      const kilobytes = standIn.seen.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000;
      return row(
        `${SENT} skills to Cloudflare's stand-in, ${what}: requests · kB · blobs`,
        `${standIn.seen.length} · ${short(kilobytes)} · ${blobs.uploaded}`,
      );
    };
    const rows = [await sent("the first time"), await sent("unchanged")];
    edit(directory, 0);
    return [...rows, await sent("one file changed")];
  } finally {
    await standIn.stop();
  }
}

async function deployDirectory(target: DeployTarget, directory: string) {
  return deploy(target, (await packSkills({ roots: [directory] })).layers, OPTIONS);
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  times.push(performance.now() - begun);
  return result;
}

function row(what: string, measured: string, goal = ""): Row {
  return { what, measured, goal };
}
