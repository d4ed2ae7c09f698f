/** Owns what `run_skill_script` shows the model of a run: bounded, and in the order in which it is needed. */
import { counted } from "../model/counted.ts";
import type { RunResult } from "../model/run.ts";
import { sliceText } from "./slice-text.ts";

/** Bytes of each output stream that the model is shown. */
export const OUTPUT_LIMIT_BYTES = 32 * 1024;

const MAX_LISTED_FILES = 50;

/** Makes the text of a run. */
export function runText(run: RunResult): string {
  const parts = [
    outcome(run),
    stream("stdout", run.stdout),
    ...(run.stderr === "" ? [] : [stream("stderr", run.stderr)]),
    ...(run.files.length === 0 ? [] : [files(run)]),
    ...(run.truncated ? ["[Output or files went over a limit and were cut.]"] : []),
  ];
  return parts.join("\n");
}

function outcome({ exit_code, timed_out, limit }: RunResult): string {
  if (exit_code !== null) {
    return `exit code: ${exit_code}`;
  }
  const why = timed_out ? "its time was up" : limit === null ? "it was stopped" : `it reached its ${limit} limit`;
  return `The script did not finish: ${why}.`;
}

function stream(name: string, text: string): string {
  if (text === "") {
    return `${name}: (empty)`;
  }
  const bytes = new TextEncoder().encode(text);
  const part = sliceText(bytes, 0, OUTPUT_LIMIT_BYTES);
  const shown =
    part.nextOffset === null ? text : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(part.bytes);
  const note =
    part.nextOffset === null
      ? ""
      : `\n[Not shown: ${counted(bytes.length - part.nextOffset, "more byte")} of ${name}.]`;
  return `${name}:\n${shown.replace(/\n$/, "")}${note}`;
}

function files(run: RunResult): string {
  const lines = run.files
    .slice(0, MAX_LISTED_FILES)
    .map((file) => `- ${JSON.stringify(file.path)} (${file.media_type}, ${counted(file.size, "byte")})`);
  const more = run.files.length - MAX_LISTED_FILES;
  return ["files written:", ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}
