import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withState } from "../../../src/cli/state-lock.ts";
import { SkillsError } from "../../../src/model/errors.ts";
import { directoryOf } from "../../helpers/cli.ts";

const DEV = { name: "dev", access: "alone" } as const;
const DEPLOY = { name: "deploy", access: "beside" } as const;

/** A process that lives, to whom a directory may belong. */
let other: ChildProcess;
beforeAll(async () => {
  other = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(other.stdout ?? other, "data");
});
afterAll(async () => {
  other.kill();
  await once(other, "exit");
});

const lockIn = (state: string): string => join(state, "in-use.json");

function stateOf(holder: object): string {
  return directoryOf({ "in-use.json": JSON.stringify(holder) });
}

async function codeAndHint(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return SkillsError.is(error) ? [error.code, error.message, error.hint] : error;
}

describe("withState()", () => {
  it("has the directory for as long as the work takes, and leaves nothing behind", async () => {
    const state = join(directoryOf({}), "deep/state");
    const during = await withState(state, DEV, async () => JSON.parse(readFileSync(lockIn(state), "utf8")));
    expect(during).toMatchObject({ pid: process.pid, command: "dev", url: null });
    expect(readdirSync(state)).toEqual([]);
    await expect(withState(state, DEV, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(readdirSync(state)).toEqual([]);
  });

  it("refuses to have it alone where a process that is alive has the directory, and says what to do", async () => {
    const state = stateOf({ pid: other.pid, command: "dev", url: "http://127.0.0.1:8787" });
    const before = readFileSync(lockIn(state), "utf8");
    expect(await codeAndHint(withState(state, DEV, async () => "done"))).toEqual([
      "state-in-use",
      `Cannot use the state directory "${state}": "edge-skills dev" (process ${other.pid}) has it`,
      "end it with Ctrl-C, name another directory with --state, or ask its edge: --target http://127.0.0.1:8787, with its token for operators in EDGE_SKILLS_TOKEN",
    ]);
    expect(readFileSync(lockIn(state), "utf8")).toBe(before);
    expect(readdirSync(state)).toEqual(["in-use.json"]);
  });

  it("works beside it, and names it as the reason of a failure that nobody foresaw", async () => {
    const state = stateOf({ pid: other.pid, command: "dev" });
    expect(await withState(state, DEPLOY, async () => "done")).toBe("done");
    const failing = (error: Error) => codeAndHint(withState(state, DEPLOY, () => Promise.reject(error)));
    expect(await failing(new Error("KV PUT failed: 500"))).toEqual([
      "state-in-use",
      `Cannot use the state directory "${state}": "edge-skills dev" (process ${other.pid}) has it`,
      "let it end, or name another directory with --state",
    ]);
    const missing = new SkillsError("skill-not-found", "Cannot find it");
    expect(await failing(missing)).toEqual(["skill-not-found", "Cannot find it", null]);
  });

  it("works beside nobody without making the directory", async () => {
    const state = join(directoryOf({}), "state");
    await withState(state, DEPLOY, async () => "done");
    expect(existsSync(state)).toBe(false);
  });

  it.each<[string, () => object | string]>([
    ["a process that has ended", () => ({ pid: 2 ** 22 + 1, command: "dev" })],
    ["an earlier process of this one's number", () => ({ pid: process.pid, command: "dev" })],
    ["an earlier process of a living one's number", () => ({ pid: other.pid, began: "1", command: "dev" })],
    ["nobody: it cannot be read", () => "{"],
  ])("takes a directory over that was left by %s", async (_, holder) => {
    const state = directoryOf({});
    const left = holder();
    writeFileSync(lockIn(state), typeof left === "string" ? left : JSON.stringify(left));
    const during = await withState(state, DEV, async () => JSON.parse(readFileSync(lockIn(state), "utf8")));
    expect(during).toMatchObject({ pid: process.pid, command: "dev" });
    expect(readdirSync(state)).toEqual([]);
  });
});
