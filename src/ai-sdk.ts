/** Owns the public entry "edge-skills/ai-sdk": the tools for the AI SDK. Needs the package ai. */
export { aiSdkTools } from "./provider/ai-sdk-tools.ts";
