/** Owns strftime's conversions; never reading dates. */
import { zoneOffsets } from "../../zone-offsets.ts";
import { paddedTo } from "./text.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** A moment's parts in a zone. */
export interface ZonedTime {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 1 to 366 */
  readonly yearDay: number;
  /** Minutes east of Greenwich. */
  readonly offset: number;
  readonly zone: string;
}

const DAY_MS = 86_400_000;

/** Minutes that a zone is ahead of UTC at a moment; 0 for a zone that is not known. */
export function zoneOffset(ms: number, zone: string): number {
  if (zone === "UTC") {
    return 0;
  }
  try {
    return Math.round(zoneOffsets(zone)(Math.floor(ms / 1000)) / 60);
  } catch {
    return 0;
  }
}

function zoneName(ms: number, zone: string): string {
  if (zone === "UTC") {
    return "UTC";
  }
  try {
    const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "short" }).formatToParts(ms);
    return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
  } catch {
    return "UTC";
  }
}

export function zonedTime(ms: number, zone: string): ZonedTime {
  const offset = zoneOffset(ms, zone);
  const local = new Date(ms + offset * 60_000);
  const year = local.getUTCFullYear();
  return {
    year,
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    weekday: local.getUTCDay(),
    yearDay: Math.floor((Date.UTC(year, local.getUTCMonth(), local.getUTCDate()) - Date.UTC(year, 0, 1)) / DAY_MS) + 1,
    offset,
    zone: zoneName(ms, zone),
  };
}

/** @param ms milliseconds since 1970 @param zone an IANA zone */
export function formatTime(format: string, ms: number, zone: string): string {
  const time = zonedTime(ms, zone);
  return format.replace(
    /%([-_0^#]?)(\d*)(:{0,2})([a-zA-Z%+])/g,
    (whole, flag: string, width: string, colons, letter) => {
      const found = convert(letter, time, ms, zone, colons, width);
      if (found === null) {
        return whole;
      }
      const [text, fill, size] = found;
      if (flag === "-" && fill !== "") {
        return text;
      }
      const padded = text.padStart(
        paddedTo(Number(width)) || size,
        flag === "_" ? " " : flag === "0" ? "0" : fill || " ",
      );
      return flag === "^" ? padded.toUpperCase() : padded;
    },
  );
}

type Shown = readonly [text: string, fill: string, size: number];

function convert(
  letter: string,
  time: ZonedTime,
  ms: number,
  zone: string,
  colons: string,
  width: string,
): Shown | null {
  const number = (value: number, size = 2, fill = "0"): Shown => [String(value), fill, size];
  const text = (value: string): Shown => [value, "", 0];
  const nested = (format: string) => text(formatTime(format, ms, zone));
  const hour12 = time.hour % 12 || 12;
  switch (letter) {
    case "Y":
      return number(time.year, 1);
    case "C":
      return number(Math.floor(time.year / 100));
    case "y":
      return number(time.year % 100);
    case "m":
      return number(time.month);
    case "d":
      return number(time.day);
    case "e":
      return number(time.day, 2, " ");
    case "H":
      return number(time.hour);
    case "k":
      return number(time.hour, 2, " ");
    case "I":
      return number(hour12);
    case "l":
      return number(hour12, 2, " ");
    case "M":
      return number(time.minute);
    case "S":
      return number(time.second);
    case "j":
      return number(time.yearDay, 3);
    case "u":
      return number(time.weekday || 7, 1);
    case "w":
      return number(time.weekday, 1);
    case "U":
      return number(Math.floor((time.yearDay + 6 - time.weekday) / 7));
    case "W":
      return number(Math.floor((time.yearDay + 6 - ((time.weekday + 6) % 7)) / 7));
    case "V":
      return number(isoWeek(time).week);
    case "G":
      return number(isoWeek(time).year, 1);
    case "g":
      return number(isoWeek(time).year % 100);
    case "s":
      return number(Math.floor(ms / 1000), 1);
    case "N":
      return text(
        String(Math.floor((ms % 1000) * 1e6))
          .padStart(9, "0")
          .slice(0, Number(width) || 9),
      );
    case "a":
      return text((DAYS[time.weekday] ?? "").slice(0, 3));
    case "A":
      return text(DAYS[time.weekday] ?? "");
    case "b":
    case "h":
      return text((MONTHS[time.month - 1] ?? "").slice(0, 3));
    case "B":
      return text(MONTHS[time.month - 1] ?? "");
    case "p":
      return text(time.hour < 12 ? "AM" : "PM");
    case "P":
      return text(time.hour < 12 ? "am" : "pm");
    case "Z":
      return text(time.zone);
    case "z":
      return text(offsetText(time.offset, colons === "" ? "" : ":"));
    case "D":
    case "x":
      return nested("%m/%d/%y");
    case "F":
      return nested("%Y-%m-%d");
    case "T":
    case "X":
      return nested("%H:%M:%S");
    case "R":
      return nested("%H:%M");
    case "r":
      return nested("%I:%M:%S %p");
    case "c":
      return nested("%a %b %e %H:%M:%S %Y");
    case "n":
      return text("\n");
    case "t":
      return text("\t");
    case "%":
      return text("%");
    default:
      return null;
  }
}

export function offsetText(offset: number, colon: "" | ":"): string {
  const size = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`;
}

function isoWeek({ year, yearDay, weekday }: ZonedTime): { readonly year: number; readonly week: number } {
  const week = Math.floor((yearDay - (weekday || 7) + 10) / 7);
  if (week < 1) {
    return { year: year - 1, week: weeksIn(year - 1) };
  }
  return week > weeksIn(year) ? { year: year + 1, week: 1 } : { year, week };
}

function weeksIn(year: number): number {
  const first = new Date(Date.UTC(year, 0, 1)).getUTCDay();
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
  return first === 4 || (isLeap && first === 3) ? 53 : 52;
}
