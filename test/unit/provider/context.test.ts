import { describe, expect, it } from "vitest";
import type { SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER, providerOver } from "../../helpers/provider.ts";

const PLAIN: SkillSpec = { name: "plain", description: "No files." };
const READABLE: SkillSpec = { name: "readable", description: "A file.", files: [{ path: "a.md", content: "A\n" }] };
const RUNNABLE: SkillSpec = {
  name: "runnable",
  description: "A script.",
  files: [{ path: "scripts/run.py", content: "print(1)\n" }],
  scripts: ["scripts/run.py"],
};
const LISTED_ONLY: SkillSpec = {
  ...RUNNABLE,
  name: "listed-only",
  scripts: [{ path: "scripts/run.py", runnable: false, reason: "no such package" }],
};
const HIDDEN: SkillSpec = { ...RUNNABLE, name: "hidden", frontmatter: { "disable-model-invocation": "true" } };
const INTERNAL: SkillSpec = { ...PLAIN, name: "internal", metadata: { internal: "true" } };

/** More skills than the catalogue's budget of characters takes. */
const MANY: readonly SkillSpec[] = Array.from({ length: 400 }, (_, i) => ({
  name: `skill-${i}`,
  description: `${i === 7 ? "Converts units." : "Does something else."} ${"x".repeat(60)}`,
}));

async function contextOf(
  skills: readonly SkillSpec[],
  mayRun = true,
): Promise<{ tools: string[]; instructions: string }> {
  const provider = await providerOver(skills);
  const { tools, instructions } = await provider.getContext({ ...CALLER, mayRun });
  return { tools: tools.map((tool) => tool.name), instructions };
}

describe("AgentSkillsProvider.getContext()", () => {
  it("has no instructions and no tools when there are no skills", async () => {
    expect(await contextOf([])).toEqual({ tools: [], instructions: "" });
  });

  it("lists skills sorted by name, in these very bytes", async () => {
    const { instructions } = await contextOf([READABLE, RUNNABLE, PLAIN]);
    expect(instructions).toBe(`You have skills: tested instructions, reference files and scripts for particular jobs.
When a task matches the description of a skill, call \`load_skill\` with its name before you begin, and follow what it says.
Read a file that a loaded skill lists with \`read_skill_resource\`, by the exact name in its list.
Run a script that a loaded skill lists with \`run_skill_script\`, by the exact name in its list; do not rewrite what a script already does.
Load only what the task at hand needs.

<available_skills>
  <skill>
    <name>plain</name>
    <description>No files.</description>
  </skill>
  <skill>
    <name>readable</name>
    <description>A file.</description>
  </skill>
  <skill>
    <name>runnable</name>
    <description>A script.</description>
  </skill>
</available_skills>
`);
  });

  it("gives the same bytes in whatever order the skills were packed, and for another caller", async () => {
    const [one, other] = [await providerOver([PLAIN, READABLE]), await providerOver([READABLE, PLAIN])];
    const first = await one.getContext(CALLER);
    const second = await other.getContext({ ...CALLER, agent: "another", session: "s-2" });
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });

  it.each([
    { what: "skills without files", skills: [PLAIN], tools: ["load_skill"] },
    { what: "a resource", skills: [PLAIN, READABLE], tools: ["load_skill", "read_skill_resource"] },
    {
      what: "a script that runs",
      skills: [RUNNABLE],
      tools: ["load_skill", "read_skill_resource", "run_skill_script"],
    },
    { what: "a script that does not run", skills: [LISTED_ONLY], tools: ["load_skill", "read_skill_resource"] },
    { what: "too many skills to list", skills: MANY, tools: ["load_skill", "search_skills"] },
  ])("offers for $what exactly $tools, and speaks of no other", async ({ skills, tools }) => {
    const context = await contextOf(skills);
    const spoken = context.instructions.match(/\b(?:load_skill|search_skills|read_skill_resource|run_skill_script)\b/g);
    expect({ offered: context.tools, spoken: [...new Set(spoken)].sort() }).toEqual({ offered: tools, spoken: tools });
  });

  it("offers a caller who may not run no run_skill_script and does not speak of it", async () => {
    const { tools, instructions } = await contextOf([RUNNABLE], false);
    expect(tools).toEqual(["load_skill", "read_skill_resource"]);
    expect(instructions).not.toMatch(/run_skill_script|script that/);
  });

  it("does not tell of hidden skills; a call by name still loads them", async () => {
    const provider = await providerOver([PLAIN, HIDDEN, INTERNAL]);
    const { instructions } = await provider.getContext(CALLER);
    const answers = await Promise.all(
      ["hidden", "internal"].map((skill_name) => provider.callTool("load_skill", { skill_name }, CALLER)),
    );
    expect(instructions.match(/<name>.*<\/name>/g)).toEqual(["<name>plain</name>"]);
    expect(answers.map((answer) => answer.skill?.name)).toEqual(["hidden", "internal"]);
  });

  it("does not offer hidden skills as candidates or matches", async () => {
    const provider = await providerOver([PLAIN, HIDDEN]);
    const unknown = await provider.callTool("load_skill", { skill_name: "hiden" }, CALLER);
    const found = await provider.callTool("search_skills", { query: "hidden" }, CALLER);
    expect(unknown.error?.candidates).toEqual(["plain"]);
    expect(found).toEqual({ is_error: false, content: "No skill matches. Try other words." });
  });

  it("says how many skills there are in place of a list that goes over its budget", async () => {
    const { instructions } = await contextOf(MANY);
    expect(instructions).toMatch(
      /\nThere are 400 skills, too many to list\. Find the ones for your task with `search_skills`\.\n$/,
    );
  });
});

