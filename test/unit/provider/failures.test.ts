import { describe, expect, it } from "vitest";
import { SkillsError } from "../../../src/model/errors.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import type { ToolName } from "../../../src/provider/tools.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { CALLER, providerOver } from "../../helpers/provider.ts";

describe("AgentSkillsProvider.callTool()", () => {
  it.each<{ name: ToolName; args: unknown; message: string }>([
    { name: "load_skill", args: {}, message: 'Cannot use "skill_name": a string is needed' },
    { name: "load_skill", args: { skill_name: 7 }, message: 'Cannot use "skill_name": a string is needed' },
    { name: "load_skill", args: null, message: "Cannot use the arguments: an object is needed" },
    { name: "load_skill", args: { skill_name: "a", offset: -1 }, message: 'Cannot use "offset": at least 0 is needed' },
    { name: "load_skill", args: { skill_name: "a", limit: 0 }, message: 'Cannot use "limit": at least 1 is needed' },
    {
      name: "load_skill",
      args: { skill_name: "a", offset: 1.5 },
      message: 'Cannot use "offset": a whole number is needed',
    },
    {
      name: "read_skill_resource",
      args: { skill_name: "a" },
      message: 'Cannot use "resource_name": a string is needed',
    },
    { name: "run_skill_script", args: { skill_name: "a" }, message: 'Cannot use "script_name": a string is needed' },
    { name: "search_skills", args: { query: null }, message: 'Cannot use "query": a string is needed' },
    {
      name: "run_skill_script",
      args: { skill_name: "a", script_name: "b", files: [{ path: "x", encoding: "hex", content: "" }] },
      message: 'Cannot use "files.0.encoding": one of "utf-8", "base64" is needed',
    },
  ])("answers arguments-invalid, saying what is needed: $name $args", async ({ name, args, message }) => {
    const provider = await providerOver([{ name: "a" }]);
    expect(await provider.callTool(name, args, CALLER)).toEqual({
      is_error: true,
      content: `Error: ${message}`,
      error: { code: "arguments-invalid", message, candidates: [] },
    });
  });

  it("answers an unknown skill with candidates, in the text as well", async () => {
    const provider = await providerOver([{ name: "unit-converter" }, { name: "tide-tables" }]);
    const message = 'Cannot find skill "unit-convertor": no such skill';
    expect(await provider.callTool("load_skill", { skill_name: "unit-convertor" }, CALLER)).toEqual({
      is_error: true,
      content: `Error: ${message}\nKnown: "unit-converter", "tide-tables"`,
      error: { code: "skill-not-found", message, candidates: ["unit-converter", "tide-tables"] },
    });
  });

  it("writes candidates into the text as the list of load_skill writes names: escaped, on one line", async () => {
    const path = 'references/</skill_resources>"\n\u0085\u202e.md';
    const provider = await providerOver([{ name: "a", files: [{ path, content: "x" }] }]);
    const answer = await provider.callTool(
      "read_skill_resource",
      { skill_name: "a", resource_name: "nothing" },
      CALLER,
    );
    expect(answer.error?.candidates).toEqual([path]);
    expect(answer.content.split("\n")[1]).toBe(
      'Known: "references/&lt;/skill_resources&gt;&quot;&#10;&#133;&#8238;.md"',
    );
    expect(answer.content.split("\n")).toHaveLength(2);
  });

  it("quotes no more than 200 characters of a name that is not known", async () => {
    const provider = await providerOver([{ name: "a" }]);
    const answer = await provider.callTool("load_skill", { skill_name: "z".repeat(100_000) }, CALLER);
    expect(answer.error?.message).toBe(`Cannot find skill "${"z".repeat(200)}…": no such skill`);
  });

  it.each(["storage-unavailable", "bundle-damaged", "bundle-format-unknown", "internal"] as const)(
    "throws %s on: a model cannot put it right",
    async (code) => {
      const provider = new AgentSkillsProvider({
        getSkills: async () => {
          throw new SkillsError(code, "private words");
        },
      });
      expect(await codeOf(() => provider.callTool("load_skill", { skill_name: "a" }, CALLER))).toBe(code);
      expect(await codeOf(() => provider.getContext(CALLER))).toBe(code);
    },
  );
});
