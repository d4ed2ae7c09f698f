import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProviderBuilder } from "../../../src/node/builder.ts";
import { AgentFileSkillsSource, type FileSourceOptions } from "../../../src/node/file-source.ts";
import { ANY_CALLER } from "../../../src/provider/provider.ts";
import { manifest, plant, temporaryDirectory } from "../../helpers/directories.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { NotingLogger, namesOf } from "../../helpers/plain-skills.ts";
import { GOOD_RUN, NotingRunner } from "../../helpers/provider.ts";

const TREE = {
  "rules/SKILL.md": manifest("rules"),
  "rules/notes.md": "Notes.\n",
  "rules/data/deep/far.csv": "a,b\n",
  "rules/scripts/go.py": "print(1)\n",
  "rules/scripts/go.sh": "echo 1\n",
  "team/one/SKILL.md": manifest("one"),
};

async function offered(options: FileSourceOptions, tree: Record<string, string> = TREE) {
  const source = new AgentFileSkillsSource(plant(tree), { runner: new NotingRunner(), ...options });
  const rules = (await source.getSkills()).find(({ name }) => name === "rules");
  const names = (list: readonly { readonly name: string }[] | null | undefined) => list?.map(({ name }) => name);
  return { resources: names(await rules?.listResources()), scripts: names(await rules?.listScripts()) };
}

const ALL = ["data/deep/far.csv", "notes.md", "scripts/go.py", "scripts/go.sh"];

describe("AgentFileSkillsSource", () => {
  it("finds skills below a directory, or the one that it is, in path order, and the same array while nothing changed", async () => {
    const directory = plant(TREE);
    const source = new AgentFileSkillsSource([directory]);
    const skills = await source.getSkills();
    expect([namesOf(skills), await source.getSkills()]).toEqual([["rules", "one"], skills]);
    expect(namesOf(await new AgentFileSkillsSource(join(directory, "rules")).getSkills())).toEqual(["rules"]);
  });

  it("sees what has changed on the disk, and keeps what it listed before as it was", async () => {
    const directory = plant(TREE);
    const source = new AgentFileSkillsSource(directory);
    const [before] = await source.getSkills();
    writeFileSync(join(directory, "rules/notes.md"), "Changed.\n");
    const [after] = await source.getSkills();
    const read = async (skill: typeof before) => {
      const [, notes] = (await skill?.listResources()) ?? [];
      return new TextDecoder().decode(await notes?.read());
    };
    expect([await read(before), await read(after), before?.digest === after?.digest]).toEqual([
      "Notes.\n",
      "Changed.\n",
      false,
    ]);
  });

  it.each<{ name: string; options: FileSourceOptions; resources: string[]; scripts: string[] }>([
    { name: "everything by default", options: {}, resources: ALL, scripts: ["scripts/go.py", "scripts/go.sh"] },
    {
      name: "everything for null",
      options: { resourceExtensions: null, scriptExtensions: null },
      resources: ALL,
      scripts: ["scripts/go.py", "scripts/go.sh"],
    },
    {
      name: "resources by extension, whatever its case",
      options: { resourceExtensions: [".MD"], scriptExtensions: [] },
      resources: ["notes.md"],
      scripts: [],
    },
    {
      name: "scripts by extension; what can run can be read",
      options: { resourceExtensions: [], scriptExtensions: [".py"] },
      resources: ["scripts/go.py"],
      scripts: ["scripts/go.py"],
    },
    {
      name: "nothing for empty lists",
      options: { resourceExtensions: [], scriptExtensions: [] },
      resources: [],
      scripts: [],
    },
    {
      name: "what is near enough",
      options: { searchDepth: 2 },
      resources: ["notes.md", "scripts/go.py", "scripts/go.sh"],
      scripts: ["scripts/go.py", "scripts/go.sh"],
    },
    { name: "what lies at the top", options: { searchDepth: 1 }, resources: ["notes.md"], scripts: [] },
    {
      name: "what the host's filters let pass",
      options: {
        resourceFilter: ({ skillName, path }) => `${skillName}/${path}` !== "rules/notes.md",
        scriptFilter: ({ path }) => path.endsWith(".sh"),
      },
      resources: ["data/deep/far.csv", "scripts/go.py", "scripts/go.sh"],
      scripts: ["scripts/go.sh"],
    },
  ])("offers $name", async ({ options, resources, scripts }) => {
    expect(await offered(options)).toEqual({ resources, scripts });
  });

  it.each<FileSourceOptions>([
    { resourceExtensions: ["md"] },
    { scriptExtensions: [".py", "."] },
    { searchDepth: 0 },
    { skillDepth: 0 },
  ])("refuses the options %o", async (options) => {
    expect(await codeOf(() => new AgentFileSkillsSource("x", options))).toBe("usage");
  });

  it("looks for skills as deep as it is told", async () => {
    const directory = plant({ "a/SKILL.md": manifest("a"), "x/y/b/SKILL.md": manifest("b") });
    expect(namesOf(await new AgentFileSkillsSource(directory, { skillDepth: 2 }).getSkills())).toEqual(["a"]);
    expect(namesOf(await new AgentFileSkillsSource(directory).getSkills())).toEqual(["a", "b"]);
  });

  it("takes a SKILL.md inside a skill as part of it", async () => {
    const directory = plant({ ...TREE, "rules/inner/SKILL.md": manifest("inner") });
    expect(namesOf(await new AgentFileSkillsSource(directory).getSkills())).toEqual(["rules", "one"]);
  });

  it("has no skills of directories that are not there or blank, and tells so", async () => {
    const logger = new NotingLogger();
    const source = new AgentFileSkillsSource([join(temporaryDirectory(), "none"), " "], { logger });
    expect([await source.getSkills(), logger.messages.length]).toEqual([[], 1]);
  });

  it("leaves out what is broken, says why, and loads the rest", async () => {
    const logger = new NotingLogger();
    const directory = plant({ ...TREE, "bad/SKILL.md": "no frontmatter\n" });
    const source = new AgentFileSkillsSource(directory, { logger });
    expect(namesOf(await source.getSkills())).toEqual(["rules", "one"]);
    const broken = source.reports.filter(({ ok }) => !ok);
    expect(broken.map(({ name, diagnostics }) => [name, diagnostics.map(({ code }) => code)])).toEqual([
      [null, ["frontmatter-missing"]],
    ]);
    expect(logger.messages).toEqual([`A skill is left out: ${JSON.stringify(join(directory, "bad"))}`]);
  });

  it("follows no link out of its roots", async () => {
    const outside = plant({ "secret.md": "secret" });
    const directory = plant(TREE);
    symlinkSync(join(outside, "secret.md"), join(directory, "rules/link.md"));
    const source = new AgentFileSkillsSource(directory);
    expect(namesOf(await source.getSkills())).toEqual(["one"]);
    expect(source.reports[0]?.diagnostics.map(({ code }) => code)).toContain("symlink-escapes");
  });

  it("loads the others when one directory cannot be read", async () => {
    const directory = plant({ ...TREE, "shut/SKILL.md": manifest("shut") });
    chmodSync(join(directory, "shut"), 0o000);
    const names = namesOf(await new AgentFileSkillsSource(directory).getSkills());
    chmodSync(join(directory, "shut"), 0o755);
    // Whoever may read everything, as in a container, finds it all the same.
    expect(names.filter((name) => name !== "shut")).toEqual(["rules", "one"]);
  });
});

