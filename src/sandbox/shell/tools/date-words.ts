/** Owns reading dates as people write them for `date -d` and `touch -d`; never writing one. */
import { zonedTime, zoneOffset } from "./time-format.ts";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAYS = "sun mon tue wed thu fri sat".split(" ");
const ZONES: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  z: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
  cet: 60,
  cest: 120,
  bst: 60,
};
const UNITS: Readonly<Record<string, readonly [field: "year" | "month" | "day" | "ms", size: number]>> = {
  year: ["year", 1],
  month: ["month", 1],
  fortnight: ["day", 14],
  week: ["day", 7],
  day: ["day", 1],
  hour: ["ms", 3_600_000],
  min: ["ms", 60_000],
  minute: ["ms", 60_000],
  sec: ["ms", 1000],
  second: ["ms", 1000],
};
const COUNTS: Readonly<Record<string, number>> = {
  last: -1,
  this: 0,
  next: 1,
  a: 1,
  an: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
};

interface Reading {
  date: readonly [year: number, month: number, day: number] | null;
  time: number | null;
  offset: number | null;
  /** Weekday to go to, and how many weeks on. */
  weekday: readonly [day: number, weeks: number] | null;
  readonly moved: { year: number; month: number; day: number; ms: number };
}

/**
 * The moment that words name, in milliseconds since 1970; null when they are no date.
 *
 * @param zone of times that name none
 */
export function readDate(words: string, now: number, zone: string): number | null {
  const text = words.trim();
  const stamp = /^@(-?\d+)(?:\.(\d+))?$/.exec(text);
  if (stamp !== null) {
    return Number(stamp[1]) * 1000 + Math.floor(Number(`0.${stamp[2] ?? 0}`) * 1000);
  }
  const reading: Reading = {
    date: null,
    time: null,
    offset: null,
    weekday: null,
    moved: { year: 0, month: 0, day: 0, ms: 0 },
  };
  let rest = text.replace(/\([^)]*\)/g, " ").toLowerCase();
  for (rest = rest.replace(/^[\s,]+/, ""); rest !== ""; rest = rest.replace(/^[\s,]+/, "")) {
    const length = take(rest, reading, now, zone);
    if (length === 0) {
      return null;
    }
    rest = rest.slice(length);
  }
  return momentOf(reading, now, zone);
}

type Form = readonly [
  form: RegExp,
  read: (match: RegExpExecArray, reading: Reading, now: number, zone: string) => boolean,
];

const hoursOf = (text: string, half: string | undefined) => {
  const hour = Number(text);
  return half === undefined ? hour : (hour % 12) + (half.startsWith("p") ? 12 : 0);
};

function setTime(reading: Reading, hour: number, minute = "0", second = "0"): boolean {
  const seconds = Number(second.replace(",", "."));
  if (hour > 24 || Number(minute) > 59 || seconds > 60) {
    return false;
  }
  reading.time = hour * 3_600_000 + Number(minute) * 60_000 + Math.floor(seconds * 1000);
  return true;
}

