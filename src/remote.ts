/** Owns the public entry "edge-skills/remote": skills of another edge-skills and of well-known sites, and running scripts elsewhere. Needs `fetch` and nothing else. */
export type { FunctionSends } from "./runners/function-request.ts";
export { createHttpFunctionRunner, type HttpFunctionOptions } from "./runners/http-function-runner.ts";
export type { Fetch, FetchOptions } from "./sources/fetch-bytes.ts";
export { RemoteAgentSkillsSource, type RemoteSourceOptions } from "./sources/remote-source.ts";
export { WellKnownAgentSkillsSource, type WellKnownOptions } from "./sources/well-known-source.ts";
