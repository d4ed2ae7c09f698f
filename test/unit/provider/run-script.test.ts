import { describe, expect, it } from "vitest";
import { SkillsError } from "../../../src/model/errors.ts";
import { DEFAULT_RUN_LIMITS, type RunResult } from "../../../src/model/run.ts";
import type { ScriptJob } from "../../../src/model/runner.ts";
import type { ToolAnswer } from "../../../src/provider/answers.ts";
import type { ProviderOptions, ToolCaller } from "../../../src/provider/provider.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { liveEntries, type SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER, GOOD_RUN, NotingRunner, providerOver } from "../../helpers/provider.ts";

const SKILL: SkillSpec = {
  name: "unit-converter",
  files: [
    { path: "scripts/convert.py", content: "print(1)\n" },
    { path: "scripts/wipe.ps1", content: "rm\n" },
    { path: "data/rates.bin", content: Uint8Array.of(0, 1, 2) },
  ],
  scripts: [
    "scripts/convert.py",
    { path: "scripts/wipe.ps1", runtime: null, runnable: false, reason: "there is no PowerShell" },
  ],
};

const CALL = { skill_name: "unit-converter", script_name: "scripts/convert.py" };

async function run(
  args: object,
  {
    runner = new NotingRunner(),
    caller = CALLER,
    ...options
  }: ProviderOptions & { runner?: NotingRunner; caller?: ToolCaller } = {},
): Promise<{ answer: ToolAnswer; jobs: readonly ScriptJob[] }> {
  const provider = await providerOver([SKILL], { runner, ...options });
  return { answer: await provider.callTool("run_skill_script", { ...CALL, ...args }, caller), jobs: runner.jobs };
}

function finished(facts: Partial<RunResult>): NotingRunner {
  return new NotingRunner({ ...GOOD_RUN, ...facts });
}

