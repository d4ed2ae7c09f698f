import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunWatch } from "../../../src/deploy/run-watch.ts";

const begin = (id: string, timeout_ms = 1_000) => ({ event: "begin", id, timeout_ms }) as const;
const end = (id: string) => ({ event: "end", id }) as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("run watch", () => {
  test("a run that does not end is the guilty one; the others may come again", async () => {
    const overdue: string[] = [];
    const watch = new RunWatch((id) => overdue.push(id));
    await watch.note(begin("spins"));
    await watch.note(begin("victim", 60_000));
    await watch.note(begin("quick"));
    await watch.note(end("quick"));
    vi.advanceTimersByTime(10_000);
    expect(overdue).toEqual(["spins"]);
    expect(await watch.note(begin("spins"))).toEqual({ stopped: "wall" });
    expect(await watch.note(begin("victim", 60_000))).toEqual({ stopped: null });
  });

  test("after a crash the suspects go one at a time, and the one that crashes again is found", async () => {
    const watch = new RunWatch(() => undefined);
    await watch.note(begin("bomb", 60_000));
    await watch.note(begin("victim", 60_000));
    watch.crashed();
    expect(await watch.note(begin("bomb", 60_000))).toEqual({ stopped: null });
    let victimWent = false;
    const victim = watch.note(begin("victim", 60_000)).then((verdict) => {
      victimWent = true;
      return verdict;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(victimWent).toBe(false);
    watch.crashed();
    expect(await watch.note(begin("bomb", 60_000))).toEqual({ stopped: "memory" });
    expect(await victim).toEqual({ stopped: null });
    expect(await watch.note(begin("bystander"))).toEqual({ stopped: null });
  });
});
