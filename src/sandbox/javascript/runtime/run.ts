/** Owns one run of a compiled script: its globals, its modules, how it ends; never the isolate's loading or the answer's form. */

import type { RunLimits } from "../../../model/run.ts";
import type { RunFiles } from "../run-files.ts";
import { makeConsole } from "./console.ts";
import type { Standard } from "./descriptors.ts";
import { mapStacks, uncaught } from "./errors.ts";
import { withGlobals } from "./globals.ts";
import { makeImports, type Script } from "./imports.ts";
import { late, network } from "./late-parts.ts";
import { type Ending, Exit, Loop } from "./loop.ts";
import { makeModules } from "./modules.ts";
import type { NetworkFetch } from "./network.ts";
import { once } from "./once.ts";
import { makeProcess, WorkingDirectory } from "./process.ts";
import type { Spawn } from "./started-program.ts";
import { Timers } from "./timers.ts";
import { mayWaitUnseen } from "./unseen.ts";

const natives = { Request: globalThis.Request, Response: globalThis.Response };

export interface ScriptRun {
  readonly script: Script;
  readonly isolate: "own" | "shared";
  /** Absolute. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  /** When the wall clock ends it, milliseconds since 1970. */
  readonly deadline: number;
  /** Made when the script first needs them. */
  readonly files: () => RunFiles;
  /** The text of a file of the skill; empty where there is none. */
  readonly sourceOf: (path: string) => string;
  readonly standard: Standard;
  readonly network: NetworkFetch;
  readonly spawn: Spawn;
}

/** Starts a script; `onEnd` is called when it has ended. Changes the isolate's globals. */
export function runScript(run: ScriptRun, onEnd: (ending: Ending) => void): void {
  let leave = (): void => undefined;
  const loop = new Loop(run.limits, run.deadline, (ending) => {
    leave();
    timers.end();
    onEnd(ending);
  });
  loop.mayWaitUnseen = () => mayWaitUnseen(run.script);
  const encoder = new TextEncoder();
  const encode = encoder.encode.bind(encoder);
  // After its end a script that catches what ends it may go on for a while, but nobody hears it any more.
  const standard: Standard = {
    stdin: run.standard.stdin,
    stdout: (bytes) => loop.over || run.standard.stdout(bytes),
    stderr: (bytes) => loop.over || run.standard.stderr(bytes),
  };
  mapStacks(run.script.lines);
  const sourceLine = (file: string, line: number) => run.sourceOf(file).split("\n")[line - 1] ?? null;
  let fail = (error: unknown): void => {
    if (!loop.over) {
      standard.stderr(encode(wordsFor(error instanceof Exit ? ofAnotherRun() : error, sourceLine)));
      loop.end({ status: 1, limit: null });
    }
  };
  const guard = (callback: () => unknown): void => {
    try {
      callback();
    } catch (error) {
      fail(error);
    }
  };
  const timers = new Timers(loop, guard);
  const directory = new WorkingDirectory(run.cwd);
  const programs = new Map<number, { kill(signal?: string | number): boolean }>();
  const { process, listeners } = makeProcess(
    {
      argv: [run.path, ...run.argv],
      env: run.env,
      cwd: run.cwd,
      directoryAt: (path) => run.files().directory(path, directory.path),
      textOf: (path) => String(fs().sync.readFileSync(path, "utf8")),
      programs,
      moduleOf: (name) => modules.get(name.replace(/^node:/, "")),
      standard,
      loop,
      guard,
    },
    directory,
  );
  const print = (error: unknown): void => {
    if (loop.over) {
      return;
    }
    process.exitCode = 1;
    const status = loop.exitStatus();
    // What the script does at its end may end it before anything is said.
    if (!loop.over) {
      standard.stderr(encode(wordsFor(error instanceof Exit ? ofAnotherRun() : error, sourceLine)));
      loop.end({ status, limit: null });
    }
  };
  fail = (error) => {
    if (!loop.over && !(error instanceof Exit) && listeners("uncaughtExceptionMonitor") > 0) {
      guard(() => process.emit("uncaughtExceptionMonitor", error, "uncaughtException"));
    }
    if (!loop.over && !(error instanceof Exit) && listeners("uncaughtException") > 0) {
      guard(() => process.emit("uncaughtException", error, "uncaughtException"));
      return;
    }
    print(error);
  };
  const console = makeConsole(
    (text) => standard.stdout(encode(text)),
    (text) => standard.stderr(encode(text)),
    { warn: (text) => process.emitWarning(text) },
  );
  const fs = once(() => run.files().modules(standard, () => directory.path, loop, timers));
  const fetchWith = (which: "fetch" | "http") => {
    const { makeFetch, FETCH_HEADERS } = network();
    return makeFetch(natives, run.network, loop, which === "fetch" ? FETCH_HEADERS : {});
  };
  const ownFetch = once(() => fetchWith("fetch"));
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => ownFetch()(input, init);
  const imports = makeImports(
    run.path,
    () => modules,
    () => fs().sync,
    loop.turns.awaited,
    () => loop.ticks.begin(),
  );
  const modules = makeModules({
    process,
    console,
    module: imports.module,
    timers,
    fs,
    readline: once(() => late().makeReadline(loop)),
    childProcess: () =>
      late().makeChildProcess({ spawn: run.spawn, loop, around: process, sync: () => fs().sync, running: programs }),
    http: (protocol) => late().makeHttp(fetchWith("http"), protocol),
  });
  const onRejection = (reason: unknown, promise: Promise<unknown>) => {
    if (loop.over || reason instanceof Exit) {
      return;
    }
    if (listeners("unhandledRejection") > 0) {
      process.emit("unhandledRejection", reason, promise);
    } else {
      fail(reason);
    }
  };
  leave = withGlobals(run.isolate, { process, console, fetch, timers, loop, onRejection }, () => {
    const main = () => run.script(imports.es, loop.tick, undefined, undefined, undefined);
    loop.ticks.task(() => void start(main, loop, fail), "promises");
  });
}

/** A script may have broken what it takes to describe an error; it ends all the same. */
function wordsFor(error: unknown, sourceLine: (file: string, line: number) => string | null): string {
  try {
    return uncaught(error, sourceLine);
  } catch {
    return "Uncaught error\n";
  }
}

/** What unwinds a run that is over, met in one that is not. */
function ofAnotherRun(): Error {
  return new Error("a function was called that an earlier run of this isolate has made: it ended with that run");
}

function start(script: () => Promise<void>, loop: Loop, fail: (error: unknown) => void): Promise<void> {
  return loop.runMain(async () => {
    try {
      await script();
    } catch (error) {
      fail(error);
    }
  });
}
