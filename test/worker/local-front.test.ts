/** What the local front tells the pool of runner processes, and when. Both are stand-ins: real processes do not vanish between two messages on demand. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { digestOf } from "../../src/model/digest.ts";
import {
  DEFAULT_RUN_LIMITS,
  RUN_PROTOCOL,
  type RunHost,
  type RunRefusal,
  type RunRequest,
  type RunResult,
} from "../../src/model/run.ts";
import type { Fate, Place, PlaceMessage } from "../../src/model/run-place.ts";
import { GOOD_RUN } from "../helpers/provider.ts";

type Answer = RunResult | RunRefusal;
type Work = (request: RunRequest, host: RunHost) => Promise<Answer>;
type Pool = (message: PlaceMessage) => Place | Fate;

const DIGEST = await digestOf("print('done')");
const DONE = GOOD_RUN;

const atOnce: Work = async () => DONE;
const slowly: Work = async () => {
  await sleep(100);
  return DONE;
};
const goesAway: Work = async () => {
  throw new Error("Network connection lost.");
};

const allIsWell: Pool = ({ event }) => (event === "begin" ? { process: 0 } : { over: true });

const told: PlaceMessage[] = [];

/** A front of its own, beside processes that work so, and a pool that answers so. */
async function startFront(works: readonly Work[], pool: Pool) {
  const { Runner } = await import("../../src/sandbox/local-front.ts");
  const fetch = async (_: string, { body }: { readonly body: string }) => {
    const message: PlaceMessage = JSON.parse(body);
    told.push(message);
    return Response.json(pool(message));
  };
  const env = {
    ...Object.fromEntries(works.map((run, i) => [`PROCESS_${i}`, { run }])),
    POOL: { fetch },
    POOL_PATH: "/pool",
  };
  return async (id: string): Promise<Answer> => {
    const context = createExecutionContext();
    const answer = await new Runner(context, env).run(runOf(id), HOST);
    await waitOnExecutionContext(context);
    return answer;
  };
}

const HOST: RunHost = { readFiles: async () => [], fetch: async () => new Response("fine") };

function runOf(id: string): RunRequest {
  return {
    protocol: RUN_PROTOCOL,
    id,
    isolation: "t",
    skill: { name: "some", digest: DIGEST },
    script: { path: "scripts/some.py", runtime: "python", digest: DIGEST, compiled: null },
    argv: [],
    stdin: "",
    skill_files: [],
    files: [],
    limits: DEFAULT_RUN_LIMITS,
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const { timeout_ms, cpu_ms } = DEFAULT_RUN_LIMITS;
const begin = (id: string) => ({ event: "begin", id, timeout_ms, cpu_ms });
const beginAt = (id: string, process: number) => ({ ...begin(id), at: { process, ago_ms: expect.any(Number) } });

beforeEach(() => {
  vi.resetModules();
  told.length = 0;
});

describe("the pool", () => {
  test("hears of the first run, and of none after it that is over at once", async () => {
    const run = await startFront([atOnce], allIsWell);
    expect([await run("first"), await run("second"), await run("third")]).toEqual([DONE, DONE, DONE]);
    expect(told).toEqual([beginAt("first", 0), { event: "end", id: "first" }]);
  });

  test("hears of a run that lasts, and how long ago it began", async () => {
    const run = await startFront([slowly], allIsWell);
    await run("first");
    expect(await run("lasts")).toEqual(DONE);
    expect(told.slice(2)).toEqual([beginAt("lasts", 0), { event: "end", id: "lasts" }]);
    expect(told[2]).toHaveProperty("at.ago_ms", expect.closeTo(50, -2));
    expect(told[2]).not.toHaveProperty("at.ago_ms", 0);
  });

  test("hears of the next run again when its word is some seconds old", async () => {
    const run = await startFront([atOnce], allIsWell);
    await run("first");
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 6_000);
    await run("later");
    later.mockRestore();
    expect(told.map(({ id }) => id)).toEqual(["first", "first", "later", "later"]);
  });

  test("says what became of a run whose process went away before it was told", async () => {
    let attempts = 0;
    const diesOnce: Work = (request, host) => (++attempts === 2 ? goesAway : atOnce)(request, host);
    const run = await startFront([diesOnce], (message) =>
      message.event === "gone" ? { lost: "its process died" } : allIsWell(message),
    );
    await run("first");
    expect(await run("unlucky")).toEqual(DONE);
    expect(told.slice(2)).toEqual([
      beginAt("unlucky", 0),
      { event: "gone", id: "unlucky" },
      begin("unlucky"),
      { event: "end", id: "unlucky" },
    ]);
  });

  test("is asked for another place when nothing is where the run began, and hears nothing more of that attempt", async () => {
    const late: Work = async (request, host) => {
      await sleep(50);
      return goesAway(request, host);
    };
    const run = await startFront([late, slowly], (message) =>
      message.event !== "begin" ? { over: true } : message.at === undefined ? { process: 1 } : { nowhere: true },
    );
    expect(await run("first")).toEqual(DONE);
    expect(told).toEqual([beginAt("first", 0), begin("first"), { event: "end", id: "first" }]);
  });

  test("is asked first where a run begins when it has said that there is no place just now", async () => {
    const run = await startFront([slowly], ({ event }) =>
      event === "begin" ? { process: 0, next: null } : { over: true },
    );
    await run("alone");
    await run("next");
    expect(told.slice(2)).toEqual([begin("next"), { event: "end", id: "next" }]);
  });

  test("says where the next run begins", async () => {
    const elsewhere: Work = async () => ({ ...DONE, stdout: "elsewhere\n" });
    const run = await startFront([slowly, elsewhere], (message) =>
      message.event === "begin" ? { process: 0, next: 1 } : { over: true },
    );
    expect([await run("first"), await run("second")]).toEqual([DONE, { ...DONE, stdout: "elsewhere\n" }]);
  });
});

describe("the process of a run", () => {
  test("is told when the run was sent there", async () => {
    const before = Date.now();
    const run = await startFront(
      [async ({ sent_at = 0 }) => ({ ...DONE, stdout: `${sent_at >= before && sent_at <= Date.now()}` })],
      allIsWell,
    );
    expect(await run("first")).toMatchObject({ stdout: "true" });
  });
});

describe("a run whose process went away", () => {
  const dies: Pool = ({ event }) => (event === "begin" ? { process: 0 } : { lost: "its process died" });
  const sends: Work = async (request, host) => {
    await host.fetch(new Request("https://api.example.test/"));
    return goesAway(request, host);
  };

  test("says that another one may be why, also when that was before the pool was told of it", async () => {
    const late: Work = async (request, host) => {
      await host.fetch(new Request("https://api.example.test/"));
      await sleep(50);
      return goesAway(request, host);
    };
    const run = await startFront([late], ({ event }) => (event === "begin" ? { nowhere: true } : { over: true }));
    const message = "its process went away, and another run in it may be why";
    expect(await run("sender")).toEqual({ refused: "runner-lost", message });
  });

  test("is not begun again once it has used the network, and begins where the pool says when the edge sends it again", async () => {
    let attempts = 0;
    const sendsOnce: Work = (request, host) => (++attempts === 1 ? sends : atOnce)(request, host);
    const run = await startFront([sendsOnce], dies);
    expect(await run("sender")).toEqual({ refused: "runner-lost", message: "its process died" });
    expect(await run("sender")).toEqual(DONE);
    expect(told.filter(({ event }) => event === "begin")).toEqual([beginAt("sender", 0), begin("sender")]);
  });
});
