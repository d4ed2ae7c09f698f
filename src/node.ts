/** Owns the public entry "edge-skills/node": skills on a disk, the builder that has them, and a function that runs scripts. Needs Node. */
export { AgentSkillsProviderBuilder } from "./node/builder.ts";
export { AgentFileSkillsSource, type FileSkillReport, type FileSourceOptions } from "./node/file-source.ts";
export { type FunctionServer, type FunctionServerOptions, startFunctionServer } from "./node/function-server.ts";
export type { FileQuestion, FileSelection } from "./node/select-files.ts";
