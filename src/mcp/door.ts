/** Owns the door for MCP clients: one POST, one answer, nothing kept between them (2026-07-28 and the revisions before it). Never verifies a token. */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createSkillsServer, type McpScene } from "./server.ts";

/** Answers a request to `/mcp` for a caller who is known. */
export async function answerMcp(request: Request, scene: McpScene): Promise<Response> {
  return createMcpHandler(() => createSkillsServer(scene)).fetch(request);
}
