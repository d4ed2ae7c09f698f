/** Owns whether a shell script parses, told to who packs it by the parser that will read it; never runs it. Built apart: generated/shell-syntax.js. */
import { parseShell } from "sandbox:just-bash";
import { decodeScript } from "./source.ts";
import { syntaxWords } from "./syntax-words.ts";

/** Why a script does not parse. */
interface ShellFault {
  readonly message: string;
  /** Counted from 1; null where the parser does not know it. */
  readonly line: number | null;
}

/** What the parser throws; other errors are its limits, and left to the run. */
interface ParseError extends Error {
  readonly name: "ParseException" | "LexerError";
  readonly line: number;
  /** Lines count from the beginning of a substitution. */
  readonly sandboxWithin?: true;
}

/** What is wrong with a script; null when it parses. */
export function shellFault(bytes: Uint8Array): ShellFault | null {
  try {
    // What is out of place is left to the run, which is no less wrong for that.
    const stray = parseShell(decodeScript(bytes)).statements.find(({ deferredError }) => deferredError !== undefined);
    return stray?.deferredError === undefined
      ? null
      : { message: syntaxWords(stray.deferredError.message), line: null };
  } catch (error) {
    if (!isParseError(error)) {
      return null;
    }
    const message = syntaxWords(error.message.replace(/^(?:Parse error at \d+:\d+|line \d+): /, ""));
    return error.sandboxWithin === true
      ? { message: `${message}, in a substitution`, line: null }
      : { message, line: error.line > 0 ? error.line : null };
  }
}

function isParseError(error: unknown): error is ParseError {
  return error instanceof Error && (error.name === "ParseException" || error.name === "LexerError");
}