describe("run_skill_script", () => {
  it("hands the script, its words and the caller's input to the runner", async () => {
    const signal = new AbortController().signal;
    const { jobs } = await run(
      {
        arguments: { value: 3, verbose: true },
        stdin: "12 km\n",
        files: [
          { path: "in/a.txt", content: "ä" },
          { path: "in/b.bin", encoding: "base64", content: "AAH/" },
        ],
      },
      { caller: { ...CALLER, signal, actor: "jwt:https://issuer.example#ada" } },
    );
    expect(jobs).toHaveLength(1);
    const { skill, script, readFiles, ...rest } = jobs[0] as ScriptJob;
    expect([skill.name, script.path, typeof readFiles]).toEqual(["unit-converter", "scripts/convert.py", "function"]);
    expect(rest).toEqual({
      arguments: { value: 3, verbose: true },
      argv: ["--value", "3", "--verbose"],
      stdin: "12 km\n",
      files: [
        { path: "in/a.txt", bytes: new TextEncoder().encode("ä") },
        { path: "in/b.bin", bytes: Uint8Array.of(0, 1, 255) },
      ],
      limits: DEFAULT_RUN_LIMITS,
      isolation: "acme",
      actor: "jwt:https://issuer.example#ada",
      traceparent: null,
      signal,
    });
  });

  it("gives the runner the bytes of the skill's own files, and of nothing else", async () => {
    const { jobs } = await run({});
    const job = jobs[0] as ScriptJob;
    const data = job.skill.files.find((file) => file.path === "data/rates.bin");
    expect(await job.readFiles(data ? [data.digest, job.skill.manifest.digest] : [])).toEqual([
      Uint8Array.of(0, 1, 2),
      new TextEncoder().encode("---\nname: unit-converter\n---\nFollow the steps.\n"),
    ]);
    const foreign = `sha256:${"0".repeat(64)}` as typeof job.skill.digest;
    expect(await codeOf(() => job.readFiles([foreign]))).toBe("resource-not-found");
  });

  it("isolates by the layer where there is no tenant", async () => {
    const { jobs } = await run({}, { caller: { ...CALLER, tenant: null } });
    expect([jobs[0]?.isolation, jobs[0]?.actor]).toEqual(["platform", null]);
  });

  it("answers the run whole, and has exactly the documented keys", async () => {
    const file = { path: "out.csv", size: 4, media_type: "text/csv", encoding: "utf-8", content: "a,b\n" } as const;
    const result = { ...GOOD_RUN, stdout: "12 mi\n", files: [file] };
    const { answer } = await run({}, { runner: finished(result) });
    expect(answer).toEqual({
      is_error: false,
      content: 'exit code: 0\nstdout:\n12 mi\nfiles written:\n- "out.csv" (text/csv, 4 bytes)',
      skill: { name: "unit-converter", digest: expect.stringMatching(/^sha256:/) },
      run: result,
    });
  });

  it.each<{ facts: Partial<RunResult>; content: string }>([
    {
      facts: { exit_code: 3, stdout: "", stderr: "no such unit\n" },
      content: "exit code: 3\nstdout: (empty)\nstderr:\nno such unit",
    },
    {
      facts: { exit_code: null, timed_out: true, limit: "wall" },
      content: "The script did not finish: its time was up.\nstdout:\ndone",
    },
    {
      facts: { exit_code: null, limit: "memory", truncated: true },
      content:
        "The script did not finish: it reached its memory limit.\nstdout:\ndone\n[Output or files went over a limit and were cut.]",
    },
  ])("answers is_error with the run filled for $facts", async ({ facts, content }) => {
    const { answer } = await run({}, { runner: finished(facts) });
    expect(answer).toMatchObject({ is_error: true, content, run: { ...GOOD_RUN, ...facts } });
    expect("error" in answer).toBe(false);
  });

  it("shows the model 32 KiB of an output and tells how much it does not show; the run keeps all", async () => {
    const stdout = "ä".repeat(20_000);
    const { answer } = await run({}, { runner: finished({ stdout }) });
    expect(answer.content).toBe(
      `exit code: 0\nstdout:\n${"ä".repeat(16_384)}\n[Not shown: ${40_000 - 32_768} more bytes of stdout.]`,
    );
    expect(answer.run?.stdout).toBe(stdout);
  });

  it("lets a caller lower the operator's limits and never raise them", async () => {
    const limits = { ...DEFAULT_RUN_LIMITS, timeout_ms: 5_000, output_bytes: 1_000 };
    const lower = await run({ limits: { timeout_ms: 100 } }, { limits });
    const higher = await run({ limits: { timeout_ms: 60_000, output_bytes: 999_999 } }, { limits });
    expect([lower.jobs[0]?.limits, higher.jobs[0]?.limits]).toEqual([{ ...limits, timeout_ms: 100 }, limits]);
  });

  it.each(["../x", "/etc/passwd", "a/../b", "a//b", "./a", "", "a\u0000b", "a/"])(
    "refuses a caller's file at %j and runs nothing",
    async (path) => {
      const { answer, jobs } = await run({ files: [{ path, content: "x" }] });
      expect([answer.error?.code, jobs]).toEqual(["arguments-invalid", []]);
    },
  );

  it("refuses a caller's file that says it is base64 and is not", async () => {
    const { answer, jobs } = await run({ files: [{ path: "a", encoding: "base64", content: "not base64!" }] });
    expect([answer.error?.message, jobs]).toEqual(['Cannot use file "a": its content is not base64', []]);
  });

  it("refuses arguments that make no words and runs nothing", async () => {
    const { answer, jobs } = await run({ arguments: 7 });
    expect([answer.is_error, answer.error?.code, jobs]).toEqual([true, "arguments-invalid", []]);
  });

  it("says why a listed script cannot run", async () => {
    const { answer, jobs } = await run({ script_name: "scripts/wipe.ps1" });
    const message = 'Cannot run "scripts/wipe.ps1": there is no PowerShell';
    expect([answer.error, jobs]).toEqual([{ code: "script-not-runnable", message, candidates: [] }, []]);
  });

  it("says so where no runner is set up", async () => {
    const source = createPackedSource(createMemoryStore(await liveEntries([SKILL])));
    const answer = await new AgentSkillsProvider(source).callTool("run_skill_script", CALL, CALLER);
    expect(answer.error?.message).toBe('Cannot run "scripts/convert.py": no runner is set up here');
  });

  it("leaves out files whose names are no texts or lead out of the skill, and says so", async () => {
    const file = (path: string) => ({
      path,
      size: 1,
      media_type: "text/plain",
      encoding: "utf-8" as const,
      content: "x",
    });
    const files = ["good.txt", "line\nbreak.txt", "half\ud800.txt", "../up.txt", "..\\up.txt", "C:/up.txt"].map(file);
    const { answer } = await run({}, { runner: new NotingRunner({ ...GOOD_RUN, files }) });
    expect(answer.run?.files.map(({ path }) => path)).toEqual(["good.txt", "line\nbreak.txt"]);
    expect(answer.run?.truncated).toBe(true);
    expect(answer.content).toContain('- "line\\nbreak.txt" (');
    expect(answer.content).toContain("[Files whose names cannot be passed on: 4.]");
  });

  it("answers runner-busy with how long to wait", async () => {
    const runner = new NotingRunner(new SkillsError("runner-busy", "private", { retryAfterMs: 750 }));
    const { answer } = await run({}, { runner });
    expect(answer).toEqual({
      is_error: true,
      content: "Error: Runner is busy",
      error: { code: "runner-busy", message: "Runner is busy", candidates: [], retry_after_ms: 750 },
    });
  });

  it("answers runner-failed with no word of why", async () => {
    const runner = new NotingRunner(new SkillsError("runner-failed", "secret.internal:8443 refused"));
    const { answer } = await run({}, { runner });
    expect(answer).toEqual({
      is_error: true,
      content: "Error: Runner failed",
      error: { code: "runner-failed", message: "Runner failed", candidates: [] },
    });
  });

  it("refuses a caller who may not run, and everybody where the operator lets nothing run", async () => {
    const denied = await run({}, { caller: { ...CALLER, mayRun: false } });
    const refused = await run({}, { scripts: "refuse" });
    expect([denied.answer.error?.code, denied.jobs]).toEqual(["scope-missing", []]);
    expect([refused.answer.error?.code, refused.jobs]).toEqual(["script-refused", []]);
  });
});
