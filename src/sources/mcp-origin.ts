/** Owns what all skills of one MCP server share, and the name they are served under. */
import type { Client } from "@modelcontextprotocol/client";
import type { SkillsClient } from "@modelcontextprotocol/client/ext/skills";

/** The server that skills come from. */
export interface McpOrigin {
  readonly client: Client;
  readonly skills: SkillsClient;
  /** Stands before each skill's name, since a server must not claim a bare one; null where that is allowed. */
  readonly namespace: string | null;
}

/** A server's skill under its served name; the bare name still finds it where no other skill has it. */
export function servedUnder({ namespace }: McpOrigin, name: string): { name: string; aliases: readonly string[] } {
  return namespace === null ? { name, aliases: [] } : { name: `${namespace}-${name}`, aliases: [name] };
}

/** Media types that are text, for files whose server does not tell. */
export function isTextType(mediaType: string): boolean {
  return /^text\/|[/+](?:json|jsonl|xml|yaml|toml|javascript|sql)$/.test(mediaType);
}
