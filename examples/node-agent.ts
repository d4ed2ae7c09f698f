/**
 * Owns an example: an agent in Node with skills of this machine's disk, the AI SDK, and a person who is asked before a script runs.
 * Run it with the address of any OpenAI-compatible service: `MODEL_URL=… MODEL=… node examples/node-agent.ts DIRECTORY QUESTION`.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";
import { ANY_CALLER } from "edge-skills";
import { aiSdkTools } from "edge-skills/ai-sdk";
import { AgentSkillsProviderBuilder } from "edge-skills/node";
import { AgentInlineSkill } from "edge-skills/skills";

const [directory = "skills-bundle/platform", question = "How far is a marathon in kilometres?"] = process.argv.slice(2);
const { MODEL_URL = "http://127.0.0.1:11434/v1", MODEL = "llama" } = process.env;

const clock = new AgentInlineSkill({
  name: "clock",
  description: "Tells the time. Use when a task depends on the current date or time.",
  instructions: "Run `now`.",
}).addScript("now", () => new Date().toISOString());

const provider = new AgentSkillsProviderBuilder()
  .useFileSkill(directory)
  .useInlineSkills(clock)
  .useLoggerFactory(() => console)
  .useScriptApproval({
    ask: async (_, { skill, item }) => {
      console.log(`approved: ${skill.name} ${item}`);
      return "approve";
    },
  })
  .useOptions({ onEvent: ({ type, attributes }) => console.log(`${type}: ${attributes["gen_ai.skill.name"]}`) })
  .build();

const { instructions } = await provider.getContext(ANY_CALLER);
const { text } = await generateText({
  model: createOpenAICompatible({ name: "model", baseURL: MODEL_URL })(MODEL),
  system: instructions,
  tools: await aiSdkTools(provider, ANY_CALLER),
  stopWhen: stepCountIs(10),
  prompt: question,
});
console.log(text);
await provider.dispose();
