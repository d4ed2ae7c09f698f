/** Owns comparing scripts in the sandbox with the recording of what they do natively, and that with what they do here (test/fidelity/); never records. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DIFFERENCES } from "../fidelity/differences.ts";
import { natives, RECORDED, runNatively } from "../fidelity/record.ts";
import { DATA, fidelityScripts, lastLine, type Outcome } from "../fidelity/scripts.ts";
import { type Harness, startHarness } from "./sandbox.harness.ts";

const recorded = JSON.parse(readFileSync(RECORDED, "utf8")) as Readonly<Record<string, Outcome>>;
const scripts = fidelityScripts();
const data = Object.entries(DATA).map(([path, bytes]) => ({ path, base64: Buffer.from(bytes).toString("base64") }));

/** What is here beside the recording; a script whose interpreter is missing has one source less. */
const here = natives();

let harness: Harness;

beforeAll(async () => {
  for (const runtime of ["python", "bash", "javascript"] as const) {
    const program = here.get(runtime);
    console.info(`${runtime}: recorded outcomes${program === undefined ? " only" : `, and live ones of ${program}`}`);
  }
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

test("there is a recording of every script, and of at least 120", () => {
  expect(Object.keys(recorded)).toEqual(scripts.map(({ name }) => name));
  expect(scripts.length).toBeGreaterThanOrEqual(120);
});

test("what is listed as a difference is one", () => {
  const same = Object.entries(DIFFERENCES).flatMap(([name, { outcome }]) =>
    Object.entries(outcome)
      .filter(([part, value]) => isDeepStrictEqual(recorded[name]?.[part as keyof Outcome], value))
      .map(([part]) => `${name}: ${part}`),
  );
  expect(same).toEqual([]);
});

test.each(scripts.map((script) => [script.name, script] as const))("%s", async (name, script) => {
  const program = here.get(script.runtime);
  if (program !== undefined) {
    expect(runNatively(script, program, here.get("python"))).toEqual(recorded[name]);
  }
  const { result } = await harness.run({
    runtime: script.runtime,
    source: script.source,
    path: `scripts/${name}`,
    argv: script.argv,
    stdin: script.stdin,
    files: [...data, ...Object.entries(script.files).map(([path, text]) => ({ path, text }))],
  });
  const files = result.files.map(({ path, encoding, content }): [string, string] => [
    path,
    Buffer.from(content, encoding === "utf-8" ? "utf8" : "base64").toString("utf8"),
  ]);
  const outcome: Outcome = {
    exit_code: result.exit_code,
    stdout: result.stdout,
    last: lastLine(result.stderr),
    files: Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  const { reason, outcome: other = {} } = DIFFERENCES[name] ?? {};
  expect(outcome, reason).toEqual({ ...recorded[name], ...other });
});
