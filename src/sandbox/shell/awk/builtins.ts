/** Owns awk's functions that only compute: texts, numbers, times; never input, output or arrays. */
import { formatAll } from "../tools/printf.ts";
import { formatTime } from "../tools/time-format.ts";
import { AwkError } from "./lexer.ts";
import { toNumber, toText, type Value } from "./values.ts";

/** A text that would become larger than this is refused. */
const MOST_TEXT = 16 << 20;

/** `sprintf` and `printf`. */
export function sprintf(format: string, values: readonly Value[]): string {
  let at = 0;
  const text = formatAll(format, {
    number: () => toNumber(values[at++]),
    text: () => toText(values[at++]),
    letter: () => {
      const value = values[at++];
      return typeof value === "number"
        ? String.fromCodePoint(Math.trunc(value) & 0xffff)
        : ([...toText(value)][0] ?? "");
    },
  });
  return checked(text);
}

export function checked(text: string): string {
  if (text.length > MOST_TEXT) {
    throw new AwkError("out of memory: a text of more than 16 MiB");
  }
  return text;
}

/** What `&` and `\\&` stand for in a replacement. */
export function replacement(form: string, whole: string): string {
  return form.replace(/\\\\&|\\&|&|\\\\/g, (found) =>
    found === "&" ? whole : found === "\\\\&" ? `\\${whole}` : found === "\\&" ? "&" : "\\",
  );
}

type Pure = (args: readonly Value[]) => Value;

const number = (value: Value) => toNumber(value);
const int = (value: Value) => Math.trunc(toNumber(value));

/** Functions of nothing but their arguments. */
export const PURE: Readonly<Record<string, Pure>> = {
  substr: ([text, from, length]) => {
    const letters = [...toText(text)];
    const start = Math.round(number(from));
    const end = length === undefined ? Number.POSITIVE_INFINITY : start + Math.round(number(length));
    return letters.slice(Math.max(start - 1, 0), Math.max(end - 1, 0)).join("");
  },
  index: ([text, part]) => {
    const at = toText(text).indexOf(toText(part));
    return at < 0 ? 0 : [...toText(text).slice(0, at)].length + 1;
  },
  sin: ([x]) => Math.sin(number(x)),
  cos: ([x]) => Math.cos(number(x)),
  atan2: ([y, x]) => Math.atan2(number(y), number(x)),
  exp: ([x]) => Math.exp(number(x)),
  log: ([x]) => Math.log(number(x)),
  sqrt: ([x]) => Math.sqrt(number(x)),
  int: ([x]) => int(x),
  and: ([a, b]) => int(a) & int(b),
  or: ([a, b]) => int(a) | int(b),
  xor: ([a, b]) => int(a) ^ int(b),
  lshift: ([a, b]) => int(a) * 2 ** int(b),
  rshift: ([a, b]) => Math.floor(int(a) / 2 ** int(b)),
  compl: ([a]) => ~int(a),
  strtonum: ([text]) => (/^\s*0x/i.test(toText(text)) ? Number(toText(text)) : number(text)),
  tolower: ([text]) => toText(text).toLowerCase(),
  toupper: ([text]) => toText(text).toUpperCase(),
  sprintf: ([format, ...values]) => sprintf(toText(format), values),
  fflush: () => 0,
  systime: () => Math.floor(Date.now() / 1000),
  strftime: ([format, at]) =>
    formatTime(
      format === undefined ? "%a %b %e %H:%M:%S %Z %Y" : toText(format),
      at === undefined ? Date.now() : number(at) * 1000,
      "UTC",
    ),
  mktime: ([spec]) => {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = toText(spec).split(/\s+/).map(Number);
    const at = Date.UTC(year, month - 1, day, hour, minute, second);
    return Number.isNaN(at) ? -1 : at / 1000;
  },
};
