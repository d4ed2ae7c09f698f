/** Owns running every case of sandbox.json against the real runner in workerd; never a case of its own. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { argumentsToWords } from "../../src/model/arguments.ts";
import type { JsonValue } from "../../src/model/record.ts";
import type { RunLimits, Runtime } from "../../src/model/run.ts";
import { differences, type Expectation } from "./sandbox.expect.ts";
import { type CaseFile, type Harness, startCanary, startHarness } from "./sandbox.harness.ts";

interface Run {
  readonly source?: string;
  readonly arguments?: JsonValue;
  readonly expect?: Expectation;
}

interface Case {
  readonly id: string;
  readonly why: string;
  readonly input: Run & {
    readonly language: Runtime;
    readonly path?: string;
    readonly files?: readonly CaseFile[];
    readonly limits?: Partial<RunLimits>;
    readonly egress?: unknown;
    readonly runs?: readonly Run[];
    readonly at_once?: boolean;
  };
  readonly expect: Expectation;
}

const cases = JSON.parse(readFileSync(new URL("../fixtures/cases/sandbox.json", import.meta.url), "utf8")) as Case[];

let harness: Harness;
let canary: Awaited<ReturnType<typeof startCanary>>;

beforeAll(async () => {
  canary = await startCanary();
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
  canary?.server.close();
});

/** Cases that may take the runner's process down with them. */
const disruptive = /-(memory|endless-in-library)$/;
/** Cases that end at their time limit wait for it together. */
const slow = cases.filter((one) => one.input.limits?.timeout_ms !== undefined && !disruptive.test(one.id));
const quick = cases.filter((one) => !slow.includes(one));

describe("sandbox.json", () => {
  test.each(quick.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    expect(await play(one), one.why).toEqual([]);
    expect(canary.hits()).toBe(0);
  });

  describe.concurrent("with time limits", () => {
    test.each(slow.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
      const wrong = await play(one);
      expect(wrong, one.why).toEqual([]);
    });
  });
});

async function play(one: Case): Promise<string[]> {
  const runs = one.input.runs ?? [{ ...one.input, expect: one.expect }];
  const start = async (run: Run) => {
    const answer = await harness.run({
      runtime: one.input.language,
      source: (run.source ?? one.input.source ?? "")
        .replaceAll("@@CANARY@@", `127.0.0.1:${canary.port}`)
        .replaceAll("@@CANARY_PORT@@", String(canary.port)),
      argv: argumentsToWords(run.arguments ?? one.input.arguments),
      ...(one.input.path === undefined ? {} : { path: one.input.path }),
      ...(one.input.files === undefined ? {} : { files: one.input.files }),
      ...(one.input.limits === undefined ? {} : { limits: one.input.limits }),
      ...(one.input.egress === undefined ? {} : { egress: one.input.egress }),
    });
    return differences(answer, run.expect ?? {});
  };
  if (one.input.at_once) {
    return (await Promise.all(runs.map(start))).flat();
  }
  const wrong: string[] = [];
  for (const run of runs) {
    wrong.push(...(await start(run)));
  }
  return wrong;
}
