/** Owns time zones as the files Python reads (`/usr/share/zoneinfo`), made from what the platform knows when one is read; never a zone's rules. */
import type { DirNode } from "../files/inode.ts";
import { plant, sealedFile, sealedLazily } from "../files/sealed.ts";
import { zoneOffsets } from "../zone-offsets.ts";

/** Names that the platform takes but does not list. */
const MORE = [
  "UTC",
  "GMT",
  "Etc/UTC",
  "Etc/GMT",
  "EST",
  "MST",
  "HST",
  "EST5EDT",
  "CST6CDT",
  "MST7MDT",
  "PST8PDT",
  "CET",
  "EET",
  "WET",
  "US/Eastern",
  "US/Central",
  "US/Mountain",
  "US/Pacific",
  "Asia/Calcutta",
  "Asia/Kolkata",
  "Europe/Kiev",
  "Europe/Kyiv",
  "Asia/Saigon",
  "Asia/Ho_Chi_Minh",
];
/** The span in which changes of a zone are looked for, seconds since 1970. */
const FROM = 0;
const UNTIL = Date.UTC(2046, 0) / 1000;
/** No zone changes twice within this time; finding out costs a look for each. */
const STEP = 20 * 86_400;
/** Locales, of which some know a zone's short name. */
const LOCALES = ["en-US", "en-GB", "en-AU", "en-NZ", "en-IN", "en-ZA"];

function plantText(usr: DirNode, name: string, text: string): void {
  const bytes = new TextEncoder().encode(text);
  plant(
    usr,
    `share/zoneinfo/${name}`,
    sealedFile(bytes.length, () => bytes),
  );
}

/** Plants the zones below `/usr`. */
export function plantZones(usr: DirNode): void {
  const names = [...new Set([...Intl.supportedValuesOf("timeZone"), ...MORE])];
  // Debian's pytz reads the version of the data off its source, and the names in use off a table whose places nobody asks for.
  plantText(usr, "tzdata.zi", "# version platform\n");
  plantText(usr, "zone1970.tab", names.map((name) => `XX\t+0000+00000\t${name}\n`).join(""));
  for (const name of names) {
    plant(
      usr,
      `share/zoneinfo/${name}`,
      sealedLazily(() => zoneFile(name)),
    );
  }
}

/** Short names of zones without summer time that no locale knows. */
const NAMES: Readonly<Record<string, string>> = {
  "Asia/Tokyo": "JST",
  "Asia/Seoul": "KST",
  "Asia/Shanghai": "CST",
  "Asia/Taipei": "CST",
  "Asia/Hong_Kong": "HKT",
  "Asia/Jakarta": "WIB",
  "Asia/Karachi": "PKT",
  "Asia/Manila": "PST",
  "Europe/Moscow": "MSK",
  "Africa/Lagos": "WAT",
  "Africa/Nairobi": "EAT",
};

interface Kind {
  readonly offset: number;
  readonly dst: boolean;
  readonly name: string;
}

/** A TZif file, version 2 (RFC 8536), with the zone's changes and no rule for what comes after them. */
export function zoneFile(name: string): Uint8Array {
  const offsetAt = zoneOffsets(name);
  const changes: { at: number; offset: number }[] = [];
  let before = offsetAt(FROM);
  for (let at = FROM; at < UNTIL; at += STEP) {
    const after = offsetAt(at + STEP);
    if (after !== before) {
      changes.push({ at: bisect(at, at + STEP, before, offsetAt), offset: after });
      before = after;
    }
  }
  const standard = (year: number) => Math.min(offsetAt(Date.UTC(year, 0) / 1000), offsetAt(Date.UTC(year, 6) / 1000));
  const kinds: Kind[] = [];
  const kindAt = (at: number, offset: number): number => {
    const dst = offset > standard(new Date(at * 1000).getUTCFullYear());
    const found = kinds.findIndex((kind) => kind.offset === offset && kind.dst === dst);
    return found >= 0 ? found : kinds.push({ offset, dst, name: shortName(name, at, offset) }) - 1;
  };
  kindAt(FROM, offsetAt(FROM));
  const indexes = changes.map(({ at, offset }) => kindAt(at, offset));
  return write(
    changes.map(({ at }) => at),
    indexes,
    kinds,
  );
}

function bisect(low: number, high: number, before: number, offsetAt: (at: number) => number): number {
  let [a, b] = [low, high];
  while (b - a > 1) {
    const middle = Math.floor((a + b) / 2);
    [a, b] = offsetAt(middle) === before ? [middle, b] : [a, middle];
  }
  return b;
}

function shortName(zone: string, at: number, offset: number): string {
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "short" }).formatToParts(at * 1000);
    const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    if (/^[A-Z]{3,5}$/.test(name)) {
      return name;
    }
  }
  const known = NAMES[zone];
  if (known !== undefined) {
    return known;
  }
  const minutes = Math.abs(Math.round(offset / 60));
  const digits =
    String(Math.floor(minutes / 60)).padStart(2, "0") +
    (minutes % 60 === 0 ? "" : String(minutes % 60).padStart(2, "0"));
  return `${offset < 0 ? "-" : "+"}${digits}`;
}

function write(changes: readonly number[], indexes: readonly number[], kinds: readonly Kind[]): Uint8Array {
  const names = [...new Set(kinds.map((kind) => kind.name))];
  const starts = names.map((_name, i) => names.slice(0, i).reduce((sum, name) => sum + name.length + 1, 0));
  const text = `${names.join("\0")}\0`;
  const header = (counts: readonly number[]) => {
    const bytes = new Uint8Array(44);
    bytes.set(new TextEncoder().encode("TZif2"));
    const view = new DataView(bytes.buffer);
    counts.forEach((count, i) => {
      view.setUint32(20 + i * 4, count);
    });
    return bytes;
  };
  const body = new Uint8Array(changes.length * 9 + kinds.length * 6);
  const view = new DataView(body.buffer);
  changes.forEach((at, i) => {
    view.setBigInt64(i * 8, BigInt(at));
    view.setUint8(changes.length * 8 + i, indexes[i] ?? 0);
  });
  kinds.forEach((kind, i) => {
    const at = changes.length * 9 + i * 6;
    view.setInt32(at, kind.offset);
    view.setUint8(at + 4, kind.dst ? 1 : 0);
    view.setUint8(at + 5, starts[names.indexOf(kind.name)] ?? 0);
  });
  const first = [header([0, 0, 0, 0, 1, 1]), new Uint8Array(7)];
  const second = [
    header([0, 0, 0, changes.length, kinds.length, text.length]),
    body,
    new TextEncoder().encode(text),
    new TextEncoder().encode("\n\n"),
  ];
  return new Uint8Array([...first, ...second].flatMap((part) => [...part]));
}
