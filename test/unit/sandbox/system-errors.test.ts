import { describe, expect, test } from "vitest";
import { SIGNALS } from "../../../src/sandbox/javascript/runtime/signals.ts";
import {
  errorNumbers,
  getSystemErrorMap,
  getSystemErrorMessage,
  getSystemErrorName,
} from "../../../src/sandbox/javascript/runtime/system-errors.ts";

describe("numbers of the system", () => {
  test("there are as many errors and signals as Node.js knows on Linux", () => {
    const { E2BIG, ENOENT, EDQUOT } = errorNumbers();
    expect([Object.keys(errorNumbers()).length, E2BIG, ENOENT, EDQUOT]).toEqual([79, 7, 2, 122]);
    expect([Object.keys(SIGNALS).length, SIGNALS.SIGTERM, SIGNALS.SIGSYS]).toEqual([33, 15, 31]);
    expect([getSystemErrorMap().size, getSystemErrorMap().get(-13)]).toEqual([85, ["EACCES", "permission denied"]]);
  });

  test("one is named and worded by its number, and one that is none says so", () => {
    expect([getSystemErrorName(-2), getSystemErrorMessage(-17), getSystemErrorName(-9999)]).toEqual([
      "ENOENT",
      "file already exists",
      "Unknown system error -9999",
    ]);
  });
});
