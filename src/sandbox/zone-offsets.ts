/** Owns how far a time zone is from UTC, as the platform knows it. Never names a zone. */

/** How many seconds a zone is ahead of UTC, by seconds since 1970. Throws `RangeError` for a zone that is not known. */
export function zoneOffsets(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
      format.format(at * 1000).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - at;
  };
}
