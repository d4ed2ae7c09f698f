/** Tells which code something fails with, so that a test can name it. */
import { type ErrorCode, SkillsError } from "../../src/model/errors.ts";

/** The error that a call throws or rejects with; fails when it does neither, or with something else. */
export async function failureOf(call: () => unknown): Promise<SkillsError> {
  try {
    await call();
  } catch (error) {
    if (SkillsError.is(error)) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The code of that error. */
export async function codeOf(call: () => unknown): Promise<ErrorCode> {
  return (await failureOf(call)).code;
}