describe("the scripts of a file skill", () => {
  it("are not offered without a runner, and say why", async () => {
    const provider = new AgentSkillsProviderBuilder().useFileSkill(plant(TREE)).build();
    const { tools } = await provider.getContext(ANY_CALLER);
    const { error } = await provider.callTool(
      "run_skill_script",
      { skill_name: "rules", script_name: "go.py" },
      ANY_CALLER,
    );
    expect([tools.map(({ name }) => name), error?.message]).toEqual([
      ["load_skill", "read_skill_resource"],
      'Cannot run "scripts/go.py": no runner is set up here',
    ]);
  });

  it("run on the runner that is set for all, or on their source's own", async () => {
    const [common, own] = [new NotingRunner(), new NotingRunner()];
    const provider = new AgentSkillsProviderBuilder()
      .useFileSkills([plant({ "a/SKILL.md": manifest("a"), "a/scripts/x.py": "" })])
      .useFileSkill(plant({ "b/SKILL.md": manifest("b"), "b/scripts/x.py": "" }), { runner: own })
      .useFileScriptRunner(common)
      .build();
    for (const skill_name of ["a", "b"]) {
      const args = { skill_name, script_name: "scripts/x.py", arguments: ["1"] };
      expect((await provider.callTool("run_skill_script", args, ANY_CALLER)).run).toEqual(GOOD_RUN);
    }
    expect([common.jobs.map(({ skill }) => skill.name), own.jobs.map(({ skill }) => skill.name)]).toEqual([
      ["a"],
      ["b"],
    ]);
    const [job] = own.jobs;
    const [file] = job?.skill.files ?? [];
    expect([(await job?.readFiles(file ? [file.digest] : []))?.length, job?.argv]).toEqual([1, ["1"]]);
    await provider.dispose();
  });

  it("are looked for once by callers that come together", async () => {
    const provider = new AgentSkillsProviderBuilder().useFileSkill(plant(TREE)).build();
    const all = await Promise.all([1, 2, 3].map(() => provider.getCatalogue(NO_CONTEXT)));
    expect(new Set(all).size).toBe(1);
  });
});
