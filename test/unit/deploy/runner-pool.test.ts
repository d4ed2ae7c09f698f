import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunnerPool } from "../../../src/deploy/runner-pool.ts";
import type { BegunAt } from "../../../src/model/run-place.ts";

/** Processes that answer until they are told to hang; starting one takes a moment. */
class Processes {
  readonly started: number[] = [];
  readonly ended: number[] = [];
  readonly hanging = new Set<number>();
  readonly losses: string[] = [];
  /** Slot → bytes. */
  readonly memory = new Map<number, number>();
  /** Slot → milliseconds of CPU time; none where nobody can tell. */
  readonly cpu = new Map<number, number>();
  readonly pool = new RunnerPool({
    start: async (slot) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      this.started.push(slot);
      return {
        ping: async () => {
          while (this.hanging.has(slot)) {
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        memory: () => this.memory.get(slot) ?? null,
        cpu: () => this.cpu.get(slot) ?? null,
        end: async () => {
          this.ended.push(slot);
          this.memory.delete(slot);
          this.hanging.delete(slot);
        },
      };
    },
    onLoss: (why) => this.losses.push(why),
    strain: () => 1,
  });
}

let processes: Processes;

beforeEach(async () => {
  vi.useFakeTimers();
  processes = new Processes();
  const started = processes.pool.start();
  await vi.advanceTimersByTimeAsync(100);
  await started;
  // It has been there longer than any run.
  await vi.advanceTimersByTimeAsync(250);
});

afterEach(async () => {
  await processes.pool.stop();
  vi.useRealTimers();
});

const begin = (id: string, budget: { timeout_ms?: number; cpu_ms?: number } = {}) =>
  processes.pool.note({ event: "begin", id, timeout_ms: 30_000, cpu_ms: 30_000, ...budget });
const beginAt = (id: string, at: BegunAt) =>
  processes.pool.note({ event: "begin", id, timeout_ms: 30_000, cpu_ms: 30_000, at });
const fate = (id: string) => processes.pool.note({ event: "wait", id });
const end = (id: string) => processes.pool.note({ event: "end", id });
const OVER = { over: true };
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A promise's value after some time; `undefined` while it is open. */
async function after<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let value: T | undefined;
  promise.then((settled) => {
    value = settled;
  });
  await later(ms);
  return value;
}

