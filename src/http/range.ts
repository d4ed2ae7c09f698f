/** Owns byte ranges (RFC 9110 §14): one range of a file, or the whole of it. Never makes a response. */

/** The bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The single range a header asks for; null for none, several, or what is no byte range: these get the whole file. */
export function parseRange(header: string | null, size: number): ByteRange | "beyond" | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) {
    return null;
  }
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size);
  if (first !== "" && last !== "" && Number(last) < Number(first)) {
    return null;
  }
  return start < size ? { start, end } : "beyond";
}
