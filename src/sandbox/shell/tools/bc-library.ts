/** Owns the functions of `bc -l`: series on whole numbers; never its language. */
import type { Decimal } from "./bc-number.ts";
import { withScale } from "./bc-number.ts";
import { UsageError } from "./tool.ts";

/** Digits that are computed beyond those asked for. */
const GUARD = 12;
/** Digits that are computed at all. */
const MOST_SCALE = 2_000;

type Series = (x: bigint, one: bigint) => bigint;

const SERIES: ReadonlyMap<string, Series> = new Map([
  ["e", exponential],
  ["l", logarithm],
  ["s", sine],
  ["c", cosine],
  ["a", arctangent],
]);

/** A function at a place, to a scale. */
export function library(name: string, value: Decimal, scale: number): Decimal | null {
  const found = SERIES.get(name);
  if (found === undefined) {
    return null;
  }
  if (scale > MOST_SCALE) {
    throw new UsageError(`a scale of more than ${MOST_SCALE}`);
  }
  const wide = Math.max(scale, 0) + GUARD;
  const { digits } = withScale(value, wide);
  return withScale({ digits: found(digits, 10n ** BigInt(wide)), scale: wide }, scale);
}

const size = (x: bigint) => (x < 0n ? -x : x);

function exponential(x: bigint, one: bigint): bigint {
  if (size(x) > one * 20_000n) {
    throw new UsageError("exponent too large in e(x)");
  }
  let halved = size(x);
  let halvings = 0;
  for (; halved > one / 16n; halvings++) {
    halved /= 2n;
  }
  let sum = one;
  let term = one;
  for (let i = 1n; term !== 0n; i++) {
    term = (term * halved) / one / i;
    sum += term;
  }
  for (; halvings > 0; halvings--) {
    sum = (sum * sum) / one;
  }
  return x < 0n ? (one * one) / sum : sum;
}

function logarithm(x: bigint, one: bigint): bigint {
  if (x <= 0n) {
    // bc gives the smallest number that it has.
    return -one * 10n ** 20n;
  }
  let shifts = 0n;
  let near = x;
  for (; near > one * 2n; shifts++) {
    near /= 2n;
  }
  for (; near < one / 2n; shifts--) {
    near *= 2n;
  }
  return nearOne(near, one) + shifts * nearOne(one * 2n, one);
}

/** 2 artanh((x - 1) / (x + 1)) */
function nearOne(x: bigint, one: bigint): bigint {
  const t = ((x - one) * one) / (x + one);
  const square = (t * t) / one;
  let sum = 0n;
  let power = t;
  for (let i = 1n; power !== 0n; i += 2n) {
    sum += power / i;
    power = (power * square) / one;
  }
  return sum * 2n;
}

function arctangent(x: bigint, one: bigint): bigint {
  let reduced = x;
  let doublings = 0n;
  for (; size(reduced) > one / 4n; doublings++) {
    reduced = (reduced * one) / (one + root(one * one + reduced * reduced));
  }
  const square = (reduced * reduced) / one;
  let sum = 0n;
  let power = reduced;
  for (let i = 1n; power !== 0n; i += 2n) {
    sum += i % 4n === 1n ? power / i : -power / i;
    power = (power * square) / one;
  }
  return sum * 2n ** doublings;
}

function root(x: bigint): bigint {
  let found = 1n << BigInt(Math.ceil(x.toString(2).length / 2));
  for (let next = (found + x / found) >> 1n; next < found; next = (found + x / found) >> 1n) {
    found = next;
  }
  return found;
}

function sine(x: bigint, one: bigint): bigint {
  const turn = arctangent(one, one) * 8n;
  return alternating(x % turn, 1n, x % turn, one);
}

function cosine(x: bigint, one: bigint): bigint {
  const turn = arctangent(one, one) * 8n;
  return alternating(one, 0n, x % turn, one);
}

function alternating(first: bigint, from: bigint, x: bigint, one: bigint): bigint {
  const square = (x * x) / one;
  let sum = 0n;
  let term = first;
  for (let i = from; term !== 0n; i += 2n) {
    sum += term;
    term = -(term * square) / one / ((i + 1n) * (i + 2n));
  }
  return sum;
}
