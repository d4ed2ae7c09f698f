/** Owns forms of options that just-bash's commands do not read (`-n1`, `-sd+`): rewritten to the forms they do. Never a command's work. */
import { type CustomCommand, defineCommand } from "just-bash/browser";

/** Options that take a value, by command; a value written right behind them is split off. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  paste: "d",
  tail: "nc",
};

/** Flags that may stand before such an option in one word. */
const FLAGS: Readonly<Record<string, string>> = {
  paste: "s",
  tail: "qf",
};

/** Letters that are written otherwise, or that change nothing here. */
const REWRITTEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cp: { a: "rp", d: "", f: "", u: "", R: "r", L: "", P: "", T: "" },
  tail: { f: "", F: "" },
  tr: {},
};

/** Words that change nothing here. */
const IGNORED = /^--(?:colou?r(?:=.*)?|line-buffered|text|archive|update|force|preserve(?:=.*)?|parallel=.*)$/;

/** The commands with their words rewritten. */
export function optionForms(): CustomCommand[] {
  return [...new Set([...Object.keys(WITH_VALUE), ...Object.keys(REWRITTEN)])].map((name) =>
    defineCommand(name, async (args, context) => {
      const result = await context.origCommand?.(splitOptions(name, rewrite(name, args)));
      return result ?? { stdout: "", stderr: `${name}: not found\n`, exitCode: 127 };
    }),
  );
}

/** The words with letters and names that the command does not read in the form it does. */
export function rewrite(name: string, args: readonly string[]): string[] {
  if (name === "tr") {
    // Letters by their number: `\0`, `\011`.
    return args.map((word) =>
      word.replace(/\\(\\|[0-7]{1,3})/g, (whole, digits: string) =>
        digits === "\\" ? whole : String.fromCharCode(Number.parseInt(digits, 8)),
      ),
    );
  }
  const letters = REWRITTEN[name] ?? {};
  const end = args.indexOf("--");
  return args.flatMap((word, i): string[] => {
    if (end >= 0 && i >= end) {
      return [word];
    }
    if (IGNORED.test(word)) {
      return word === "--archive" ? ["-rp"] : [];
    }
    if (!/^-[a-zA-Z]+$/.test(word)) {
      return [word];
    }
    const rest = [...word.slice(1)].map((letter) => letters[letter] ?? letter).join("");
    return rest === "" ? [] : [`-${rest}`];
  });
}

/** `-sd+` as `-s`, `-d`, `+`.  */
export function splitOptions(name: string, args: readonly string[]): string[] {
  const values = WITH_VALUE[name] ?? "";
  const flags = FLAGS[name] ?? "";
  const form = new RegExp(`^-([${flags}]*)([${values}])([^]*)$`);
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const match = form.exec(word);
    if (match === null) {
      out.push(word);
      continue;
    }
    const [, before = "", option = "", value = ""] = match;
    out.push(...[...before].map((flag) => `-${flag}`), `-${option}`);
    if (value !== "") {
      out.push(value);
    } else if (i + 1 < args.length) {
      out.push(args[++i] ?? "");
    }
  }
  // just-bash's paste wants to be told that it reads standard input.
  const hasFile = out.some((word, i) => (word === "-" || !word.startsWith("-")) && out[i - 1] !== "-d");
  return name === "paste" && !hasFile ? [...out, "-"] : out;
}
