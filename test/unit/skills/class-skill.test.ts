import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { AgentSkillFrontmatter } from "../../../src/model/frontmatter.ts";
import type { AgentSkill } from "../../../src/model/skill.ts";
import { AgentSkillsProvider, ANY_CALLER } from "../../../src/provider/provider.ts";
import { AgentClassSkill } from "../../../src/skills/class-skill.ts";
import { AgentInlineSkillResource } from "../../../src/skills/inline-resource.ts";
import { AgentInlineSkillScript } from "../../../src/skills/inline-script.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { plant } from "../../helpers/directories.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;

class UnitConverterSkill extends AgentClassSkill {
  readonly frontmatter = new AgentSkillFrontmatter("unit-converter", "Converts units.", { metadata: { team: "acme" } });
  readonly instructions = "Run `convert`.";
  override readonly resources = [new AgentInlineSkillResource("table", "kg=2.205lb")];
  override readonly scripts = [new AgentInlineSkillScript("convert", ({ value }) => Number(value) * 2)];
}

const provide = (skill: AgentSkill) => new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]));

async function tried(skill: AgentSkill) {
  const provider = provide(skill);
  const skill_name = skill.name;
  const loaded = await provider.callTool("load_skill", { skill_name }, ANY_CALLER);
  const read = await provider.callTool("read_skill_resource", { skill_name, resource_name: "table" }, ANY_CALLER);
  const ran = await provider.callTool(
    "run_skill_script",
    { skill_name, script_name: "convert", arguments: { value: 21 } },
    ANY_CALLER,
  );
  return [loaded.content.split("\n")[1], read.content, ran.run?.stdout];
}

/** Compiles a module with decorators, which neither Node nor the test tools parse, and imports it. */
async function compiled(source: string): Promise<Record<string, new () => AgentClassSkill>> {
  const head = `
    import { AgentClassSkill, resource, script } from ${JSON.stringify(`${ROOT}src/skills.ts`)};
    import { AgentSkillFrontmatter } from ${JSON.stringify(`${ROOT}src/index.ts`)};
  `;
  const { outputFiles } = await build({
    stdin: { contents: head + source, loader: "ts", resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const directory = plant({ "skill.mjs": outputFiles[0]?.text ?? "" });
  return import(pathToFileURL(`${directory}/skill.mjs`).href);
}

describe("AgentClassSkill", () => {
  it("is loaded, read and run by its properties", async () => {
    const skill = new UnitConverterSkill();
    expect(await tried(skill)).toEqual(["Run `convert`.", "kg=2.205lb", "42"]);
    expect([skill.name, skill.description, skill.metadata, skill.counts]).toEqual([
      "unit-converter",
      "Converts units.",
      { team: "acme" },
      { resources: 1, scripts: 1, runnable: 1 },
    ]);
  });
});

describe("@resource and @script", () => {
  it("make resources and scripts of members, those of the class it extends too", async () => {
    const { Extended } = await compiled(`
      class Converter extends AgentClassSkill {
        frontmatter = new AgentSkillFrontmatter("unit-converter", "Converts units.");
        instructions = "Run \`convert\`.";
        #factor = 2;
        @resource({ description: "Pairs" }) table = "kg=2.205lb";
        @resource() async currentRates({ tenant }) { return { tenant, factor: this.#factor }; }
        @resource({ name: "size" }) get length() { return 7; }
        @script({ description: "Converts" }) convert({ value }) { return value * this.#factor; }
      }
      export class Extended extends Converter {
        @script() convert_back({ value }) { return value / 2; }
      }
    `);
    const skill = new (Extended as new () => AgentClassSkill)();
    expect(await tried(skill)).toEqual(["Run `convert`.", "kg=2.205lb", "42"]);
    const names = async (list: Promise<readonly { name: string; description: string | null }[] | null>) =>
      ((await list) ?? []).map(({ name, description }) => `${name} ${description}`).sort();
    expect(await names(skill.listResources())).toEqual(["current-rates null", "size null", "table Pairs"]);
    expect(await names(skill.listScripts())).toEqual(["convert Converts", "convert-back null"]);
    const args = { skill_name: "unit-converter", resource_name: "current-rates" };
    expect(
      (await provide(skill).callTool("read_skill_resource", args, { ...ANY_CALLER, tenant: "acme" })).content,
    ).toBe('{"tenant":"acme","factor":2}');
  });

  it("refuse one name twice", async () => {
    const { Twice } = await compiled(`
      export class Twice extends AgentClassSkill {
        frontmatter = new AgentSkillFrontmatter("twice", "Twice.");
        instructions = "";
        @script({ name: "same" }) one() {}
        @script({ name: "same" }) two() {}
      }
    `);
    expect(() => new (Twice as new () => AgentClassSkill)()).toThrow('Cannot add "same" twice');
  });
});
