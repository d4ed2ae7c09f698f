/** Owns reading the words of `bash` and `sh`: options, -c, -s, script, positional parameters; never runs anything. */

export interface ShellWords {
  /** The text after `-c`, or null. */
  readonly command: string | null;
  /** The script's path as it was written, or null. */
  readonly file: string | null;
  /** `$0` */
  readonly name: string;
  /** `$1` and so on. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, boolean>>;
}

const LETTERS: Readonly<Record<string, string>> = {
  e: "errexit",
  u: "nounset",
  x: "xtrace",
  v: "verbose",
  f: "noglob",
  C: "noclobber",
  a: "allexport",
  n: "noexec",
  E: "errtrace",
};

/** Reads the words after the shell's name. */
export function parseWords(words: readonly string[]): ShellWords {
  const options: Record<string, boolean> = {};
  let mode: "file" | "command" | "stdin" = "file";
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--" || word === "-") {
      at++;
      break;
    }
    if (/^[-+]o$/.test(word) || /^-[a-zA-Z]*o$/.test(word)) {
      setLetters(word.slice(0, -1), options);
      mode = word.includes("c") ? "command" : mode;
      options[words[++at] ?? ""] = word.startsWith("-");
    } else if (/^[-+][a-zA-Z]+$/.test(word)) {
      setLetters(word, options);
      mode = word.includes("c") ? "command" : word.includes("s") ? "stdin" : mode;
    } else if (!word.startsWith("--")) {
      break;
    }
  }
  const rest = words.slice(at);
  if (mode === "command") {
    return { command: rest[0] ?? "", file: null, name: rest[1] ?? "bash", args: rest.slice(2), options };
  }
  if (mode === "stdin" || rest.length === 0) {
    return { command: null, file: null, name: "bash", args: rest, options };
  }
  return { command: null, file: rest[0] ?? "", name: rest[0] ?? "", args: rest.slice(1), options };
}

function setLetters(word: string, options: Record<string, boolean>): void {
  for (const letter of word.slice(1)) {
    const name = LETTERS[letter];
    if (name !== undefined) {
      options[name] = word.startsWith("-");
    }
  }
}
