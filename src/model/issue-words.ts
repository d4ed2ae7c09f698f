/** Owns the words for what zod finds: the library's own come with its locales, which stay out of the Worker. */
import type * as z from "zod/mini";

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  object: "an object",
  array: "an array",
};

/** What is needed where a value does not fit, to stand before "is needed": `a string`. */
export function wordsFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? issue.expected;
    case "too_small":
      return `at least ${issue.minimum}`;
    case "too_big":
      return `at most ${issue.maximum}`;
    case "invalid_value":
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    default:
      return "something else";
  }
}
