/**
 * Owns the load on an edge whose skills move under it: connections that ask without a pause, while bundles are deployed and rolled back.
 * `EDGE_SKILLS_LOAD_SECONDS` makes it shorter.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { issueToken } from "../../src/cli/issue-token.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { rollback } from "../../src/deploy/rollback.ts";
import { startRunnerProcess } from "../../src/deploy/runner-process.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { connectInspector, usedHeap } from "./inspector.ts";
import { isBusy, LOAD_CALLS, sendLoadCall, wrongIn } from "./load-calls.ts";
import { writeEdition } from "./load-skills.ts";
import { type BenchPlatform, startBench } from "./platform.ts";
import { type Row, short } from "./table.ts";

const now = (): Date => new Date();
const MEBIBYTE = 1024 * 1024;

/** How hard and how long. */
export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  /** From the beginning of one deploy or rollback to that of the next. */
  readonly moveEveryMs: number;
}

/** What the load saw. */
export interface LoadResult {
  /** Milliseconds that each answer took, by kind of call. */
  readonly times: ReadonlyMap<string, number[]>;
  /** What was wrong with answers, and with moves. */
  readonly wrong: readonly string[];
  /** Runs that were told to come again: every sandbox was taken. */
  readonly busy: number;
  /** Deploys and rollbacks. */
  readonly moves: number;
  /** Bundles that answers were made from. */
  readonly bundles: number;
  /** Heap of the edge's isolate after a collection, bytes. */
  readonly heap: { readonly before: number; readonly after: number };
}

/** `npm run bench`'s table. */
export async function measureLoad(): Promise<Row[]> {
  const seconds = Number(process.env.EDGE_SKILLS_LOAD_SECONDS ?? 30);
  const connections = 64;
  const result = await runLoad({ seconds, connections, moveEveryMs: 1_000 });
  const { times, wrong, busy, moves, bundles, heap } = result;
  const all = [...times.values()].flat();
  return [
    row(
      `${connections} connections, ${seconds} s: answers · answers/s`,
      `${all.length} · ${short(all.length / seconds)}`,
    ),
    row("deploys and rollbacks meanwhile · bundles seen", `${moves} · ${bundles}`),
    row("answers not 200, not whole or of two bundles", String(wrong.length), "0"),
    row("runs told that every sandbox is taken", String(busy)),
    ...[...times].map(([kind, took]) => row(`${kind}: answers · p50 · p99, ms`, describe(took))),
    row("heap of the edge before · after, MiB", `${short(heap.before / MEBIBYTE)} · ${short(heap.after / MEBIBYTE)}`),
    row("ratio", short(heap.after / heap.before), "≤ 2"),
    ...wrong.slice(0, 5).map((what) => row(what, "")),
  ];
}

/** Starts an edge and a sandbox, and asks until the time is over. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "edge-skills-load-"));
  const state = join(folder, "state");
  const runner = await startRunnerProcess();
  // As `deploy` does it: from a workerd of its own, over the same state.
  const target = await createLocalTarget(await startLocalPlatform({ state }), state);
  const platform = await startBench({
    state,
    runner,
    inspector: "on",
    edgeEnv: { EDGE_SKILLS_CONFIG: JSON.stringify({ approval: { run_skill_script: "never" } }) },
  });
  try {
    const moves = Math.ceil((options.seconds * 1_000) / options.moveEveryMs) + 1;
    const move = mover(target, await editionsIn(join(folder, "skills"), moves));
    await move();
    const { token } = await issueToken(target, "platform", { scopes: ["read", "run"], channel: "live", now });
    return await press(platform, token, move, options);
  } finally {
    await platform.stop();
    await target.close();
    await runner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function press(
  platform: BenchPlatform,
  token: string,
  move: () => Promise<void>,
  { seconds, connections, moveEveryMs }: LoadOptions,
): Promise<LoadResult> {
  const times = new Map<string, number[]>(LOAD_CALLS.map(({ kind }) => [kind, []]));
  const wrong: string[] = [];
  const editions = new Map<string, string>();
  let [busy, moves] = [0, 0];

  const askOnce = async (i: number): Promise<void> => {
    const call = LOAD_CALLS[i % LOAD_CALLS.length];
    if (call === undefined) {
      return;
    }
    const begun = performance.now();
    try {
      const answer = await sendLoadCall(platform.edge, token, call, i);
      times.get(call.kind)?.push(performance.now() - begun);
      busy += isBusy(answer) ? 1 : 0;
      const problem = wrongIn(call, answer, editions);
      wrong.push(...(problem === null ? [] : [problem]));
    } catch (error) {
      wrong.push(`${call.kind}: ${error}`);
    }
  };
  const heap = heapOf(platform);
  // Everything is loaded and compiled once before it is weighed.
  for (let i = 0; i < LOAD_CALLS.length * 4; i++) {
    await askOnce(i);
  }
  const before = await heap();
  for (const took of times.values()) {
    took.length = 0;
  }

  const end = performance.now() + seconds * 1_000;
  const connection = async (first: number): Promise<void> => {
    for (let i = first; performance.now() < end; i++) {
      await askOnce(i);
    }
  };
  const deployer = async (): Promise<void> => {
    // A move takes its time of the second it is in.
    for (let due = performance.now() + moveEveryMs; due < end; due = Math.max(due + moveEveryMs, performance.now())) {
      await pause(Math.max(0, due - performance.now()));
      await move().catch((error) => wrong.push(`move: ${error}`));
      moves++;
    }
  };
  await Promise.all([deployer(), ...Array.from({ length: connections }, (_, i) => connection(i))]);
  return { times, wrong, busy, moves, bundles: editions.size, heap: { before, after: await heap() } };
}

type Edition = readonly DeployableLayer[];

/** Packs as many editions as so many moves may need: packing would take its time from the machine that is measured. */
async function editionsIn(directory: string, moves: number): Promise<Edition[]> {
  const editions: Edition[] = [];
  for (let number = 0; number < moves; number++) {
    // Each in a directory of its own: files are read when they are deployed.
    const root = join(directory, String(number));
    writeEdition(root, number);
    editions.push((await packSkills({ roots: [root] })).layers);
  }
  return editions;
}

/** Deploys two new editions, then rolls the second one back, and so on: the first edition never comes again. */
function mover(target: DeployTarget, editions: readonly Edition[]): () => Promise<void> {
  let turn = 0;
  return async () => {
    if (turn > 0 && turn % 3 === 0) {
      await rollback(target, { layer: "platform", channel: "live", to: null, by: "load", now });
    } else {
      await deploy(target, editions[turn] ?? [], { channel: "live", by: "load", now });
    }
    turn++;
  };
}

/** Weighs the heap of the edge's isolate. */
function heapOf({ inspector, edge }: BenchPlatform): () => Promise<number> {
  return async () => {
    if (inspector === null) {
      throw new Error("the platform was started without an inspector");
    }
    const connection = await connectInspector(inspector, "edge-skills");
    const used = await usedHeap(connection, async () => (await fetch(new URL("/healthz", edge))).text());
    connection.close();
    return used;
  };
}

function describe(took: readonly number[]): string {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number): string => short(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
  return `${took.length} · ${at(0.5)} · ${at(0.99)}`;
}

function row(what: string, measured: string, goal = ""): Row {
  return { what, measured, goal };
}
