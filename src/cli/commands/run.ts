/** Owns `edge-skills run`: one script of one skill, in the same sandbox the edge uses. */

import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, normalize, resolve } from "node:path";
import process from "node:process";
import { Option } from "commander";
import { startRunnerProcess } from "../../deploy/runner-process.ts";
import { SkillsError } from "../../model/errors.ts";
import { isSafePath, travelProblem } from "../../model/path.ts";
import type { RunResult } from "../../model/run.ts";
import { makeDirectory } from "../../pack/make-directory.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { defaultTenant, deployedEdge, FROM_FLAG, withEdge } from "../edge-session.ts";
import { ALLOW_FLAG } from "../egress-flags.ts";
import { isOn, JSON_FLAG, numberFlag, optionalText, TARGET_FLAGS, TENANT_FLAG, tenantFlag } from "../flags.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { StandardInput } from "../standard-input.ts";
import type { Terminal } from "../terminal.ts";

const IN_FLAG = new Option(
  "--in <file>",
  "a file to give to the run, under its name; may be given several times",
).argParser((file: string, earlier: readonly string[] = []) => [...earlier, file]);
const OUT_FLAG = new Option("--out <dir>", "where to write the files that come back");
const TIMEOUT_FLAG = new Option("--timeout <ms>", "time limit, milliseconds");

/** What `timeout` of coreutils answers for a command whose time was up. */
const STOPPED = 124;

/** The answer of `run_skill_script`. */
interface RunAnswer {
  readonly run?: RunResult;
  readonly error?: {
    readonly code: SkillsError["code"];
    readonly message: string;
    readonly candidates: readonly string[];
  };
  readonly approval?: { readonly id: string; readonly url: string; readonly expires_at: string };
}

export const run: CommandSpec = {
  name: "run",
  summary: "run one script of a skill in the sandbox; its output and exit status are passed through",
  arguments: [
    ["<skill>", "the skill's name"],
    ["<script>", "the script's name"],
    ["[argument...]", "words for the script, after --"],
  ],
  options: [
    FROM_FLAG,
    TENANT_FLAG,
    IN_FLAG,
    OUT_FLAG,
    ALLOW_FLAG,
    TIMEOUT_FLAG,
    WHEELS_FLAG,
    ...TARGET_FLAGS,
    JSON_FLAG,
  ],
  examples: ["run unit-converter convert.py --from skills-bundle -- --value 26.2 --from miles --to kilometers"],
  async run([skill, script, words], flags, context) {
    const call = {
      skill_name: skill,
      script_name: script,
      arguments: words ?? [],
      files: inputFiles(flags, context),
      limits: limits(flags),
    };
    const input = new StandardInput(process.stdin);
    // Scripts of a deployed edge run there.
    const runner = deployedEdge(flags, context) === null ? await startRunnerProcess() : null;
    try {
      const answer = (await withEdge(flags, context, runner, async (session) => {
        const tenant = tenantFlag(flags) ?? defaultTenant(session);
        return session.ask(tenant, "/v1/tools/run_skill_script", { ...call, stdin: await input.text() });
      })) as RunAnswer;
      return show(answer, flags, context);
    } finally {
      input.close();
      await runner?.stop();
    }
  },
};

function show({ run: result, error, approval }: RunAnswer, flags: Flags, { terminal, cwd }: CommandContext): number {
  if (approval !== undefined) {
    return showApproval(approval, flags, terminal);
  }
  if (result === undefined) {
    const { code, message, candidates } = error ?? {
      code: "internal" as const,
      message: "no run came back",
      candidates: [],
    };
    throw new SkillsError(code, message, { candidates });
  }
  const out = optionalText(flags, "out");
  if (out !== null) {
    writeFiles(result, resolve(cwd, out));
  }
  if (isOn(flags, "json")) {
    terminal.json(result);
  } else {
    terminal.passThrough(result.stdout, result.stderr);
  }
  for (const words of limitWords(result)) {
    terminal.say(words);
  }
  return result.exit_code ?? STOPPED;
}

/** What a run's limits did to it, which its output does not tell. */
function limitWords({ exit_code, timed_out, limit, truncated }: RunResult): string[] {
  if (exit_code === null) {
    return [`stopped: ${timed_out ? "its time was up" : `limit ${limit}`}`];
  }
  const hit = limit === null ? [] : [`it hit the limit ${limit}`];
  return truncated ? [...hit, "there was more output or there were more files than the limits let through"] : hit;
}

/** A deployed edge may ask a person first: the same command, given again once they agreed, runs. */
function showApproval(approval: NonNullable<RunAnswer["approval"]>, flags: Flags, terminal: Terminal): number {
  if (isOn(flags, "json")) {
    terminal.json({ approval });
  }
  terminal.say(
    `It did not run: a person has to agree first, at ${approval.url}, by ${approval.expires_at}. Then run it again.`,
  );
  return 1;
}

function inputFiles(flags: Flags, { cwd }: CommandContext): { path: string; encoding: "base64"; content: string }[] {
  const names = Array.isArray(flags.in) ? flags.in.map(String) : [];
  return names.map((name) => ({
    path: nameInRun(name),
    encoding: "base64",
    content: readInput(resolve(cwd, name), name),
  }));
}

/** A path below the current directory stays what it is; any other file comes under its own name. */
function nameInRun(file: string): string {
  const path = normalize(file).replaceAll("\\", "/");
  return isSafePath(path) ? path : basename(file);
}

function readInput(file: string, name: string): string {
  try {
    return readFileSync(file).toString("base64");
  } catch (cause) {
    throw new SkillsError("usage", `Cannot read input "${name}": ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

function limits(flags: Flags): { timeout_ms?: number } {
  const timeout = numberFlag(flags, "timeout");
  return timeout === null ? {} : { timeout_ms: timeout };
}

function writeFiles({ files }: RunResult, directory: string): void {
  for (const { path, encoding, content } of files.filter((item) => travelProblem(item.path) === null)) {
    const file = join(directory, path);
    makeDirectory(dirname(file));
    writeFileSync(file, encoding === "base64" ? Buffer.from(content, "base64") : content);
  }
}
