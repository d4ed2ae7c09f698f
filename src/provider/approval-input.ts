/** Owns what a person is shown of a call's input beside its arguments. Bounded: the whole of it is bound by its digest. */
import type { ApprovalInput } from "../model/approval-record.ts";
import type { RunInputFile, RunLimits } from "../model/run.ts";

/** Bytes of standard input that are shown. */
const SHOWN_STDIN_BYTES = 4_096;

/** Files that are named. */
const SHOWN_FILES = 100;

/** Characters of a path that are shown. */
const SHOWN_PATH = 300;

/** What is shown of an input. */
export function shownInput(
  stdin: string,
  files: readonly Pick<RunInputFile, "path" | "bytes">[],
  limits: RunLimits,
): ApprovalInput {
  const start = new Uint8Array(SHOWN_STDIN_BYTES);
  const { read } = new TextEncoder().encodeInto(stdin, start);
  return {
    stdin: stdin.slice(0, read),
    stdin_bytes: new TextEncoder().encode(stdin).byteLength,
    files: files.slice(0, SHOWN_FILES).map(({ path, bytes }) => ({ path: shortened(path), size: bytes.byteLength })),
    file_count: files.length,
    limits,
  };
}

function shortened(path: string): string {
  return path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path;
}