function setDate(reading: Reading, year: number, month: number, day: number): boolean {
  reading.date = [year, month, day];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const offsetOf = (sign: string, hours: string, minutes = "0") =>
  (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);

function move(reading: Reading, count: number, unit: string): boolean {
  const [field, size] = UNITS[unit] ?? ["ms", 0];
  reading.moved[field] += count * size;
  return true;
}

const UNIT = "(year|month|fortnight|week|day|hour|minute|min|second|sec)s?\\b";

const FORMS: readonly Form[] = [
  [/^(\d{4})-(\d{1,2})-(\d{1,2})(?=\D|$)t?/, ([, y, m, d], r) => setDate(r, Number(y), Number(m), Number(d))],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})(?=\D|$)/, ([, y, m, d], r) => setDate(r, Number(y), Number(m), Number(d))],
  [
    /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?(?=\D|$)/,
    ([, m, d, y], r, now) => {
      const year =
        y === undefined
          ? new Date(now).getUTCFullYear()
          : Number(y) + (y.length === 2 ? (Number(y) < 69 ? 2000 : 1900) : 0);
      return setDate(r, year, Number(m), Number(d));
    },
  ],
  [/^(\d{4})(\d{2})(\d{2})(?:t(?=\d)|(?=\D|$))/, ([, y, m, d], r) => setDate(r, Number(y), Number(m), Number(d))],
  [
    /^(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([ap])?\.?(?:m\b\.?)?/,
    ([, h = "", m, s, half], r) => setTime(r, hoursOf(h, half), m, s),
  ],
  [/^(\d{1,2})\s*([ap])\.?m\.?(?=\W|$)/, ([, h = "", half], r) => setTime(r, hoursOf(h, half))],
  [
    /^(\d{1,2})[\s-]*([a-z]{3})[a-z]*\.?[\s,-]*(\d{4})?(?=[^\d:]|$)/,
    ([, d, name = "", y], r, now) => {
      const month = MONTHS.indexOf(name) + 1;
      return month > 0 && setDate(r, y === undefined ? new Date(now).getUTCFullYear() : Number(y), month, Number(d));
    },
  ],
  [
    /^([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![\d:])(?:(?:,\s*|\s+)(\d{4})(?!:))?/,
    ([, name = "", d, y], r, now) => {
      const month = MONTHS.indexOf(name) + 1;
      return month > 0 && setDate(r, y === undefined ? new Date(now).getUTCFullYear() : Number(y), month, Number(d));
    },
  ],
  [
    new RegExp(`^([+-]?)\\s*(\\d+)\\s*${UNIT}(\\s+ago\\b)?`),
    ([, sign, count, unit = "", ago], r) =>
      move(r, Number(count) * (sign === "-" ? -1 : 1) * (ago === undefined ? 1 : -1), unit),
  ],
  [
    new RegExp(`^(last|this|next|an?|third|fourth|fifth|sixth)\\s+${UNIT}(\\s+ago\\b)?`),
    ([, word = "", unit = "", ago], r) => move(r, (COUNTS[word] ?? 0) * (ago === undefined ? 1 : -1), unit),
  ],
  [new RegExp(`^${UNIT}(\\s+ago\\b)?`), ([, unit = "", ago], r) => move(r, ago === undefined ? 1 : -1, unit)],
  [/^(?:now|today)\b/, () => true],
  [/^yesterday\b/, (_match, r) => move(r, -1, "day")],
  [/^tomorrow\b/, (_match, r) => move(r, 1, "day")],
  [/^midnight\b/, (_match, r) => setTime(r, 0)],
  [/^noon\b/, (_match, r) => setTime(r, 12)],
  [
    /^(?:(last|this|next)\s+)?(sun|mon|tue|wed|thu|fri|sat)[a-z]*\b\.?/,
    ([, word = "this", day = ""], r) => {
      r.weekday = [DAYS.indexOf(day), COUNTS[word] ?? 0];
      return true;
    },
  ],
  [
    /^(?:(?:utc|gmt)\s*)?([+-])(\d{2}):?(\d{2})?(?=\s|$)/,
    ([, sign = "+", h = "", m], r) => {
      r.offset = offsetOf(sign, h, m);
      return true;
    },
  ],
  [
    /^([a-z]{1,4})\b/,
    ([, name = ""], r) => {
      r.offset = ZONES[name] ?? r.offset;
      return ZONES[name] !== undefined;
    },
  ],
  [/^(\d{4})(?=\s|$)/, ([, y], r) => r.date !== null && setDate(r, Number(y), r.date[1], r.date[2])],
];

/** How many letters the first form that fits has taken; 0 when none fits. */
function take(rest: string, reading: Reading, now: number, zone: string): number {
  for (const [form, read] of FORMS) {
    const match = form.exec(rest);
    if (match !== null && match[0] !== "" && read(match, reading, now, zone)) {
      return match[0].length;
    }
  }
  return 0;
}

function momentOf({ date, time, offset, weekday, moved }: Reading, now: number, zone: string): number {
  const here = offset === null ? zonedTime(now, zone) : zonedTime(now + offset * 60_000, "UTC");
  const [year, month, day] = date ?? [here.year, here.month, here.day];
  const today = here.hour * 3_600_000 + here.minute * 60_000 + here.second * 1000 + (now % 1000);
  const clock = time ?? (date === null && weekday === null ? today : 0);
  let local = Date.UTC(year + moved.year, month - 1 + moved.month, day + moved.day) + clock;
  if (weekday !== null) {
    const [wanted, weeks] = weekday;
    const ahead = (wanted - new Date(local).getUTCDay() + 7) % 7;
    local += (ahead + (weeks > 0 && ahead === 0 ? 7 : weeks < 0 ? -7 : 0)) * 86_400_000;
  }
  const guess = local - (offset ?? zoneOffset(local, zone)) * 60_000;
  const exact = offset === null ? local - zoneOffset(guess, zone) * 60_000 : guess;
  return exact + moved.ms;
}
