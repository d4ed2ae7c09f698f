/** Owns comparing a run's result with what a case of sandbox.json expects; never runs anything. */
import type { Answer, CaseFile } from "./sandbox.harness.ts";

export interface Expectation {
  readonly exit_code?: number | "nonzero";
  readonly stdout?: string;
  readonly stderr?: string;
  readonly stdout_contains?: readonly string[];
  readonly stderr_contains?: readonly string[];
  readonly stdout_max_bytes?: number;
  readonly stderr_max_bytes?: number;
  readonly timed_out?: boolean;
  readonly truncated?: boolean;
  readonly one_of?: readonly ("timed_out" | "truncated" | "nonzero")[];
  readonly must_not?: readonly string[];
  readonly files?: readonly CaseFile[];
  readonly files_at_most?: number;
  readonly max_ms?: number;
  readonly answer_max_bytes?: number;
  readonly all_runs?: boolean;
  /** Also right: the packer says that the script cannot run. */
  readonly or_not_runnable?: boolean;
}

/** Everything that is not as expected; nothing when all is. */
export function differences(answer: Answer, expected: Expectation): string[] {
  const { result } = answer;
  if (result.refused !== undefined) {
    return [`refused: ${result.refused}: ${result.message}`];
  }
  const wrong: string[] = [];
  const check = (holds: boolean, words: string) => {
    if (!holds) {
      wrong.push(words);
    }
  };
  const nonzero = result.exit_code !== 0;
  if (expected.one_of === undefined) {
    if (expected.exit_code === "nonzero") {
      check(nonzero, `exit_code is ${result.exit_code}`);
    } else if (expected.exit_code !== undefined) {
      check(result.exit_code === expected.exit_code, `exit_code is ${result.exit_code}, not ${expected.exit_code}`);
    }
    check(result.timed_out === (expected.timed_out ?? false), `timed_out is ${result.timed_out}`);
    check(result.truncated === (expected.truncated ?? false), `truncated is ${result.truncated}`);
  } else {
    const holds = { timed_out: result.timed_out, truncated: result.truncated, nonzero };
    check(
      expected.one_of.some((name) => holds[name]),
      `none of ${expected.one_of.join(", ")}`,
    );
  }
  for (const name of ["stdout", "stderr"] as const) {
    const text = result[name];
    const exact = expected[name];
    check(
      exact === undefined || text === exact,
      `${name} is ${JSON.stringify(text.slice(0, 300))}, not ${JSON.stringify(exact)}`,
    );
    for (const part of expected[`${name}_contains`] ?? []) {
      check(text.includes(part), `${name} lacks ${JSON.stringify(part)}: ${JSON.stringify(text.slice(0, 300))}`);
    }
    const most = expected[`${name}_max_bytes`];
    check(most === undefined || Buffer.byteLength(text) <= most, `${name} has ${Buffer.byteLength(text)} bytes`);
  }
  const everything = [result.stdout, result.stderr, ...result.files.map((file) => textOf(file.encoding, file.content))];
  for (const word of expected.must_not ?? []) {
    check(!everything.some((text) => text.includes(word)), `${JSON.stringify(word)} is in the answer`);
  }
  check(
    expected.files_at_most === undefined || result.files.length <= expected.files_at_most,
    `${result.files.length} files`,
  );
  check(expected.max_ms === undefined || answer.ms <= expected.max_ms, `took ${Math.round(answer.ms)} ms`);
  const size = JSON.stringify(result).length;
  check(expected.answer_max_bytes === undefined || size <= expected.answer_max_bytes, `the answer has ${size} bytes`);
  check(
    result.files.every((file) => !file.path.startsWith("/") && !file.path.split("/").includes("..")),
    `files lead out: ${result.files.map((file) => file.path).join()}`,
  );
  if (expected.files !== undefined) {
    const got = result.files.map(
      (file) =>
        `${file.path}=${Buffer.from(file.content, file.encoding === "utf-8" ? "utf8" : "base64").toString("base64")}`,
    );
    const want = expected.files.map(
      (file) => `${file.path}=${file.base64 ?? Buffer.from(file.text ?? "").toString("base64")}`,
    );
    check(got.sort().join("\n") === want.sort().join("\n"), `files are ${got.join()}, not ${want.join()}`);
  }
  if (wrong.length > 0) {
    wrong.push(
      `(exit ${result.exit_code}, limit ${result.limit}, stderr ${JSON.stringify(result.stderr.slice(0, 600))})`,
    );
  }
  return wrong;
}

function textOf(encoding: "utf-8" | "base64", content: string): string {
  return encoding === "utf-8" ? content : Buffer.from(content, "base64").toString("latin1");
}
