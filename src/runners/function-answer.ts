/** Owns whether what a function answered is a run, and holding it to the run's limits. Never passes on what it does not know. */
import * as z from "zod/mini";
import { listOf } from "../model/list-schema.ts";
import { isSafePath } from "../model/path.ts";
import { RUN_LIMIT_NAMES, type RunLimits, type RunOutputFile, type RunResult } from "../model/run.ts";
import { contentSize } from "../model/run-content.ts";

const count = z.number().check(z.int(), z.minimum(0));

const fileSchema = z
  .strictObject({
    path: z.string().check(z.refine(isSafePath)),
    size: count,
    media_type: z.string().check(z.regex(/^[\w.+-]+\/[\w.+-]+(?:; ?[\w.-]+=[\w.+-]+)*$/)),
    encoding: z.enum(["utf-8", "base64"]),
    content: z.string(),
  })
  .check(z.refine((file) => contentSize(file) === file.size));

const runSchema = z.strictObject({
  exit_code: z.nullable(z.number().check(z.int())),
  stdout: z.string(),
  stderr: z.string(),
  timed_out: z.boolean(),
  truncated: z.boolean(),
  limit: z.nullable(z.enum(RUN_LIMIT_NAMES)),
  duration_ms: z.number().check(z.minimum(0)),
  files: listOf(fileSchema),
});

/** The run in an answer's text, cut to the limits. Throws for anything else; the message names no value, and is for the log. */
export function runOf(text: string, limits: RunLimits): RunResult {
  const parsed = z.safeParse(runSchema, parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`its answer is no run: "${issue?.path.join(".")}" does not fit (${issue?.code})`);
  }
  return heldTo(parsed.data, limits);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("its answer is not JSON");
  }
}

/** What runs elsewhere may come back with no more than what runs here. */
function heldTo(run: RunResult, limits: RunLimits): RunResult {
  const [stdout, stderr] = [cut(run.stdout, limits.output_bytes), cut(run.stderr, limits.output_bytes)];
  const files = firstFiles(run.files, limits);
  const isLess = files.length < run.files.length;
  const truncated = run.truncated || isLess || stdout !== run.stdout || stderr !== run.stderr;
  return { ...run, stdout, stderr, files, truncated, limit: run.limit ?? (isLess ? "files" : null) };
}

/** As much of a text as fits into so many bytes of UTF-8. */
function cut(text: string, bytes: number): string {
  const most = Math.min(bytes, text.length * 3);
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read);
}

function firstFiles(files: readonly RunOutputFile[], limits: RunLimits): readonly RunOutputFile[] {
  let bytes = 0;
  const end = files.findIndex(({ size }, i) => {
    bytes += size;
    return i >= limits.files || bytes > limits.file_bytes;
  });
  return end < 0 ? files : files.slice(0, end);
}
