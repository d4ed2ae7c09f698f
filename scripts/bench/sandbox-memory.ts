/**
 * Owns what many runs cost: the memory of the runner after a thousand of them, that of runs at one time, and what the edge's other
 * answers take while runs go on. Linux only: it reads /proc.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "../../src/cli/issue-token.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { startRunnerProcess } from "../../src/deploy/runner-process.ts";
import type { RunResult } from "../../src/model/run.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { type BenchPlatform, startBench } from "./platform.ts";
import { type FixedScript, writeFixedSkills } from "./sandbox-skills.ts";
import { type Row, short } from "./table.ts";

const MEBIBYTE = 1024 * 1024;
const WARM_RUNS = 50;
const ALL_RUNS = 1_000;
const AT_ONCE = 4;
const SLEEPERS = [1, 11] as const;
const CROWD = 50;

/** The runner and the edge before it, with the fixed skills. */
export interface RunBench {
  readonly scripts: readonly FixedScript[];
  readonly edge: URL;
  readonly token: string;
  /** How often a runner process was ended, or died. */
  readonly restarts: () => number;
  /** Resident memory of the runner's processes, bytes. */
  readonly memory: () => number;
  stop(): Promise<void>;
}

export async function startRunBench(): Promise<RunBench> {
  const folder = mkdtempSync(join(tmpdir(), "edge-skills-runs-"));
  const state = join(folder, "state");
  const scripts = writeFixedSkills(join(folder, "skills"));
  const before = workerds();
  const runner = await startRunnerProcess();
  const processes = [...workerds()].filter((pid) => !before.has(pid));
  const target = await createLocalTarget(await startLocalPlatform({ state }), state);
  const { layers } = await packSkills({ roots: [join(folder, "skills")] });
  await deploy(target, layers, { channel: "live", by: "bench", now: () => new Date() });
  const { token } = await issueToken(target, "platform", {
    scopes: ["read", "run"],
    channel: "live",
    now: () => new Date(),
  });
  const config = { approval: { run_skill_script: "never" } };
  const platform: BenchPlatform = await startBench({
    state,
    runner,
    edgeEnv: { EDGE_SKILLS_CONFIG: JSON.stringify(config) },
  });
  return {
    scripts,
    edge: platform.edge,
    token,
    restarts: () => runner.restarts,
    memory: () => processes.reduce((sum, pid) => sum + residentBytes(pid), 0),
    stop: async () => {
      await platform.stop();
      await target.close();
      await runner.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `npm run bench`'s table. */
export async function measureRunMemory(): Promise<Row[]> {
  const bench = await startRunBench();
  try {
    const idle = bench.memory();
    const { early, late, wrong } = await runMany(bench);
    const restarts = bench.restarts();
    return [
      { what: "memory of the runner, nothing run yet", measured: `${mib(idle)} MiB`, goal: "-" },
      {
        what: `after ${WARM_RUNS} · ${ALL_RUNS} mixed runs of 20 skills, faults included`,
        measured: `${mib(early)} · ${mib(late)} MiB`,
        goal: `${wrong.length} wrong, ${restarts} restarts`,
      },
      { what: "ratio", measured: short(late / early), goal: "≤ 1.5" },
      ...(await measureEdge(bench)),
    ];
  } finally {
    await bench.stop();
  }
}

/** Runs the fixed scripts over and over, some at a time; tells the memory after the first and after all, and what ended as it should not. */
export async function runMany(
  bench: RunBench,
): Promise<{ readonly early: number; readonly late: number; readonly wrong: readonly string[] }> {
  const wrong: string[] = [];
  const runAll = async (from: number, to: number): Promise<void> => {
    const numbers = Array.from({ length: to - from }, (_, i) => from + i).values();
    const work = async (): Promise<void> => {
      for (const i of numbers) {
        const one = bench.scripts[i % bench.scripts.length];
        if (one !== undefined) {
          const run = await runScript(bench, one.skill, one.script);
          if (run.exit_code !== one.ends) {
            wrong.push(
              `${one.skill}/${one.script} ended with ${run.exit_code}: ${run.limit} ${run.stderr.slice(0, 200)}`,
            );
          }
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  await runAll(0, WARM_RUNS);
  const early = bench.memory();
  await runAll(WARM_RUNS, ALL_RUNS);
  return { early, late: bench.memory(), wrong };
}

/**
 * Memory of runs at one time, in a runner that has run nothing else: at first they need isolates, two of them share one by what they declare;
 * after that these are there.
 */
export async function measureRunsAtOnce(): Promise<Row[]> {
  const bench = await startRunBench();
  try {
    return [
      await measureConcurrent(bench, "with the isolates they are given", "-"),
      await measureConcurrent(bench, "once these are there", "≤ 8"),
    ];
  } finally {
    await bench.stop();
  }
}

/** What each run at one time takes beyond the first. */
async function measureConcurrent(bench: RunBench, when: string, goal: string): Promise<Row> {
  const peaks: number[] = [];
  for (const count of SLEEPERS) {
    const runs = Promise.all(Array.from({ length: count }, () => runScript(bench, "sleeper", "sleep.py")));
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, bench.memory());
    }, 50);
    await runs.finally(() => clearInterval(timer));
    peaks.push(peak);
  }
  const [one = 0, many = 0] = peaks;
  const [few, all] = SLEEPERS;
  return {
    what: `memory of each Python run beyond the first, ${all} at once, ${when}`,
    measured: `${mib((many - one) / (all - few))} MiB`,
    goal,
  };
}

/** The edge's own answers, idle and while runs go on beside it. */
async function measureEdge(bench: RunBench): Promise<Row[]> {
  const calls: Readonly<Record<string, () => Promise<Response>>> = {
    "/healthz": () => fetch(new URL("/healthz", bench.edge)),
    load_skill: () => ask(bench, "load_skill", { skill_name: "fixed-0" }),
  };
  const rows: Row[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const idle = await times(call, () => true, 200);
    let left = CROWD;
    const runs = Promise.all(
      Array.from({ length: CROWD }, async (_, i) => {
        const one = bench.scripts[i % bench.scripts.length];
        await runScript(bench, one?.skill ?? "", one?.script ?? "").catch(() => undefined);
        left--;
      }),
    );
    const busy = await times(call, () => left > 0, Number.POSITIVE_INFINITY);
    await runs;
    rows.push({
      what: `${name} while ${CROWD} runs go on: p50 · p99, idle p50 · p99, ms`,
      measured: `${short(at(busy, 0.5))} · ${short(at(busy, 0.99))}, ${short(at(idle, 0.5))} · ${short(at(idle, 0.99))}`,
      goal: `${short(at(busy, 0.5) / at(idle, 0.5))} × · ${short(at(busy, 0.99) / at(idle, 0.99))} × idle`,
    });
  }
  return rows;
}

async function times(call: () => Promise<Response>, goOn: () => boolean, most: number): Promise<number[]> {
  const took: number[] = [];
  while (goOn() && took.length < most) {
    const begun = performance.now();
    await (await call()).arrayBuffer();
    took.push(performance.now() - begun);
  }
  return took.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

async function runScript(bench: RunBench, skill_name: string, script_name: string): Promise<RunResult> {
  const response = await ask(bench, "run_skill_script", { skill_name, script_name });
  const { run, content } = (await response.json()) as { run?: RunResult; content: string };
  if (run === undefined) {
    throw new Error(`${skill_name}/${script_name}: ${content}`);
  }
  return run;
}

function ask({ edge, token }: RunBench, tool: string, body: object): Promise<Response> {
  return fetch(new URL(`/v1/tools/${tool}`, edge), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
}

/** The workerd processes that this process has started. */
function workerds(): Set<number> {
  const own = new Set<number>();
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name) && isOwnWorkerd(name)) {
      own.add(Number(name));
    }
  }
  return own;
}

function isOwnWorkerd(pid: string): boolean {
  try {
    const [, name, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return name === "workerd" && Number(parent) === process.pid;
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes ?? Number.NaN) * 1024;
}

const mib = (bytes: number): string => short(bytes / MEBIBYTE);
