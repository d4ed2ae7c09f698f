/** Owns the public entry "edge-skills/mcp": skills of MCP servers. Needs the package @modelcontextprotocol/client. */
import type { SourceFactory } from "./provider/builder.ts";
import { AgentMcpSkillsSource, type McpConnection, type McpSourceOptions } from "./sources/mcp-source.ts";

export { AgentMcpSkillsSource, type McpConnection, type McpSourceOptions };

/**
 * The skills of an MCP server, for a builder.
 *
 * @example
 * new AgentSkillsProviderBuilder().useMcpSkills(mcpSkills(client)).build();
 */
export function mcpSkills(connection: McpConnection, options: McpSourceOptions = {}): SourceFactory {
  return ({ loggerFor }) => new AgentMcpSkillsSource(connection, { logger: loggerFor("mcp"), ...options });
}
