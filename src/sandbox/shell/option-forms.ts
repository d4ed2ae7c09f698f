/** Owns forms of options that just-bash's commands do not read (`-n1`, `-I{}`, `-sd+`): rewritten to the forms they do. Never a command's work. */
import { type CustomCommand, defineCommand } from "just-bash/browser";

/** Options that take a value, by command; a value written right behind them is split off. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  xargs: "nIPLdsE",
  paste: "d",
  head: "nc",
  tail: "nc",
  cut: "dfcb",
  sort: "tk",
};

/** Flags that may stand before such an option in one word. */
const FLAGS: Readonly<Record<string, string>> = {
  xargs: "0rtx",
  paste: "s",
  head: "q",
  tail: "qf",
  cut: "s",
  sort: "bdfghiMnRruVz",
};

/** The commands with their words rewritten. */
export function optionForms(): CustomCommand[] {
  return Object.keys(WITH_VALUE).map((name) =>
    defineCommand(name, async (args, context) => {
      const result = await context.origCommand?.(splitOptions(name, args));
      return result ?? { stdout: "", stderr: `${name}: not found\n`, exitCode: 127 };
    }),
  );
}

/** `-sd+` as `-s`, `-d`, `+`. Only the words before the first that is no option are looked at. */
export function splitOptions(name: string, args: readonly string[]): string[] {
  const values = WITH_VALUE[name] ?? "";
  const flags = FLAGS[name] ?? "";
  const form = new RegExp(`^-([${flags}]*)([${values}])([^]*)$`);
  const out: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const match = form.exec(word);
    if (match === null) {
      const rest = name === "xargs" && !word.startsWith("-") ? args.slice(i) : [word];
      out.push(...rest);
      i += rest.length - 1;
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
