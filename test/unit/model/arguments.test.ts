import { describe, expect, it } from "vitest";
import { argumentsToWords } from "../../../src/model/arguments.ts";
import { SkillsError } from "../../../src/model/errors.ts";
import type { JsonValue } from "../../../src/model/record.ts";
import { readCases } from "../../helpers/cases.ts";

interface ArgumentsCase {
  readonly id: string;
  readonly input: {
    readonly arguments?: JsonValue;
    readonly arguments_generate?: {
      readonly object?: { key: string; repeat: string; times: number };
      readonly array?: { repeat: string; times: number; count: number };
    };
  };
  readonly expect: {
    readonly argv?: readonly string[];
    readonly error?: string;
    readonly argv_lengths?: readonly number[];
    readonly argv_count?: number;
  };
}

function argumentsOf({ input }: ArgumentsCase): JsonValue | undefined {
  const generate = input.arguments_generate;
  if (generate?.object) {
    return { [generate.object.key]: generate.object.repeat.repeat(generate.object.times) };
  }
  if (generate?.array) {
    const { repeat, times, count } = generate.array;
    return Array.from({ length: count }, () => repeat.repeat(times));
  }
  return input.arguments;
}

function outcome(value: JsonValue | undefined): { argv: string[] } | { error: string } {
  try {
    return { argv: argumentsToWords(value) };
  } catch (error) {
    if (SkillsError.is(error)) {
      return { error: error.code };
    }
    throw error;
  }
}

describe("argumentsToWords()", () => {
  it.each(readCases<ArgumentsCase>("arguments"))("$id", (testCase) => {
    const actual = outcome(argumentsOf(testCase));
    const { argv_lengths, argv_count, ...exact } = testCase.expect;
    const argv = "argv" in actual ? actual.argv : [];
    if (argv_lengths) {
      expect(argv.map((word) => [...word].length)).toEqual(argv_lengths);
    } else if (argv_count !== undefined) {
      expect(argv).toHaveLength(argv_count);
    } else {
      expect(actual).toEqual(exact);
    }
  });

  const LISTS = {
    type: "object",
    properties: { files: { type: "array", "x-flag": "once" }, tag: { type: "array" }, n: "odd" },
  };

  it.each<[JsonValue, string[]]>([
    [{ files: ["a", 1, null, "b"] }, ["--files", "a", "1", "b"]],
    [{ files: ["a"], tag: ["x", "y"] }, ["--files", "a", "--tag", "x", "--tag", "y"]],
    [{ args: ["in"], files: ["a", "b"] }, ["--files", "a", "b", "--", "in"]],
    [{ args: ["in"], files: [] }, ["in"]],
    [{ args: ["in"], files: [null] }, ["in"]],
    [{ args: ["in"], tag: ["x"] }, ["--tag", "x", "in"]],
    [{ files: "a" }, ["--files", "a"]],
    [["in"], ["in"]],
  ])("puts a flag once before its values where the script's parameters say so: %j", (value, words) => {
    expect(argumentsToWords(value, LISTS)).toEqual(words);
  });

  it.each(["object", "text"])("refuses what lies deeper than anybody goes down: as %s", (form) => {
    const text = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(outcome(form === "text" ? text : JSON.parse(text))).toEqual({ error: "arguments-invalid" });
  });

  it.each(["args", "name"])("refuses a list of any length under %j", (key) => {
    expect(outcome({ [key]: Array(300_000).fill("a") })).toEqual({ error: "arguments-invalid" });
  });
});