describe("RunnerPool", () => {
  test("starts one process, and sends all runs there while it answers", async () => {
    expect([await begin("a"), await begin("b")]).toEqual([{ process: 0 }, { process: 0 }]);
    await later(5_000);
    expect([processes.started, processes.ended]).toEqual([[0], []]);
  });

  test.each([
    [{ timeout_ms: 5_000 }, { stopped: "wall" }],
    [{ cpu_ms: 4_000 }, { stopped: "cpu" }],
  ] as const)("ends a process when the only run in it has used up %o", async (budget, verdict) => {
    await begin("spins", budget);
    const known = fate("spins");
    processes.hanging.add(0);
    expect(await after(3_500, known)).toBeUndefined();
    const told = await after(3_500, known);
    expect(told).toMatchObject(verdict);
    expect(told).toHaveProperty("after_ms", expect.closeTo(5_000, -4));
    expect(processes.ended).toEqual([0]);
  });

  test("counts against CPU what the process has had of it, not how long a busy machine kept it waiting", async () => {
    processes.cpu.set(0, 500);
    await begin("starved", { cpu_ms: 4_000 });
    const known = fate("starved");
    processes.hanging.add(0);
    processes.cpu.set(0, 1_000);
    expect(await after(20_000, known)).toBeUndefined();
    processes.cpu.set(0, 6_000);
    expect(await after(500, known)).toMatchObject({ stopped: "cpu" });
  });

  test("sends new runs elsewhere while a process is blocked, also those that came just then", async () => {
    await begin("spins");
    processes.hanging.add(0);
    await later(500);
    expect(await begin("late")).toEqual({ process: 0 });
    expect(await after(2_000, fate("late"))).toMatchObject({ lost: expect.stringContaining("another run") });
    expect(await after(500, begin("late"))).toEqual({ process: 1 });
    expect(await begin("new")).toEqual({ process: 1 });
    expect(processes.ended).toEqual([]);
  });

  test("takes no run away from a process that is slow, and in which the run has just acted", async () => {
    await begin("slow");
    processes.hanging.add(0);
    await later(500);
    expect(await begin("acts")).toEqual({ process: 0 });
    await later(100);
    expect(await processes.pool.note({ event: "alive", id: "acts" })).toEqual({ over: true });
    const known = Promise.race([fate("acts"), fate("slow")]);
    expect(await after(3_000, known)).toBeUndefined();
    processes.hanging.delete(0);
    await later(1_000);
    expect(await begin("new")).toEqual({ process: 0 });
    expect([processes.ended, processes.losses]).toEqual([[], []]);
  });

  test("ends a process that several runs are in; each begins again alone until the one that blocks is found", async () => {
    await begin("spins");
    await begin("victim");
    await begin("other");
    const fates = Promise.all(["spins", "victim", "other"].map(fate));
    processes.hanging.add(0);
    const lost = { lost: "another run blocked its process, which had to be ended" };
    expect(await after(5_000, fates)).toEqual([lost, lost, lost]);
    const again = [begin("spins"), begin("victim"), begin("other")];
    await later(1_000);
    const places = await Promise.all(again);
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(3);
    const [own] = places;
    processes.hanging.add(own !== undefined && "process" in own ? own.process : -1);
    await later(2_000);
    // It is known now: who comes after it need not be alone any more.
    await end("victim");
    expect(await after(500, begin("victim"))).not.toEqual(own);
    expect(await after(40_000, fate("spins"))).toMatchObject({ stopped: "wall" });
  });

  test("stops the only run of a process that makes it grow too much; what was there before is not its own", async () => {
    processes.memory.set(0, 1 << 30);
    await begin("small");
    const small = fate("small");
    processes.memory.set(0, 1.5 * (1 << 30));
    expect(await after(500, small)).toBeUndefined();
    processes.memory.set(0, 2.5 * (1 << 30));
    expect(await after(500, small)).toMatchObject({ stopped: "memory" });
    expect(processes.losses).toEqual(["a runner process was ended: run small took too much memory"]);
  });

  test("does not blame on the run that is left what another one has made the process grow by", async () => {
    await begin("bomb");
    await begin("small");
    const small = fate("small");
    processes.memory.set(0, 2 * (1 << 30));
    await end("bomb");
    expect(await after(500, small)).toBeUndefined();
    expect(processes.losses).toEqual([]);
  });

  test("ends a process whose runs take too much memory together: each begins again alone", async () => {
    await begin("one");
    await begin("two");
    const fates = Promise.all([fate("one"), fate("two")]);
    processes.memory.set(0, 3.5 * (1 << 30));
    const lost = { lost: "its process died, and another run in it may be why" };
    expect(await after(500, fates)).toEqual([lost, lost]);
    const again = [begin("one"), begin("two")];
    await later(1_000);
    expect(new Set((await Promise.all(again)).map((place) => JSON.stringify(place))).size).toBe(2);
  });

  test("blames memory on the only run of a process that died", async () => {
    await begin("bomb");
    const known = fate("bomb");
    processes.pool.died(0);
    expect(await known).toMatchObject({ stopped: "memory" });
  });

  test("blames nothing on a run that came when its process was known to be gone, however late the news of that are", async () => {
    await begin("bomb");
    expect(await after(2_000, processes.pool.note({ event: "gone", id: "bomb" }))).toHaveProperty("lost");
    await end("bomb");
    await begin("next");
    const known = fate("next");
    processes.pool.died(0);
    expect(await after(500, known)).toBeUndefined();
    processes.pool.died(0);
    expect(await known).toMatchObject({ stopped: "memory" });
  });

  test("does not keep those waiting for its news who came when a process was gone already", async () => {
    await begin("bomb");
    const known = processes.pool.note({ event: "gone", id: "bomb" });
    await later(10);
    await begin("came late");
    const missed = processes.pool.note({ event: "gone", id: "came late" });
    processes.pool.died(0);
    expect(await known).toMatchObject({ stopped: "memory" });
    expect(await after(0, missed)).toHaveProperty("lost");
    expect(await begin("came late")).toEqual({ process: 0 });
  });

  test("lets the runs of a process that died begin again, one to a process", async () => {
    await begin("bomb");
    await begin("victim");
    processes.pool.died(0);
    expect(await fate("victim")).toHaveProperty("lost");
    // The one that all others go to is left to them.
    expect(await after(500, begin("bomb"))).toEqual({ process: 1, next: 0 });
    expect(await after(500, begin("victim"))).toEqual({ process: 2, next: 0 });
    const known = fate("bomb");
    processes.pool.died(1);
    expect(await known).toMatchObject({ stopped: "memory" });
  });

  test("lets a run be alone the last time, although it is known of another one that it blocks", async () => {
    const ids = ["one", "two", "three", "four"];
    for (const found of ids.slice(0, 3)) {
      await after(500, Promise.all(ids.map((id) => begin(id))));
      processes.pool.died(0);
      const [place] = (await after(500, Promise.all([begin(found)]))) ?? [];
      processes.pool.died(place !== undefined && "process" in place ? place.process : -1);
      expect(await fate(found)).toMatchObject({ stopped: "memory" });
      await end(found);
    }
    expect(await after(500, begin("four"))).toMatchObject({ process: expect.not.closeTo(0), next: 0 });
  });

  test("gives a run of little time another chance when others have had that time, once it is by itself it has had its own", async () => {
    const stopped = (id: string) => processes.pool.note({ event: "stopped", id });
    await begin("long");
    await begin("short", { timeout_ms: 3_000 });
    await begin("other", { timeout_ms: 3_000 });
    processes.hanging.add(0);
    await later(2_900);
    processes.hanging.delete(0);
    await later(100);
    expect(await stopped("long")).toEqual({ over: true });
    expect(await stopped("short")).toEqual({ lost: "another run blocked its process, which had to be ended" });
    expect(await after(1_000, begin("short", { timeout_ms: 3_000 }))).toEqual({ process: 1, next: 0 });
    processes.hanging.add(1);
    await later(2_900);
    processes.hanging.delete(1);
    await later(100);
    expect(await stopped("short")).toEqual({ over: true });
    expect([processes.ended, processes.losses]).toEqual([[], []]);
  });

  test("lets the clock of a run count whose process has answered", async () => {
    await begin("other");
    await begin("short", { timeout_ms: 3_000 });
    await later(3_000);
    expect(await processes.pool.note({ event: "stopped", id: "short" })).toEqual({ over: true });
  });

  test("leaves a run where it has begun if that process is up, and says where the next one should", async () => {
    const at = (id: string, process: number) => beginAt(id, { process, ago_ms: 20 });
    expect(await at("there", 0)).toEqual({ process: 0 });
    processes.hanging.add(0);
    await later(1_500);
    expect(await begin("elsewhere")).toEqual({ process: 1 });
    expect(await at("came-late", 0)).toEqual({ process: 0, next: 1 });
    expect(await after(500, fate("came-late"))).toEqual({
      lost: "another run blocked its process, which had to be ended",
    });
    expect(await at("came-late", 0)).toEqual({ nowhere: true });
    expect(await at("to-none", 3)).toEqual({ nowhere: true });
    expect(await begin("to-none")).toEqual({ process: 1 });
  });

  test("counts a run among those of a process that died from when it began, not from when it was told", async () => {
    await begin("neighbour");
    const missed = processes.pool.note({ event: "gone", id: "neighbour" });
    await later(2);
    await beginAt("just-begun", { process: 0, ago_ms: 10 });
    const fates = Promise.all([missed, processes.pool.note({ event: "gone", id: "just-begun" })]);
    processes.pool.died(0);
    const lost = { lost: "its process died, and another run in it may be why" };
    expect(await after(100, fates)).toEqual([lost, lost]);
  });

  test("leaves no run where it has begun if that process died since, and blames nothing later on for it", async () => {
    processes.pool.died(0);
    await later(5);
    expect(await beginAt("lost with it", { process: 0, ago_ms: 10 })).toEqual({ nowhere: true });
    await end("lost with it");
    await later(5);
    expect(await beginAt("bomb", { process: 0, ago_ms: 1 })).toEqual({ process: 0 });
    const known = fate("bomb");
    processes.pool.died(0);
    expect(await known).toMatchObject({ stopped: "memory" });
  });

  test("does not take the run that blocks for one that came too late because it was asked just before", async () => {
    await begin("bystander", { timeout_ms: 5_000 });
    await later(240);
    processes.hanging.add(0);
    await later(20);
    await beginAt("spins", { process: 0, ago_ms: 5 });
    const fates = Promise.all([fate("spins"), fate("bystander")]);
    const lost = { lost: "another run blocked its process, which had to be ended" };
    expect(await after(7_000, fates)).toEqual([lost, lost]);
  });

  test("keeps a second process that runs go to, short as they are", async () => {
    await begin("spins", { timeout_ms: 120_000, cpu_ms: 120_000 });
    processes.hanging.add(0);
    await later(2_000);
    for (let i = 0; i < 20; i++) {
      expect(await after(0, begin(`short-${i}`))).toEqual({ process: 1 });
      await end(`short-${i}`);
      await later(2_000);
    }
    expect(processes.ended).toEqual([]);
  });

  test("tells a run to come back when every process is blocked", async () => {
    for (let slot = 0; slot < 4; slot++) {
      expect(await after(200, begin(`spins-${slot}`))).toEqual({ process: slot });
      processes.hanging.add(slot);
      await later(1_500);
    }
    expect(await beginAt("guessed", { process: 3, ago_ms: 20 })).toEqual({ process: 3, next: null });
    expect(await after(11_000, begin("new"))).toEqual({ busy: true, retry_after_ms: 2_000 });
  });

  test("gives up a run that was lost over and over", async () => {
    for (let i = 0; i < 4; i++) {
      await after(500, begin("unlucky"));
      expect(await after(3_000, processes.pool.note({ event: "gone", id: "unlucky" }))).toHaveProperty("lost");
    }
    expect(await begin("unlucky")).toEqual({ given_up: "4 processes were lost under it through other runs" });
  });

  test("ends a second process when it has had nothing to do for a while", async () => {
    await begin("spins");
    processes.hanging.add(0);
    await later(2_000);
    await after(500, begin("new"));
    await end("new");
    processes.hanging.delete(0);
    await end("spins");
    await later(60_000);
    expect([processes.started, processes.ended]).toEqual([[0, 1], [1]]);
  });

  test("forgets a run that nobody said the end of", async () => {
    await begin("cut off", { timeout_ms: 1_000 });
    await later(60_000);
    expect(await fate("cut off")).toEqual({ over: true });
  });

  test("forgets a run that had to wait for its process longer than anybody can wait for it", async () => {
    for (let slot = 0; slot < 4; slot++) {
      await after(200, begin(`spins-${slot}`, { timeout_ms: 120_000, cpu_ms: 120_000 }));
      processes.hanging.add(slot);
      await later(1_500);
    }
    await beginAt("late", { process: 3, ago_ms: 0 });
    await later(64_000);
    const again = begin("late");
    await later(2_000);
    processes.hanging.clear();
    await end("spins-0");
    expect(await after(1_000, again)).toMatchObject({ process: 0 });
    await later(70_000);
    expect(await fate("late")).toEqual(OVER);
    // Nothing is in its process any more: whoever dies with that is alone in it.
    await begin("bomb");
    const known = fate("bomb");
    processes.pool.died(0);
    expect(await known).toMatchObject({ stopped: "memory" });
  });

  test("forgets a run that was lost, or never had a process, and that nobody said the end of", async () => {
    await begin("lost", { timeout_ms: 1_000 });
    await begin("too", { timeout_ms: 1_000 });
    processes.pool.died(0);
    expect(await beginAt("nowhere", { process: 3, ago_ms: 20 })).toEqual({ nowhere: true });
    await later(70_000);
    expect(await Promise.all(["lost", "too", "nowhere"].map(fate))).toEqual([OVER, OVER, OVER]);
  });
});