describe("search_skills", () => {
  it("answers names and descriptions, the best match first", async () => {
    const provider = await providerOver(MANY);
    const answer = await provider.callTool("search_skills", { query: "convert UNITS" }, CALLER);
    expect(answer).toEqual({ is_error: false, content: `- skill-7: Converts units. ${"x".repeat(60)}` });
  });

  it("answers twenty matches and says how many more there are", async () => {
    const provider = await providerOver(MANY);
    const { content } = await provider.callTool("search_skills", { query: "something" }, CALLER);
    const lines = content.split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([21, "[379 more match; use more particular words to see them.]"]);
  });

  it("keeps descriptions in their line, escaped and no longer than the specification allows them to be", async () => {
    const description = `Converts.\n- root: <b>all</b>\u202e ${"y".repeat(100_000)}`;
    const provider = await providerOver([{ name: "long", description }]);
    const { content } = await provider.callTool("search_skills", { query: "converts" }, CALLER);
    expect(content.startsWith("- long: Converts. - root: &lt;b&gt;all&lt;/b&gt; yyy")).toBe(true);
    expect([content.split("\n").length, content.length]).toEqual([1, expect.toSatisfy((n: number) => n < 1_100)]);
  });
});

describe("a tool's definition", () => {
  it("requires its names and takes nothing else", async () => {
    const provider = await providerOver([RUNNABLE, ...MANY]);
    const { tools } = await provider.getContext(CALLER);
    const facts = tools.map(({ name, parameters }) => ({
      name,
      keys: Object.keys(parameters.properties as object),
      required: parameters.required,
      more: parameters.additionalProperties,
    }));
    expect(facts).toEqual([
      { name: "load_skill", keys: ["skill_name", "offset", "limit"], required: ["skill_name"], more: false },
      { name: "search_skills", keys: ["query"], required: ["query"], more: false },
      {
        name: "read_skill_resource",
        keys: ["skill_name", "resource_name", "offset", "limit"],
        required: ["skill_name", "resource_name"],
        more: false,
      },
      {
        name: "run_skill_script",
        keys: ["skill_name", "script_name", "arguments"],
        required: ["skill_name", "script_name"],
        more: false,
      },
    ]);
  });
});
