import { describe, expect, test } from "vitest";
import { isIgnored, signalOf } from "../../../src/sandbox/javascript/runtime/signals.ts";
import { afterPromises, Ticks } from "../../../src/sandbox/javascript/runtime/ticks.ts";

describe("Ticks", () => {
  const run = async (begins: "task" | "promises") => {
    const said: string[] = [];
    const ticks = new Ticks();
    ticks.task(() => {
      ticks.add(() => {
        said.push("tick");
        ticks.add(() => said.push("tick of a tick"));
        queueMicrotask(() => said.push("promise of a tick"));
      });
      queueMicrotask(() => {
        said.push("promise");
        ticks.add(() => said.push("tick of a promise"));
        queueMicrotask(() => said.push("promise of a promise"));
      });
      said.push("sync");
    }, begins);
    await afterPromises();
    await afterPromises();
    return said;
  };

  test("a task's ticks come before its promises, those of promises after all of them", async () => {
    expect(await run("task")).toEqual([
      "sync",
      "tick",
      "tick of a tick",
      "promise",
      "promise of a tick",
      "promise of a promise",
      "tick of a promise",
    ]);
  });

  test("a module's ticks come after its promises", async () => {
    expect((await run("promises")).slice(0, 4)).toEqual(["sync", "promise", "promise of a promise", "tick"]);
  });

  test("what begins as a module may turn out to be a task", async () => {
    const said: string[] = [];
    const ticks = new Ticks();
    ticks.task(() => {
      ticks.begin();
      queueMicrotask(() => said.push("promise"));
      ticks.add(() => said.push("tick"));
    }, "promises");
    await afterPromises();
    expect(said).toEqual(["tick", "promise"]);
  });
});

describe("signalOf", () => {
  test("knows signals by name and number, and 0 as none", () => {
    expect([signalOf("SIGTERM"), signalOf(9), signalOf(0)]).toEqual([
      { name: "SIGTERM", number: 15 },
      { name: "SIGKILL", number: 9 },
      { name: undefined, number: 0 },
    ]);
    expect(() => signalOf("SIGNOPE")).toThrow("Unknown signal: SIGNOPE");
  });

  test("isIgnored: what a process goes on after", () => {
    expect(["SIGTERM", "SIGHUP", "SIGCHLD", "SIGWINCH"].map(isIgnored)).toEqual([false, false, true, true]);
  });
});
