/** Owns what jq reads and writes as dates with a format; never which formats others know. */
import { formatTime } from "./tools/time-format.ts";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY_MS = 86_400_000;

/** The conversions of strptime(3): what each takes, and what it sets. */
const TAKES: Readonly<Record<string, readonly [pattern: string, field: string]>> = {
  Y: ["\\d{4}", "year"],
  y: ["\\d{2}", "shortYear"],
  m: ["\\d{1,2}", "month"],
  d: [" ?\\d{1,2}", "day"],
  e: [" ?\\d{1,2}", "day"],
  H: ["\\d{1,2}", "hour"],
  M: ["\\d{1,2}", "minute"],
  S: ["\\d{1,2}", "second"],
  j: ["\\d{1,3}", "yearDay"],
  s: ["-?\\d+", "epoch"],
  b: ["[A-Za-z]{3,9}", "monthName"],
  B: ["[A-Za-z]{3,9}", "monthName"],
  h: ["[A-Za-z]{3,9}", "monthName"],
  a: ["[A-Za-z]{3,9}", "weekday"],
  A: ["[A-Za-z]{3,9}", "weekday"],
  z: ["Z|[-+]\\d{2}:?\\d{2}", "zone"],
  Z: ["[A-Za-z]+", "zone"],
};
const SHORT: Readonly<Record<string, string>> = { F: "%Y-%m-%d", T: "%H:%M:%S", R: "%H:%M", D: "%m/%d/%y" };

/** Years of two digits begin with 1969, as POSIX has them. */
const longYear = (short: number) => short + (short < 69 ? 2000 : 1900);

/** A text in a format as jq's broken down time; null where it does not fit. */
export function sandboxParseDate(text: string, format: string): number[] | null {
  const fields: string[] = [];
  const source = format
    .replace(/%([FTRD])/g, (_whole, letter: string) => SHORT[letter] ?? "")
    .replace(/%(.)|[\\^$.|?*+()[\]{}]|\s+/g, (found, letter: string | undefined) => {
      const [pattern, field] = TAKES[letter ?? ""] ?? [];
      if (pattern === undefined || field === undefined) {
        return letter === "%" ? "%" : /^\s/.test(found) ? "\\s+" : `\\${found}`;
      }
      fields.push(field);
      return `(${pattern})`;
    });
  const match = new RegExp(`^${source}$`).exec(text);
  if (match === null) {
    return null;
  }
  const found = new Map(fields.map((field, i) => [field, (match[i + 1] ?? "").trim()]));
  const number = (field: string, other: number) => (found.has(field) ? Number(found.get(field)) : other);
  const named = MONTHS.indexOf((found.get("monthName") ?? "").slice(0, 3).toLowerCase());
  const month = named >= 0 ? named : number("month", 1) - 1;
  const day = found.has("yearDay") ? number("yearDay", 1) : number("day", 1);
  const date = found.has("epoch")
    ? number("epoch", 0) * 1000
    : Date.UTC(
        found.has("shortYear") ? longYear(number("shortYear", 0)) : number("year", 1900),
        found.has("yearDay") ? 0 : month,
        day,
        number("hour", 0),
        number("minute", 0),
        number("second", 0),
      );
  const at = new Date(date);
  const yearDay = Math.floor((date - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS);
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
  return [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), ...time, at.getUTCDay(), yearDay];
}

/** A moment in a format. */
export function sandboxFormatDate(format: string, ms: number): string {
  return formatTime(format, ms, "UTC");
}
