import { describe, expect, it } from "vitest";
import { callWarm, LostChild, type NamedChildren } from "../../../src/sandbox/warm-children.ts";

const CODE = "the code of a child";

interface Entry {
  call(): Promise<"good" | "spent">;
}

/** What the real loader cannot be made to do here: children left over from an earlier version of the Worker, in their order. */
function loaderOf(...outcomes: readonly ("good" | "spent" | Error | Promise<never>)[]) {
  const ids: string[] = [];
  const disposed: string[] = [];
  const loader: NamedChildren<string> = {
    get(id) {
      const outcome = outcomes[ids.length];
      ids.push(id.replace(/^.*:/, ""));
      const entry = {
        call: async () => {
          if (outcome instanceof Error) {
            throw outcome;
          }
          return outcome;
        },
        [Symbol.dispose]: () => disposed.push("entry"),
      };
      return { getEntrypoint: () => entry, [Symbol.dispose]: () => disposed.push("child") };
    },
  };
  return { loader, ids, disposed };
}

let names = 0;

/** Calls of one name. */
function caller(loader: NamedChildren<string>, acted = false) {
  const name = `test-${names++}`;
  return () =>
    callWarm<Entry, string, string>(
      {
        loader,
        run: `run-${names++}`,
        name,
        code: CODE,
        cpuMs: 1_000,
        deadline: Date.now() + 60_000,
        mayRepeat: () => !acted,
      },
      async (entry) => ({ answer: "done", child: await entry.call() }),
    );
}

const STALE = [
  "Unable to deserialize cloned data due to invalid or unsupported version.",
  "internal error; reference = 0v3l5m1r8",
];

describe("callWarm()", () => {
  it("asks for the same id as long as all goes well, and lets go of what it got", async () => {
    const { loader, ids, disposed } = loaderOf("good", "good", "good");
    const call = caller(loader);
    expect([await call(), await call(), await call()]).toEqual(["done", "done", "done"]);
    expect(ids).toEqual(["0", "0", "0"]);
    expect(disposed).toEqual(Array(3).fill(["entry", "child"]).flat());
  });

  it("asks for a fresh id after a run was stopped or the child failed, and throws what it threw", async () => {
    const { loader, ids, disposed } = loaderOf("spent", new Error("the script was too much"), "good");
    const call = caller(loader);
    await call();
    await expect(call()).rejects.toThrow("the script was too much");
    await call();
    expect(ids).toEqual(["0", "1", "2"]);
    expect(disposed).toHaveLength(6);
  });

  it.each(STALE)("tries once more under a fresh id when the child was left over: %s", async (message) => {
    const { loader, ids } = loaderOf(new Error(message), "good", "good");
    const call = caller(loader);
    expect([await call(), await call()]).toEqual(["done", "done"]);
    expect(ids).toEqual(["0", "1", "1"]);
  });

  it.each(STALE)("tries no third time: %s", async (message) => {
    const { loader, ids } = loaderOf(new Error(message), new Error(message), "good");
    const call = caller(loader);
    await expect(call()).rejects.toThrow(message);
    await call();
    expect(ids).toEqual(["0", "1", "2"]);
  });

  it("tries nothing again that may have acted", async () => {
    const { loader, ids } = loaderOf(new Error(STALE[1]), "good");
    const call = caller(loader, true);
    await expect(call()).rejects.toThrow(STALE[1]);
    expect(ids).toEqual(["0"]);
  });

  it("gives a name up once, however many of its runs failed together", async () => {
    const lost = new Error("the isolate was lost");
    const { loader, ids } = loaderOf(lost, lost, lost, "good");
    const call = caller(loader);
    const ends = await Promise.allSettled([call(), call(), call()]);
    // Nobody knows whose fault it was.
    expect(ends.map((end) => end.status === "rejected" && end.reason)).toEqual(
      Array(3).fill(new LostChild("the isolate of the run died, and another run in it may be why")),
    );
    expect(ends.map((end) => end.status === "rejected" && end.reason.cause)).toEqual([lost, lost, lost]);
    await call();
    expect(ids).toEqual(["0", "0", "0", "1"]);
  });

  it.each([
    ["what used up its own CPU time", new Error("Worker exceeded CPU time limit.")],
    ["code that does not load", new Error("Uncaught SyntaxError: Unexpected token")],
    ["what the child itself threw", Object.assign(new Error("no such file"), { remote: true })],
  ])("blames no neighbour for %s", async (_what, fault) => {
    const { loader } = loaderOf(fault, "good");
    const call = caller(loader);
    const [bad, good] = await Promise.allSettled([call(), call()]);
    expect([bad, good]).toEqual([
      { status: "rejected", reason: fault },
      { status: "fulfilled", value: "done" },
    ]);
  });

  it("gives a child up that has not answered three seconds after the time of its run", async () => {
    const { loader, ids } = loaderOf(new Promise<never>(() => undefined), "good");
    const name = `test-${names++}`;
    const call = (deadline: number) =>
      callWarm<Entry, string, string>(
        { loader, run: `run-${names++}`, name, code: CODE, cpuMs: 1_000, deadline, mayRepeat: () => true },
        async (entry) => ({ answer: "done", child: await entry.call() }),
      );
    void call(Date.now() - 3_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await call(Date.now() + 60_000);
    expect(ids).toEqual(["0", "1"]);
  });

  // Last: generations go on from there.
  it("asks for no id a second time that went bad, however many others went bad since", async () => {
    const { loader, ids } = loaderOf(...Array<"spent">(10_003).fill("spent"));
    const first = caller(loader);
    await first();
    for (let i = 0; i < 10_001; i++) {
      await caller(loader)();
    }
    await first();
    // The child of 0 went bad, and 1 is what it would have got next.
    expect(ids[0]).toBe("0");
    expect(Number(ids.at(-1))).toBeGreaterThan(1);
  });
});
