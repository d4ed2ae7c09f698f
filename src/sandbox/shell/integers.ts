/** Owns the arithmetic of bash: integers of 64 bits that wrap; never variables or how expressions are read. */

/** As numbers while that is exact, and only then. */
export type Integer = number | bigint;

const BITS = 64n;

/** The integer at the beginning of a text; NaN where there is none. */
export function sandboxInteger(text: string): Integer {
  const short = Number.parseInt(text, 10);
  return Number.isSafeInteger(short) || Number.isNaN(short) ? short : exact(/[-+]?\d+/.exec(text)?.[0] ?? "0");
}

/** A constant without its base. */
export function sandboxConstant(digits: string, base: 8 | 10 | 16): Integer {
  const short = Number.parseInt(digits, base);
  const prefix = { 8: "0o", 10: "", 16: "0x" }[base];
  return Number.isSafeInteger(short) || Number.isNaN(short) ? short : exact(prefix + digits.replace(/^0+(?=.)/, ""));
}

function exact(text: string): Integer {
  const negative = text.startsWith("-");
  const size = BigInt(text.replace(/^[-+]/, ""));
  return wrapped(negative ? -size : size);
}

function wrapped(value: bigint): Integer {
  const short = Number(value);
  if (Number.isSafeInteger(short)) {
    return short;
  }
  const kept = BigInt.asIntN(Number(BITS), value);
  const again = Number(kept);
  return Number.isSafeInteger(again) ? again : kept;
}

/**
 * What an operator with two sides gives.
 * @param Fault bash's error for what cannot be computed
 */
export function sandboxCompute(
  left: Integer,
  right: Integer,
  operator: string,
  Fault: new (message: string) => Error,
): Integer {
  const quick =
    compared(left, right, operator) ??
    (typeof left === "number" && typeof right === "number" ? quickly(left, right, operator) : null);
  if (quick !== null) {
    return quick;
  }
  const [a, b] = [BigInt(left), BigInt(right)];
  switch (operator) {
    case "+":
      return wrapped(a + b);
    case "-":
      return wrapped(a - b);
    case "*":
      return wrapped(a * b);
    case "/":
    case "%":
      if (b === 0n) {
        throw new Fault("division by 0");
      }
      return wrapped(operator === "/" ? a / b : a % b);
    case "**":
      if (b < 0n) {
        throw new Fault("exponent less than 0");
      }
      return power(a, b);
    case "<<":
      return wrapped(a << (b & (BITS - 1n)));
    case ">>":
      return wrapped(a >> (b & (BITS - 1n)));
    case "&":
      return wrapped(a & b);
    case "|":
      return wrapped(a | b);
    case "^":
      return wrapped(a ^ b);
    default:
      return right;
  }
}

/** 1 or 0 where an operator compares; null for the rest. A number is never equal to a bigint, which is there for what is no number. */
function compared(a: Integer, b: Integer, operator: string): 0 | 1 | null {
  switch (operator) {
    case "<":
      return a < b ? 1 : 0;
    case "<=":
      return a <= b ? 1 : 0;
    case ">":
      return a > b ? 1 : 0;
    case ">=":
      return a >= b ? 1 : 0;
    case "==":
      return a === b ? 1 : 0;
    case "!=":
      return a !== b ? 1 : 0;
    default:
      return null;
  }
}

/** What needs no more than numbers; null for the rest. */
function quickly(a: number, b: number, operator: string): number | null {
  switch (operator) {
    case "+":
      return safe(a + b);
    case "-":
      return safe(a - b);
    case "*":
      return safe(a * b);
    case "/":
      return b === 0 ? null : safe(Math.trunc(a / b) + 0);
    case "%":
      return b === 0 ? null : (a % b) + 0;
    case ",":
      return b;
    default:
      return null;
  }
}

function safe(value: number): number | null {
  return Number.isSafeInteger(value) ? value : null;
}

function power(base: bigint, exponent: bigint): Integer {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) {
      result = BigInt.asIntN(Number(BITS), result * square);
    }
    square = BigInt.asIntN(Number(BITS), square * square);
  }
  return wrapped(result);
}

/** What an operator with one side gives. */
export function sandboxSign(value: Integer, operator: string): Integer {
  switch (operator) {
    case "-":
      return wrapped(-BigInt(value));
    case "!":
      return value === 0 ? 1 : 0;
    case "~":
      return wrapped(~BigInt(value));
    default:
      return value;
  }
}
