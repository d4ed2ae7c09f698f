/**
 * Owns the source of skills that an MCP server offers: `skills/list` (SEP-2640) with every file checked against its entry, or the older
 * resource `skill://index.json`. A server's skills have the server's name before their own; its scripts are never run here.
 */
import type { Client } from "@modelcontextprotocol/client";
import { type Skill, SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { logged, NO_LOG, type SkillsLogger } from "../model/log.ts";
import { servedName } from "../model/name.ts";
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";
import { archiveCache } from "./archive-files.ts";
import { indexedSkills } from "./mcp-index.ts";
import { indexedMcpSkill } from "./mcp-indexed-skill.ts";
import { listedMcpSkill } from "./mcp-listed-skill.ts";
import type { McpOrigin } from "./mcp-origin.ts";

/** A client that is connected, or what gives one that is: after a reconnect it may give another. */
export type McpConnection = Client | (() => Client | Promise<Client>);

/** How a server's skills are taken. */
export interface McpSourceOptions {
  /** Stands before each skill's name; default: the server's own name. Null: bare names, for a server whose names are trusted. */
  readonly namespace?: string | null;
  readonly logger?: SkillsLogger;
}

/**
 * The skills of an MCP server.
 *
 * @example
 * const client = new Client({ name: "my-agent", version: "1.0.0" });
 * await client.connect(new StreamableHTTPClientTransport(new URL("https://mcp.example.com/mcp")));
 * new AgentMcpSkillsSource(client);
 */
export class AgentMcpSkillsSource extends AgentSkillsSource {
  readonly #connection: McpConnection;
  readonly #options: McpSourceOptions;
  readonly #log: SkillsLogger;
  readonly #cache = archiveCache();
  #kept: { readonly client: Client; readonly text: string; readonly skills: readonly AgentSkill[] } | null = null;

  constructor(connection: McpConnection, options: McpSourceOptions = {}) {
    super();
    this.#connection = connection;
    this.#options = options;
    this.#log = options.logger ?? NO_LOG;
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const client = typeof this.#connection === "function" ? await this.#connection() : this.#connection;
    const origin: McpOrigin = {
      client,
      skills: new SkillsClient(client, { skipInvalid: true }),
      ...this.#names(client),
    };
    const signal = context.signal === null ? {} : { signal: context.signal };
    const listed = origin.skills.supported ? await this.#list(origin, signal) : null;
    const found = listed ?? (await indexedSkills(client, this.#log, signal));
    const text = JSON.stringify(found);
    if (this.#kept?.client !== client || this.#kept.text !== text) {
      const skills = await Promise.all(
        found.map((entry) =>
          "frontmatter" in entry ? listedMcpSkill(entry, origin) : indexedMcpSkill(entry, origin, this.#cache),
        ),
      );
      this.#kept = { client, text, skills: Object.freeze(skills) };
    }
    return this.#kept.skills;
  }

  async #list({ skills }: McpOrigin, options: { readonly signal?: AbortSignal }): Promise<Skill[]> {
    const listing = await skills.list(undefined, options);
    for (const { uri = "", reason } of listing.invalid) {
      this.#log.warn(`A skill of an MCP server is left out: ${reason}`, { uri: logged(uri) });
    }
    return listing.skills;
  }

  #names(client: Client): Pick<McpOrigin, "namespace"> {
    const { namespace = servedName(client.getServerVersion()?.name ?? "mcp") } = this.#options;
    return { namespace: namespace === "" ? null : namespace };
  }
}
