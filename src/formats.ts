/** Owns the public entry "edge-skills/formats": tools, calls and results in the forms of model providers, and as plain functions. Needs no provider's package. */
export { answerCall, type DispatchOptions, dispatchToolCalls, isSkillCall } from "./provider/dispatch.ts";
export {
  callIn,
  isToolFormat,
  resultIn,
  TOOL_FORMATS,
  type ToolCall,
  type ToolFormat,
  toolsIn,
} from "./provider/formats.ts";
export { type PlainTool, plainTools } from "./provider/plain-tools.ts";
