/** Owns awk's values: numbers, texts, and input that may be either; never variables. */
import { formatNumber } from "../tools/printf.ts";

/** A text from outside that counts as a number when it looks like one. */
export class Input {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Undefined: a variable that was never set. */
export type Value = number | string | Input | undefined;

const LOOKS = /^\s*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)\s*$/i;
const LEADS = /^\s*[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/;

export function toNumber(value: Value): number {
  if (typeof value === "number") {
    return value;
  }
  if (value === undefined) {
    return 0;
  }
  const text = typeof value === "string" ? value : value.text;
  const plain = Number(text);
  if (text !== "" && Number.isFinite(plain) && !/[xob]/i.test(text)) {
    return plain;
  }
  return Number(LEADS.exec(text)?.[0] ?? 0);
}

/** @param form CONVFMT or OFMT */
export function toText(value: Value, form = "%.6g"): string {
  if (typeof value === "string") {
    return value;
  }
  if (value === undefined) {
    return "";
  }
  if (typeof value !== "number") {
    return value.text;
  }
  if (Number.isInteger(value) && Math.abs(value) < 1e16) {
    return String(value === 0 ? 0 : value);
  }
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  }
  return formatNumber(form, value);
}

/** What a condition makes of a value. */
export function isTrue(value: Value): boolean {
  if (typeof value === "object") {
    return LOOKS.test(value.text) ? toNumber(value) !== 0 : value.text !== "";
  }
  return typeof value === "number" ? value !== 0 : value !== undefined && value !== "";
}

function isNumeric(value: Value): boolean {
  return typeof value === "number" || value === undefined || (typeof value === "object" && LOOKS.test(value.text));
}

/** Below, above or 0: as numbers when both are, else as texts. */
export function compare(left: Value, right: Value): number {
  if (isNumeric(left) && isNumeric(right)) {
    const a = toNumber(left);
    const b = toNumber(right);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const a = toText(left);
  const b = toText(right);
  return a < b ? -1 : a > b ? 1 : 0;
}
