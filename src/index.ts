/**
 * Owns the public entry "edge-skills": the library for any runtime. Names what is public and nothing else; importing it does nothing. No module
 * of Node, no global of Cloudflare and no YAML is behind it.
 */
export { type Digest, digestOf, isDigest } from "./model/digest.ts";
export { type ErrorCode, SkillsError, type SkillsErrorOptions } from "./model/errors.ts";
export { AgentSkillFrontmatter, type FrontmatterFields } from "./model/frontmatter.ts";
export type { SkillsLogger, SkillsLoggerFactory } from "./model/log.ts";
export type { JsonObject, JsonValue, SkillFile, SkillRecord, SkillScript } from "./model/record.ts";
export {
  DEFAULT_RUN_LIMITS,
  type RunInputFile,
  type RunLimitName,
  type RunLimits,
  type RunOutputFile,
  type RunResult,
  type Runtime,
} from "./model/run.ts";
export { runResultOf, type Serialize, serializeAsJson } from "./model/run-value.ts";
export type { ScriptJob, ScriptRunner } from "./model/runner.ts";
export { type ServiceKey, type ServiceProvider, Services, serviceKey } from "./model/services.ts";
export {
  AgentSkill,
  type AgentSkillContent,
  type AgentSkillCounts,
  type AgentSkillFacts,
  AgentSkillResource,
  type AgentSkillResourceFacts,
  AgentSkillScript,
  type AgentSkillScriptFacts,
  AgentSkillsSource,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
  type ScriptCall,
} from "./model/skill.ts";
export type { ResourceFacts, ToolAnswer } from "./provider/answers.ts";
export type { ApprovalOptions } from "./provider/approval-gate.ts";
export {
  type ApprovalMode,
  type ApprovalPolicy,
  type ApprovalQuestion,
  type ApprovalRule,
  allToolsRule,
  readOnlyRule,
  type SkillApproval,
} from "./provider/approval-policy.ts";
export type {
  Approval,
  ApprovalDecision,
  ApprovalDraft,
  ApprovalStatus,
  ApprovalStore,
} from "./provider/approval-store.ts";
export { AgentSkillsProviderBuilder, type SourceFactory, type SourceParts } from "./provider/builder.ts";
export type { Catalogue } from "./provider/catalogue.ts";
export type { OnSkillEvent, SkillEvent, SkillEventType } from "./provider/events.ts";
export type { AnswerCache } from "./provider/load-skill.ts";
export { type MemoryApprovalOptions, MemoryApprovalStore } from "./provider/memory-approval-store.ts";
export {
  type AgentContext,
  AgentSkillsProvider,
  ANY_CALLER,
  type ProviderOptions,
  type ToolCaller,
} from "./provider/provider.ts";
export type { MarshalerFor } from "./provider/run-script.ts";
export type { ToolDefinition, ToolName } from "./provider/tools.ts";
export { createRoutingRunner, type RunnerRoutes } from "./runners/routing-runner.ts";
export { AggregatingAgentSkillsSource, type AggregatingOptions } from "./sources/aggregating-source.ts";
export { ByteCache } from "./sources/byte-cache.ts";
export { CachingAgentSkillsSource, type CachingOptions } from "./sources/caching-source.ts";
export { DeduplicatingAgentSkillsSource, type DeduplicatingOptions } from "./sources/deduplicating-source.ts";
export { DelegatingAgentSkillsSource } from "./sources/delegating-source.ts";
export { FilteringAgentSkillsSource, type SkillFilter } from "./sources/filtering-source.ts";
export { AgentInMemorySkillsSource } from "./sources/in-memory-source.ts";
export type { IsolationKey } from "./sources/isolation.ts";
