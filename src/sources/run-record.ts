/** Owns the way from a call of a packed script to a job for its runner. Never runs anything; never reads what is not the skill's. */
import { argumentsIn, argumentsToWords } from "../model/arguments.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { SkillRecord, SkillScript } from "../model/record.ts";
import type { RunResult } from "../model/run.ts";
import type { PackedCounts, ScriptRunner } from "../model/runner.ts";
import type { AgentSkillScript, ScriptCall } from "../model/skill.ts";

/** What the scripts of a skill are run with. */
export interface RecordRunner {
  /** Null where scripts are not enabled. */
  readonly runner: ScriptRunner | null;
  /** What may share a warm isolate when the caller has no tenant. */
  readonly isolation: string;
  readonly readBlob: (digest: Digest) => Promise<Uint8Array>;
}

/** The scripts of a record, ready to be called. */
export function recordScripts(record: SkillRecord, parts: RecordRunner): readonly AgentSkillScript[] {
  return record.scripts.map((script) => {
    const reason = reasonAgainst(record, script, parts.runner);
    return {
      name: script.path,
      description: script.description,
      runtime: script.runtime,
      parameters: script.parameters,
      runnable: reason === null,
      reason,
      run: (call: ScriptCall) => run(record, script, call, parts),
    };
  });
}

/** Why a script is not offered; null when it is. */
function reasonAgainst({ name }: SkillRecord, script: SkillScript, runner: ScriptRunner | null): string | null {
  return runner?.reasonAgainst === undefined ? script.reason : runner.reasonAgainst(name, script);
}

/** How many of a skill's scripts are offered; null where that takes the record to tell. */
export function runnableCount(skill: string, packed: PackedCounts, runner: ScriptRunner | null): number | null {
  return runner?.countRunnable === undefined ? packed.runnable : runner.countRunnable(skill, packed);
}

async function run(
  record: SkillRecord,
  script: SkillScript,
  call: ScriptCall,
  parts: RecordRunner,
): Promise<RunResult> {
  const { runner, isolation, readBlob } = parts;
  const argv = argumentsToWords(call.arguments, script.parameters);
  const reason = reasonAgainst(record, script, runner);
  if (reason !== null && !canStart(script)) {
    throw new SkillsError("script-not-runnable", `Cannot run "${script.path}": ${reason}`);
  }
  if (runner === null) {
    throw new SkillsError("script-not-runnable", `Cannot run "${script.path}": no runner is set up here`);
  }

  const { stdin, files, limits, context } = call;
  const known = knownDigests(record);
  return runner.run({
    skill: record,
    script,
    arguments: argumentsIn(call.arguments),
    argv,
    stdin,
    files,
    limits,
    isolation: context.tenant ?? isolation,
    actor: context.actor ?? null,
    traceparent: context.traceparent ?? null,
    signal: context.signal,
    readFiles: (digests) => Promise.all(digests.map((digest) => readKnown(readBlob, known, digest))),
  });
}

/**
 * Tells whether there is something to start. A script that lacks a module or a command is not offered to models, but whoever asks for it
 * all the same gets a run: it may do without, and its own words say best what is missing.
 */
function canStart({ runtime, compiled }: SkillScript): boolean {
  return runtime !== null && (runtime !== "javascript" || compiled !== null);
}

function knownDigests(record: SkillRecord): ReadonlySet<Digest> {
  const files = [record.manifest, ...record.files].map((file) => file.digest);
  const compiled = record.scripts.flatMap((script) => script.compiled ?? []);
  return new Set([...files, ...compiled, ...(record.packages ?? [])]);
}

async function readKnown(
  readBlob: RecordRunner["readBlob"],
  known: ReadonlySet<Digest>,
  digest: Digest,
): Promise<Uint8Array> {
  if (!known.has(digest)) {
    throw new SkillsError("resource-not-found", `Cannot read ${digest}: it is no part of this skill`);
  }
  return readBlob(digest);
}
