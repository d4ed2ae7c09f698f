/**
 * Owns the source of skills that a site offers below `/.well-known/agent-skills/` (Agent Skills Discovery 0.2.0). Every document is checked
 * against the digest that the index gave. Scripts are never run.
 */
import * as z from "zod/mini";
import { type Digest, isDigest } from "../model/digest.ts";
import { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import { logged, NO_LOG, type SkillsLogger } from "../model/log.ts";
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";
import { type FetchOptions, jsonOfAnswer, send } from "./fetch-bytes.ts";
import { read, requireSuccess } from "./remote-protocol.ts";
import { wellKnownSkill } from "./well-known-skill.ts";

/** How a site is asked. */
export interface WellKnownOptions extends FetchOptions {
  /** Other origins that documents may lie on; the site's own always counts. */
  readonly origins?: readonly string[];
  readonly logger?: SkillsLogger;
}

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

const indexSchema = z.object({ $schema: z.optional(z.string()), skills: z.array(z.unknown()) });

const entrySchema = z.object({
  name: z.string().check(z.refine((name) => AgentSkillFrontmatter.nameProblem(name) === null)),
  type: z.string(),
  description: z.string().check(z.refine((text) => AgentSkillFrontmatter.descriptionProblem(text) === null)),
  url: z.string(),
  digest: z.custom<Digest>(isDigest, "not a digest"),
});

/**
 * The skills of a well-known site whose type is `skill-md`; entries that are not valid, or of another type, are left out with a warning.
 *
 * @example
 * new WellKnownAgentSkillsSource("https://docs.example.com");
 */
export class WellKnownAgentSkillsSource extends AgentSkillsSource {
  readonly #index: URL;
  readonly #options: WellKnownOptions;
  readonly #log: SkillsLogger;
  #kept: { readonly text: string; readonly skills: readonly AgentSkill[] } | null = null;

  constructor(site: string | URL, options: WellKnownOptions = {}) {
    super();
    this.#index = new URL(".well-known/agent-skills/index.json", String(site).replace(/\/*$/, "/"));
    this.#options = options;
    this.#log = options.logger ?? NO_LOG;
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const response = await send(this.#index, {}, this.#options, context);
    await requireSuccess(response, this.#index);
    const index = await jsonOfAnswer(response, this.#index, this.#options);
    const text = JSON.stringify(index);
    if (this.#kept?.text !== text) {
      this.#kept = { text, skills: Object.freeze(await this.#open(index)) };
    }
    return this.#kept.skills;
  }

  async #open(value: unknown): Promise<AgentSkill[]> {
    const index = read(indexSchema, value, this.#index);
    if (index.$schema !== SCHEMA) {
      this.#log.warn(`The index of ${this.#index.origin} has an unknown $schema; none of its skills is used`, {
        schema: index.$schema ?? null,
      });
      return [];
    }
    const skills = await Promise.all(index.skills.map((entry) => this.#skill(entry)));
    return skills.filter((skill) => skill !== null);
  }

  async #skill(value: unknown): Promise<AgentSkill | null> {
    const parsed = z.safeParse(entrySchema, value);
    const url = parsed.success ? URL.parse(parsed.data.url, this.#index) : null;
    const problem = !parsed.success
      ? "it is not valid"
      : parsed.data.type !== "skill-md"
        ? `its type ${logged(parsed.data.type)} is not read here`
        : url === null || !this.#isAllowed(url)
          ? "it lies on another origin"
          : null;
    if (!parsed.success || url === null || problem !== null) {
      this.#log.warn(`An entry of ${this.#index.origin} is left out: ${problem}`);
      return null;
    }
    return wellKnownSkill({ ...parsed.data, url, options: this.#options });
  }

  #isAllowed(url: URL): boolean {
    return url.origin === this.#index.origin || this.#options.origins?.includes(url.origin) === true;
  }
}
