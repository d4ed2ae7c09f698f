/**
 * Owns one run of a function: the files laid into a fresh directory, the script started there as a process with an environment of its own,
 * stopped with all of its group, and what it left behind. Keeps nothing in: that is what the container around it is for.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { interpreterOf } from "../check/interpreter.ts";
import type { FunctionRequest } from "../model/function-protocol.ts";
import type { RunLimits, RunResult, Runtime } from "../model/run.ts";
import { FunctionRefusal } from "./function-call.ts";
import { leftFiles } from "./function-files.ts";
import { OutputPipe } from "./function-output.ts";

/** What programs the languages are run by; looked up in `PATH`. */
const PROGRAMS: Readonly<Record<Runtime, string>> = { python: "python3", bash: "bash", javascript: process.execPath };

/** How long after its end a process may hold its output open, milliseconds: what it started in a group of its own may. */
const LINGER_MS = 1_000;

/** What a run finds, and what holds it. */
export interface FunctionSurroundings {
  /** What lies in its directory. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly limits: Pick<RunLimits, "files" | "file_bytes">;
  /** Who it runs as; null for this process's own user. */
  readonly uid: number | null;
  /** Aborts when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/** Runs it to its end. Throws {@link FunctionRefusal} when nothing can be started. */
export async function runFunction(request: FunctionRequest, around: FunctionSurroundings): Promise<RunResult> {
  const { files, limits, uid } = around;
  // The path without links: what is found in it afterwards is held against it.
  const place = realpathSync(mkdtempSync(join(tmpdir(), "edge-skills-run-")));
  try {
    const skill = join(place, "skill");
    layDown(place, skill, files);
    const command = commandOf(skill, request, files);
    if (uid !== null) {
      execFileSync("chown", ["-R", `${uid}:${uid}`, place]);
    }
    const begun = performance.now();
    const ended = await runProcess(place, request, command, around);
    const left = leftFiles(skill, files, limits);
    return {
      exit_code: ended.exitCode,
      stdout: ended.stdout.text(),
      stderr: ended.stderr.text(),
      timed_out: ended.exitCode === null,
      truncated: ended.stdout.isCut || ended.stderr.isCut || left.isCut,
      limit: ended.exitCode === null ? "wall" : left.isCut ? "files" : null,
      duration_ms: Math.round(performance.now() - begun),
      files: left.files,
    };
  } finally {
    remove(place);
  }
}

function layDown(place: string, skill: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const directory of [skill, join(place, "home"), join(place, "tmp")]) {
    mkdirSync(directory);
  }
  for (const [path, bytes] of files) {
    const file = join(skill, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

/** The words that start the script: by what its first line or its name says; a language we do not know by that first line. */
function commandOf(
  skill: string,
  { script }: FunctionRequest,
  files: ReadonlyMap<string, Uint8Array>,
): readonly [string, ...string[]] {
  const text = new TextDecoder().decode(files.get(script.name)?.subarray(0, 1_024));
  const file = join(skill, script.name);
  const runtime = interpreterOf(script.name, text)?.runtime ?? null;
  if (runtime !== null) {
    return [PROGRAMS[runtime], script.name];
  }
  if (!text.startsWith("#!")) {
    throw new FunctionRefusal(
      422,
      "interpreter-unknown",
      "Neither the script's name nor its first line tells what runs it",
    );
  }
  chmodSync(file, 0o755);
  return [file];
}

interface Ended {
  /** Null when it was stopped. */
  readonly exitCode: number | null;
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

async function runProcess(
  place: string,
  { argv, stdin, limits }: FunctionRequest,
  [program, ...words]: readonly [string, ...string[]],
  { uid, gone }: FunctionSurroundings,
): Promise<Ended> {
  const env = environment(place);
  const user = uid === null ? {} : { uid, gid: uid };
  const child = spawn(program, [...words, ...argv], { cwd: env.PWD, env, detached: true, ...user });
  const stdout = new OutputPipe(child.stdout, limits.output_bytes);
  const stderr = new OutputPipe(child.stderr, limits.output_bytes);
  // A script need not read its input.
  child.stdin.on("error", () => undefined).end(stdin);
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    endGroup(child);
  };
  const timer = setTimeout(stop, limits.timeout_ms);
  gone.addEventListener("abort", stop, { once: true });
  try {
    const exitCode = await exitOf(child, program);
    // What it started and left running ends with it.
    endGroup(child);
    await Promise.race([Promise.all([stdout.ended, stderr.ended]), pause(LINGER_MS)]);
    return { exitCode: isStopped ? null : exitCode, stdout, stderr };
  } finally {
    clearTimeout(timer);
    gone.removeEventListener("abort", stop);
    stdout.close();
    stderr.close();
  }
}

/** Nothing of this process's own: neither its secret nor where it runs. */
function environment(place: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: join(place, "home"),
    TMPDIR: join(place, "tmp"),
    PWD: join(place, "skill"),
    LANG: "C.UTF-8",
    // What an interpreter keeps for itself is no result.
    PYTHONDONTWRITEBYTECODE: "1",
  };
}

/** The exit status as a shell tells it. */
function exitOf(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", () => reject(new FunctionRefusal(422, "interpreter-missing", `Cannot start ${program}`)));
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, "SIGKILL");
    }
  } catch {
    // It has ended already.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

function remove(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch {
    // A script may have closed its directories, or put so many into each other that no path is long enough for them.
    execFileSync("chmod", ["-R", "u+rwX", place]);
    execFileSync("rm", ["-rf", place]);
  }
}
