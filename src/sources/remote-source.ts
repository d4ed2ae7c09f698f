/** Owns the source of skills that another edge-skills serves over HTTP. Keeps what it listed for as long as the other side says nothing changed. */
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";
import { BoundedMap } from "./bounded-map.ts";
import { type FetchOptions, jsonOfAnswer, send } from "./fetch-bytes.ts";
import { type ListedSkill, listSchema, read, requireSuccess } from "./remote-protocol.ts";
import { RemoteSkill } from "./remote-skill.ts";

/** How the other side is asked. */
export interface RemoteSourceOptions extends FetchOptions {
  /** The access token, or how to find the caller's; null: ask without one. */
  readonly token?: string | null | ((context: AgentSkillsSourceContext) => string | null | Promise<string | null>);
  /** How many tokens' listings are kept; default 1,000. */
  readonly maxKept?: number;
}

interface Listing {
  readonly etag: string | null;
  readonly bundle: string;
  readonly skills: readonly AgentSkill[];
}

const PAGE = 1_000;
/** More than a bundle can hold. */
const MAX_PAGES = 100;

/**
 * The skills of another edge-skills. Scripts run there, under its limits and approvals.
 *
 * @example
 * new RemoteAgentSkillsSource("https://skills.example.com", { token: env.SKILLS_TOKEN });
 */
export class RemoteAgentSkillsSource extends AgentSkillsSource {
  readonly #base: URL;
  readonly #options: RemoteSourceOptions;
  readonly #kept: BoundedMap<Listing>;

  constructor(url: string | URL, options: RemoteSourceOptions = {}) {
    super();
    this.#base = new URL(String(url).replace(/\/*$/, "/"));
    this.#options = options;
    this.#kept = new BoundedMap(options.maxKept ?? 1_000);
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const { token = null } = this.#options;
    const own = typeof token === "function" ? await token(context) : token;
    const labels = { agent: context.agent, session: context.session };
    const headers = {
      ...(own === null ? {} : { Authorization: `Bearer ${own}` }),
      ...(labels.agent === null ? {} : { "X-Skills-Agent": labels.agent }),
      ...(labels.session === null ? {} : { "X-Skills-Session": labels.session }),
    };
    const key = JSON.stringify([own, labels]);
    const held = this.#kept.get(key);
    const listing = await this.#list(headers, held, context);
    this.#kept.set(key, listing);
    return listing.skills;
  }

  async #list(
    headers: Readonly<Record<string, string>>,
    held: Listing | undefined,
    context: AgentSkillsSourceContext,
  ): Promise<Listing> {
    const conditional: Record<string, string> = held?.etag ? { "If-None-Match": held.etag } : {};
    const url = this.#pageUrl(null);
    const response = await send(url, { headers: { ...headers, ...conditional } }, this.#options, context);
    await requireSuccess(response, url);
    if (held !== undefined && response.status === 304) {
      return held;
    }
    const etag = response.headers.get("ETag");
    const first = read(listSchema, await jsonOfAnswer(response, url, this.#options), url);
    const listed = [...first.skills, ...(await this.#rest(first.next_cursor, headers, context))];
    const pinned = { ...headers, "X-Skills-Bundle": first.bundle };
    const parts = { base: this.#base, headers: pinned, bundle: first.bundle, options: this.#options };
    return { etag, bundle: first.bundle, skills: Object.freeze(listed.map((skill) => new RemoteSkill(skill, parts))) };
  }

  async #rest(
    start: string | null,
    headers: Readonly<Record<string, string>>,
    context: AgentSkillsSourceContext,
  ): Promise<ListedSkill[]> {
    const listed: ListedSkill[] = [];
    let cursor = start;
    for (let page = 0; cursor !== null && page < MAX_PAGES; page++) {
      const url = this.#pageUrl(cursor);
      const response = await send(url, { headers }, this.#options, context);
      await requireSuccess(response, url);
      const next = read(listSchema, await jsonOfAnswer(response, url, this.#options), url);
      listed.push(...next.skills);
      cursor = next.next_cursor;
    }
    return listed;
  }

  #pageUrl(cursor: string | null): URL {
    const url = new URL(`v1/skills?limit=${PAGE}`, this.#base);
    if (cursor !== null) {
      url.searchParams.set("cursor", cursor);
    }
    return url;
  }
}
