/** Owns `date` and `touch`; never reading or writing of a single date. */
import { FileError } from "../../files/errors.ts";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { readDate } from "./date-words.ts";
import { linesOf } from "./text.ts";
import { formatTime, offsetText, zonedTime } from "./time-format.ts";
import { fail, readOptions, readText, type Surroundings, say } from "./tool.ts";

const NAMES = {
  utc: "u",
  universal: "u",
  date: "d",
  reference: "r",
  "rfc-email": "R",
  "iso-8601": "I",
  "rfc-3339": "3",
  file: "f",
  set: "s",
};

const ISO = {
  "": "%Y-%m-%d",
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H",
  minutes: "%Y-%m-%dT%H:%M",
  seconds: "%Y-%m-%dT%H:%M:%S",
  ns: "%Y-%m-%dT%H:%M:%S,%N",
} as const;

const isoFormat = (name: string): string | undefined => new Map(Object.entries(ISO)).get(name);

/** The times that a clock of JavaScript can show, milliseconds around 1970. */
const MOST_MS = 8.64e15;

export function date(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "ud:r:RI;3:f:s:", NAMES);
  const zone = options.has("u") ? "UTC" : around.env.TZ || "UTC";
  const format = options.rest.find((word) => word.startsWith("+"))?.slice(1);
  if (options.has("s")) {
    return fail("date: cannot set date: Operation not permitted");
  }
  const now = Date.now();
  const file = options.value("f");
  const wanted = file === undefined ? options.values("d").slice(-1) : linesOf(readText(file, around));
  const reference = options.value("r");
  const moments: (number | null)[] =
    reference === undefined
      ? wanted.length === 0
        ? [now]
        : wanted.map((words) => (words.trim() === "" ? startOfDay(now, zone) : readDate(words, now, zone)))
      : [mtimeOf(reference, around)];
  const bad = moments.findIndex((moment) => moment === null || !(Math.abs(moment) <= MOST_MS));
  if (bad >= 0) {
    return fail(`date: invalid date ‘${wanted[bad]}’`);
  }
  return say(moments.map((moment) => `${shown(moment ?? now, format, options, zone)}\n`).join(""));
}

function startOfDay(now: number, zone: string): number {
  const { hour, minute, second } = zonedTime(now, zone);
  return now - ((hour * 60 + minute) * 60 + second) * 1000;
}

function mtimeOf(name: string, { cwd, files }: Surroundings): number {
  const node = files.peek(resolvePath(cwd, name));
  if (node === null) {
    throw new FileError("ENOENT", "stat", name);
  }
  return node.mtime;
}

function shown(
  moment: number,
  format: string | undefined,
  options: ReturnType<typeof readOptions>,
  zone: string,
): string {
  if (format !== undefined) {
    return formatTime(format, moment, zone);
  }
  const iso = options.value("I");
  const third = options.value("3");
  if (iso !== undefined) {
    const offset = iso === "" || iso === "date" ? "" : offsetText(zonedTime(moment, zone).offset, ":");
    return formatTime(isoFormat(iso) ?? ISO.seconds, moment, zone) + offset;
  }
  if (third !== undefined) {
    return formatTime(
      `${(isoFormat(third) ?? "").replace("T", " ").replace(",", ".")}${third === "date" ? "" : "%:z"}`,
      moment,
      zone,
    );
  }
  return formatTime(options.has("R") ? "%a, %d %b %Y %H:%M:%S %z" : "%a %b %e %H:%M:%S %Z %Y", moment, zone);
}

export function touch(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "acmhd:r:t:f", {
    date: "d",
    reference: "r",
    "no-create": "c",
    time: "z",
    "no-dereference": "h",
  });
  const zone = around.env.TZ || "UTC";
  const { cwd, files } = around;
  const given = options.value("d");
  const stamp = options.value("t");
  const reference = options.value("r");
  let moment: number | null = Date.now();
  if (reference !== undefined) {
    moment = mtimeOf(reference, around);
  } else if (stamp !== undefined) {
    const [, century = "", y = "", mo, d, h, mi, s = "00"] =
      /^(\d{2})?(\d{2})?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(stamp) ?? [];
    const year = y === "" ? String(zonedTime(moment, zone).year) : `${century || (Number(y) < 69 ? "20" : "19")}${y}`;
    moment = readDate(`${year}-${mo}-${d} ${h}:${mi}:${s}`, moment, zone);
  } else if (given !== undefined) {
    moment = readDate(given, moment, zone);
  }
  if (moment === null) {
    return fail(`touch: invalid date format ‘${given ?? stamp}’`);
  }
  if (options.rest.length === 0) {
    return fail("touch: missing file operand\nTry 'touch --help' for more information.");
  }
  for (const name of options.rest) {
    const path = resolvePath(cwd, name);
    if (files.peek(path) === null) {
      if (options.has("c")) {
        continue;
      }
      if (files.peek(path.slice(0, path.lastIndexOf("/")) || "/")?.kind !== "dir") {
        return fail(`touch: cannot touch '${name}': No such file or directory`);
      }
      files.writeFile(path, new Uint8Array(0));
    }
    files.setMeta(files.find(path), { mtime: moment });
  }
  return say("");
}
