/** Owns an example: a source of one's own behind a provider. Run it with the address of a catalogue: `node examples/custom-source.ts URL`. */
import { AgentSkillsProviderBuilder, ANY_CALLER } from "edge-skills";
import { AgentInlineSkill } from "edge-skills/skills";
import { CloudSkillsSource } from "./cloud-source.ts";

const local = new AgentInlineSkill({
  name: "greeting",
  description: "Greets people by name.",
  instructions: "Run `greet` with the person's name.",
}).addScript("greet", ({ name }) => `Hello, ${name}!`);

// Step 5: the source in a builder, among others.
const provider = new AgentSkillsProviderBuilder()
  .useSource(new CloudSkillsSource(process.argv[2] ?? ""))
  .useInlineSkills(local)
  .useCachingOptions({ refreshIntervalMs: 60_000 })
  .build();

const { tools } = await provider.getContext(ANY_CALLER);
console.log("tools:", tools.map(({ name }) => name).join(", "));

const { skills } = await provider.getCatalogue(ANY_CALLER);
for (const skill of skills) {
  console.log(`${skill.name}: ${skill.description}`);
}

const calls = [
  ["load_skill", { skill_name: "unit-converter" }],
  ["read_skill_resource", { skill_name: "unit-converter", resource_name: "conversion-table" }],
  [
    "run_skill_script",
    { skill_name: "unit-converter", script_name: "convert", arguments: { value: 26.2, factor: 1.609 } },
  ],
  ["run_skill_script", { skill_name: "greeting", script_name: "greet", arguments: { name: "Ada" } }],
] as const;
for (const [tool, args] of calls) {
  const { content } = await provider.callTool(tool, args, ANY_CALLER);
  console.log(`\n${tool} ${JSON.stringify(args)}\n${content.trimEnd()}`);
}
await provider.dispose();
