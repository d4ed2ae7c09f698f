/** Owns the public entry "edge-skills/context": what a host needs to manage an agent's context. Needs nothing of any provider. */
export { type Activation, SkillActivations } from "./provider/activations.ts";
export {
  type Compacted,
  type CompactionMessage,
  type CompactionOptions,
  compactMessages,
} from "./provider/compaction.ts";
export {
  type Chat,
  type ChatTurn,
  runSkillInSubAgent,
  type SubAgentMessage,
  type SubAgentResult,
  type SubAgentTask,
} from "./provider/sub-agent.ts";
