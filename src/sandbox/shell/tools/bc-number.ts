/** Owns bc's numbers: whole digits with a scale, of any size; never its language. */
import { UsageError } from "./tool.ts";

/** `digits / 10 ** scale` */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Digits that a number may have. */
const MOST_DIGITS = 20_000;

export const ZERO: Decimal = { digits: 0n, scale: 0 };
export const ONE: Decimal = { digits: 1n, scale: 0 };

export function decimal(text: string, base = 10): Decimal {
  bounded(text.length);
  const [whole = "", part = ""] = text.split(".");
  if (base === 10 && !/[A-F]/.test(text)) {
    return { digits: BigInt(`${whole}${part}` || "0"), scale: part.length };
  }
  const value = (letter: string) => BigInt(Math.min(Number.parseInt(letter, 36), text.length === 1 ? 35 : base - 1));
  let digits = 0n;
  for (const letter of whole) {
    digits = digits * BigInt(base) + value(letter);
  }
  let numerator = 0n;
  for (const letter of part) {
    numerator = numerator * BigInt(base) + value(letter);
  }
  const scaled = (numerator * 10n ** BigInt(part.length)) / BigInt(base) ** BigInt(part.length);
  return { digits: digits * 10n ** BigInt(part.length) + scaled, scale: part.length };
}

/** The same value with another scale; digits beyond it are cut off. */
export function withScale({ digits, scale }: Decimal, wanted: number): Decimal {
  if (wanted === scale) {
    return { digits, scale };
  }
  bounded(wanted);
  return wanted > scale
    ? { digits: digits * 10n ** BigInt(wanted - scale), scale: wanted }
    : { digits: digits / 10n ** BigInt(scale - wanted), scale: wanted };
}

function bounded(digits: number): void {
  if (digits > MOST_DIGITS) {
    throw new UsageError(`a number of more than ${MOST_DIGITS} digits`);
  }
}

let most = 0n;

/** The same number; throws when it has too many digits. */
function sized(value: Decimal): Decimal {
  most ||= 10n ** BigInt(MOST_DIGITS);
  if (value.digits >= most || value.digits <= -most) {
    bounded(MOST_DIGITS + 1);
  }
  return value;
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return sized({ digits: withScale(a, scale).digits + withScale(b, scale).digits, scale });
}

export const negate = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });

export function multiply(a: Decimal, b: Decimal, scale: number): Decimal {
  const wanted = Math.min(a.scale + b.scale, Math.max(scale, a.scale, b.scale));
  return sized(withScale({ digits: a.digits * b.digits, scale: a.scale + b.scale }, wanted));
}

export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  if (b.digits === 0n) {
    throw new UsageError("divide by zero");
  }
  bounded(scale);
  const raised = a.digits * 10n ** BigInt(Math.max(0, scale + b.scale - a.scale));
  const lowered = raised / 10n ** BigInt(Math.max(0, a.scale - scale - b.scale));
  return sized({ digits: lowered / b.digits, scale });
}

export function remainder(a: Decimal, b: Decimal, scale: number): Decimal {
  const quotient = divide(a, b, scale);
  const wanted = Math.max(scale + b.scale, a.scale);
  return withScale(add(a, negate({ digits: quotient.digits * b.digits, scale: quotient.scale + b.scale })), wanted);
}

export function power(base: Decimal, exponent: Decimal, scale: number): Decimal {
  const times = Number(withScale(exponent, 0).digits);
  const size = Math.abs(times);
  bounded(base.digits.toString().length * size);
  if (times < 0) {
    return divide(ONE, power(base, negate(exponent), base.scale * size), scale);
  }
  const exact = { digits: base.digits ** BigInt(size), scale: base.scale * size };
  return withScale(exact, Math.min(exact.scale, Math.max(scale, base.scale)));
}

export function squareRoot(value: Decimal, scale: number): Decimal {
  if (value.digits < 0n) {
    throw new UsageError("square root of a negative number");
  }
  const wanted = Math.max(scale, value.scale);
  const { digits } = withScale(value, wanted * 2);
  if (digits < 2n) {
    return { digits, scale: wanted };
  }
  let root = 1n << BigInt(Math.ceil(digits.toString(2).length / 2));
  for (let next = (root + digits / root) >> 1n; next < root; next = (root + digits / root) >> 1n) {
    root = next;
  }
  return { digits: root, scale: wanted };
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const { digits } = add(a, negate(b));
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** As bc prints it: `.5`, lines of 70 letters. */
export function show({ digits, scale }: Decimal, base: number): string {
  const size = digits < 0n ? -digits : digits;
  const sign = digits < 0n ? "-" : "";
  let text: string;
  if (base === 10) {
    const all = size.toString().padStart(scale + 1, "0");
    const whole = all.slice(0, all.length - scale).replace(/^0+/, "");
    text = scale === 0 ? whole || "0" : `${whole}.${all.slice(all.length - scale)}`;
    text = /^\.?0*$/.test(text) ? "0" : text;
  } else {
    const one = 10n ** BigInt(scale);
    text = (size / one).toString(base).toUpperCase();
    let places = 0;
    for (let reach = 1n; scale > 0 && reach < one; reach *= BigInt(base)) {
      places++;
    }
    const part = ((size % one) * BigInt(base) ** BigInt(places)) / one;
    const fraction = places === 0 ? "" : part.toString(base).toUpperCase().padStart(places, "0");
    text = fraction === "" ? text : `${text === "0" ? "" : text}.${fraction}`;
  }
  return `${text === "0" ? "" : sign}${text}`.replace(/(.{68})(?=..)/g, "$1\\\n");
}
