import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sandboxCompute, sandboxConstant, sandboxInteger, sandboxSign } from "../../../src/sandbox/shell/integers.ts";

const int64 = fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n });
const OPERATORS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<": (a, b) => (a < b ? 1n : 0n),
  ">=": (a, b) => (a >= b ? 1n : 0n),
  "==": (a, b) => (a === b ? 1n : 0n),
};

describe("sandboxCompute()", () => {
  test("computes with 64 bits that wrap, whatever the size", () => {
    fc.assert(
      fc.property(int64, int64, fc.constantFrom(...Object.keys(OPERATORS)), (a, b, operator) => {
        fc.pre(b !== 0n || !"/%".includes(operator));
        const exact = BigInt.asIntN(64, OPERATORS[operator]?.(a, b) ?? 0n);
        const computed = sandboxCompute(sandboxInteger(String(a)), sandboxInteger(String(b)), operator, Error);
        expect(String(computed)).toBe(String(exact));
      }),
    );
  });

  test("powers and shifts wrap as bash's do", () => {
    expect(String(sandboxCompute(3, 60, "**", Error))).toBe(String(BigInt.asIntN(64, 3n ** 60n)));
    expect(sandboxCompute(2, 64, "**", Error)).toBe(0);
    expect(String(sandboxCompute(1, 63, "<<", Error))).toBe("-9223372036854775808");
    expect(sandboxCompute(-8, 1, ">>", Error)).toBe(-4);
  });

  test("what cannot be computed is the fault that was given", () => {
    expect(() => sandboxCompute(1, 0, "/", RangeError)).toThrow(new RangeError("division by 0"));
    expect(() => sandboxCompute(2, -1, "**", RangeError)).toThrow("exponent less than 0");
  });
});

test("sandboxConstant() and sandboxSign() keep what is larger than a number is exact", () => {
  expect(sandboxConstant("7fffffffffffffff", 16)).toBe(9223372036854775807n);
  expect(sandboxConstant("ffffffffffffffff", 16)).toBe(-1);
  expect(sandboxConstant("0777", 8)).toBe(511);
  expect(sandboxSign(9223372036854775807n, "-")).toBe(-9223372036854775807n);
  expect(sandboxSign(9223372036854775807n, "!")).toBe(0);
  expect(sandboxSign(5, "~")).toBe(-6);
});
