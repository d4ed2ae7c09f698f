import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/index.ts";
import { readCases } from "../../helpers/cases.ts";
import { CALLER, NotingRunner, providerOver } from "../../helpers/provider.ts";

interface ArgumentsCase {
  readonly id: string;
  readonly input: {
    readonly arguments?: JsonValue;
    readonly arguments_generate?: {
      readonly object?: { readonly key: string; readonly repeat: string; readonly times: number };
      readonly array?: { readonly repeat: string; readonly times: number; readonly count: number };
    };
  };
  readonly expect: {
    readonly argv?: readonly string[];
    readonly error?: string;
    readonly argv_lengths?: readonly number[];
    readonly argv_count?: number;
  };
}

function given({ arguments: args, arguments_generate: generate }: ArgumentsCase["input"]): JsonValue | undefined {
  if (generate?.object) {
    return { [generate.object.key]: generate.object.repeat.repeat(generate.object.times) };
  }
  if (generate?.array) {
    const { repeat, times, count } = generate.array;
    return Array.from({ length: count }, () => repeat.repeat(times));
  }
  return args;
}

const runner = new NotingRunner();
const provider = await providerOver(
  [{ name: "rules", files: [{ path: "scripts/x.py", content: "" }], scripts: ["scripts/x.py"] }],
  { runner },
);

describe("AgentSkillsProvider.callTool() makes a script's words of its arguments", () => {
  it.each(readCases<ArgumentsCase>("arguments"))("$id", async ({ input, expect: expected }) => {
    runner.jobs.length = 0;
    const args = given(input);
    const call = {
      skill_name: "rules",
      script_name: "scripts/x.py",
      ...(args === undefined ? {} : { arguments: args }),
    };

    const { error } = await provider.callTool("run_skill_script", call, CALLER);

    const argv = runner.jobs[0]?.argv;
    expect({
      ...(expected.error === undefined ? {} : { error: error?.code }),
      ...(expected.argv === undefined ? {} : { argv }),
      ...(expected.argv_lengths === undefined ? {} : { argv_lengths: argv?.map((word) => [...word].length) }),
      ...(expected.argv_count === undefined ? {} : { argv_count: argv?.length }),
    }).toEqual(expected);
    expect(runner.jobs.length).toBe(expected.error === undefined ? 1 : 0);
  });
});
