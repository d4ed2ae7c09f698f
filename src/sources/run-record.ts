/** Owns the way from a call of a packed script to a job for its runner. Never runs anything; never reads what is not the skill's. */
import { argumentsIn, argumentsToWords } from "../model/arguments.ts";
import { type Block, type Blocked, blockedError, NOTHING_BLOCKED } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { JsonValue, SkillRecord, SkillScript } from "../model/record.ts";
import type { RunResult } from "../model/run.ts";
import type { PackedCounts, ScriptRunner } from "../model/runner.ts";
import type { AgentSkillScript, ScriptCall } from "../model/skill.ts";
import { throwIfMisplaced } from "./input-places.ts";

/** What the scripts of a skill are run with. */
export interface RecordRunner {
  /** Null where scripts are not enabled. */
  readonly runner: ScriptRunner | null;
  /** What may share a warm isolate when the caller has no tenant. */
  readonly isolation: string;
  readonly readBlob: (digest: Digest) => Promise<Uint8Array>;
  /** What the operator recalled; default: nothing. */
  readonly blocked?: Blocked;
}

/** The scripts of a record, ready to be called. What is blocked does not run, and no run gets a blocked file. */
export function recordScripts(whole: SkillRecord, parts: RecordRunner): readonly AgentSkillScript[] {
  const { blocked = NOTHING_BLOCKED } = parts;
  const record = blocked.key === "" ? whole : withoutBlocked(whole, blocked);
  return whole.scripts.map((script) => {
    const block = blockOf(whole, script, blocked);
    const reason = block === null ? reasonAgainst(whole, script, parts.runner) : `it was recalled: ${block.reason}`;
    return {
      name: script.path,
      description: script.description,
      runtime: script.runtime,
      parameters: script.parameters,
      runnable: reason === null,
      reason,
      ...(block === null ? {} : { blocked: block.reason }),
      packed: packedForm(whole, script),
      run: async (call: ScriptCall) => {
        if (block !== null) {
          throw blockedError("file-blocked", `"${script.path}" of skill "${whole.name}"`, block);
        }
        return run(record, script, call, parts);
      },
    };
  });
}

/** Any compiled script of the skill may be started by any other. */
function packedForm({ scripts, packages = [] }: SkillRecord, { runtime, parameters }: SkillScript): JsonValue {
  return { runtime, parameters, compiled: scripts.map(({ path, compiled }) => [path, compiled]), packages };
}

/** Why a script is not offered; null when it is. */
function reasonAgainst({ name }: SkillRecord, script: SkillScript, runner: ScriptRunner | null): string | null {
  return runner?.reasonAgainst === undefined ? script.reason : runner.reasonAgainst(name, script);
}

/** How many of a skill's scripts are offered; null where that takes the record to tell. */
export function runnableCount(skill: string, packed: PackedCounts, runner: ScriptRunner | null): number | null {
  return runner?.countRunnable === undefined ? packed.runnable : runner.countRunnable(skill, packed);
}

/**
 * A script is blocked with its file, with what it was compiled to, and with a package that the skill's scripts use. What a compiled
 * script was made of is not known any more: it is blocked with any file of its skill.
 */
function blockOf(
  { files, packages = [] }: SkillRecord,
  { path, compiled }: SkillScript,
  blocked: Blocked,
): Block | null {
  const sources = compiled === null ? files.filter((file) => file.path === path) : files;
  return blocked.of(compiled, ...packages, ...sources.map(({ digest }) => digest));
}

/** A run is given the skill as if it had nothing that is blocked. */
function withoutBlocked(record: SkillRecord, blocked: Blocked): SkillRecord {
  const isFree = (digest: Digest): boolean => blocked.of(digest) === null;
  return {
    ...record,
    files: record.files.filter(({ digest }) => isFree(digest)),
    scripts: record.scripts.filter(({ compiled }) => compiled === null || isFree(compiled)),
  };
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
  throwIfMisplaced(
    [record.manifest, ...record.files].map(({ path }) => path),
    files.map(({ path }) => path),
  );
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
