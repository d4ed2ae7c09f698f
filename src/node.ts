/** Owns the public entry "edge-skills/node": skills on a disk, and the builder that has them. Needs Node. */
export { AgentSkillsProviderBuilder } from "./node/builder.ts";
export { AgentFileSkillsSource, type FileSkillReport, type FileSourceOptions } from "./node/file-source.ts";
export type { FileQuestion, FileSelection } from "./node/select-files.ts";
