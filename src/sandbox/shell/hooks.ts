/** Owns what the patched just-bash calls at its joints (scripts/sandbox-patches.ts): other interpreters, turns, text; never commands. */
import { bytesOf, decodeText, encodeText, latin1 } from "./tools/text.ts";

export { sandboxAttributes, sandboxPlain } from "./attributes.ts";
export { sandboxAnew, sandboxCalled } from "./called-files.ts";
export { sandboxCaller } from "./calls.ts";
export { sandboxCaptured } from "./captured.ts";
export { sandboxJudged, sandboxRefused } from "./errexit.ts";
export { sandboxBraces, sandboxMany, sandboxParameters, sandboxUnquoted } from "./expansions.ts";
export { sandboxDefined, sandboxExport, sandboxFunctions } from "./functions.ts";
export { sandboxGlobstar } from "./globstar.ts";
export { sandboxCompute, sandboxConstant, sandboxInteger, sandboxSign } from "./integers.ts";
export { sandboxBackground, sandboxJobs, sandboxKill, sandboxWait } from "./jobs.ts";
export { sandboxFormatDate, sandboxParseDate } from "./jq-dates.ts";
export { sandboxLists } from "./lists.ts";
export {
  sandboxApart,
  sandboxJoined,
  sandboxRerouted,
  sandboxRouted,
  sandboxTogether,
  sandboxTraced,
} from "./merged.ts";
export { sandboxFault, sandboxPlace, sandboxTooLarge } from "./messages.ts";
export { sandboxNested } from "./nested.ts";
export { sandboxArithmetic } from "./parentheses.ts";
export { sandboxCut, sandboxNumber, sandboxPadded, sandboxUnsigned } from "./printed.ts";
export { sandboxMatched, sandboxReplacement } from "./replacements.ts";
export { sandboxReturn } from "./return-trap.ts";
export { sandboxExported, sandboxSurroundings } from "./surroundings.ts";
export { sandboxCapture, sandboxError, sandboxScript, sandboxSubshell, sandboxTested, sandboxTrap } from "./traps.ts";

const INTERPRETERS = /^#![^\n]*?\b(python|node|deno|bun)[0-9.]*\b/;

/** The text to run for a file that was called by its path: itself, or a call of the interpreter its first line names. */
export function sandboxProgram(text: string): string {
  const found = INTERPRETERS.exec(text)?.[1];
  if (found !== undefined) {
    return `${found === "python" ? "python3" : "node"} "$0" "$@"`;
  }
  // The line stays, as an empty one, so that line numbers hold.
  return text.startsWith("#!") ? text.replace(/^[^\n]*/, "") : text;
}

/** Words of `mapfile` with values that stand right behind their options split off. */
export function sandboxWords(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, flag = "", option, value] = /^-(t?)([dnsOuCc])([\s\S]+)$/.exec(word) ?? [];
    return option === undefined ? [word] : [...(flag === "" ? [] : ["-t"]), `-${option}`, value ?? ""];
  });
}

/** What a command reads as `/dev/stdin`, as text. */
export function sandboxInput(stdin: string): string {
  return new TextDecoder().decode(bytesOf(stdin));
}

/** Text of bytes; what is no UTF-8 is written back as it was. */
export function sandboxDecode(bytes: Iterable<number> | string): string {
  return decodeText(typeof bytes === "string" ? bytesOf(bytes) : Uint8Array.from(bytes));
}

/** Whether the byte at a place, a character of a text, belongs to the letter before. */
export function sandboxGoesOn(bytes: string, at: number): boolean {
  const byte = bytes.charCodeAt(at);
  const before = bytes.charCodeAt(at - 1);
  return byte >= 0x80 && byte < 0xc0 && before >= 0x80 && before <= 0xff;
}

/** The bytes of such a text, a character for each. */
export function sandboxEncode(text: string): string {
  return latin1(encodeText(text));
}

const TURN_MS = 20;
/** Statements after which a turn ends where the clock stands still. */
const MOST = 20_000;

let turnBegan = 0;
let statements = 0;

/** Ends the turn now and then, so that timers and other runs get theirs while a script computes. */
export function sandboxTurn(): Promise<void> | undefined {
  statements++;
  // One statement can take long: the clock is looked at with each.
  if (Date.now() - turnBegan < TURN_MS && statements < MOST) {
    return undefined;
  }
  return new Promise((resolve) => {
    setTimeout(() => {
      turnBegan = Date.now();
      statements = 0;
      resolve();
    }, 0);
  });
}
