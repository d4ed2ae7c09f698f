/**
 * Owns the source of skills that a site offers below `/.well-known/agent-skills/` (Agent Skills Discovery 0.2.0), or below
 * `/.well-known/skills/` (0.1.0). What the index has a digest of is checked against it before it is read. Scripts are never run.
 */
import { logged, NO_LOG, type SkillsLogger } from "../model/log.ts";
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";
import { archiveCache } from "./archive-files.ts";
import { type FetchOptions, jsonOfAnswer, send } from "./fetch-bytes.ts";
import { read, requireSuccess } from "./remote-protocol.ts";
import { entryReader, indexSchema, type WellKnownOffer } from "./well-known-index.ts";
import { wellKnownSkill } from "./well-known-skill.ts";

/** How a site is asked. */
export interface WellKnownOptions extends FetchOptions {
  /** Other origins that documents may lie on; the site's own always counts. */
  readonly origins?: readonly string[];
  readonly logger?: SkillsLogger;
}

/**
 * The skills of a well-known site: single files, archives (`.tar.gz` and `.zip`), and the file lists of discovery 0.1.0. Entries that are not
 * valid, or of another type, are left out with a warning. An archive that is not as it should be fails when its skill is read.
 *
 * @example
 * new WellKnownAgentSkillsSource("https://docs.example.com");
 */
export class WellKnownAgentSkillsSource extends AgentSkillsSource {
  readonly #current: URL;
  readonly #older: URL;
  readonly #options: WellKnownOptions;
  readonly #log: SkillsLogger;
  readonly #cache = archiveCache();
  #kept: { readonly text: string; readonly skills: readonly AgentSkill[] } | null = null;

  constructor(site: string | URL, options: WellKnownOptions = {}) {
    super();
    const base = String(site).replace(/\/*$/, "/");
    this.#current = new URL(".well-known/agent-skills/index.json", base);
    this.#older = new URL(".well-known/skills/index.json", base);
    this.#options = options;
    this.#log = options.logger ?? NO_LOG;
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const { url, response } = await this.#fetchIndex(context);
    const index = await jsonOfAnswer(response, url, this.#options);
    const text = JSON.stringify([url.href, index]);
    if (this.#kept?.text !== text) {
      this.#kept = { text, skills: Object.freeze(await this.#open(index, url)) };
    }
    return this.#kept.skills;
  }

  /** The index where it lies today; where there is none, the one where it lay before. */
  async #fetchIndex(context: AgentSkillsSourceContext): Promise<{ readonly url: URL; readonly response: Response }> {
    const current = await send(this.#current, {}, this.#options, context);
    if (current.status === 404) {
      await current.body?.cancel();
      const older = await send(this.#older, {}, this.#options, context);
      await requireSuccess(older, older.status === 404 ? this.#current : this.#older);
      return { url: this.#older, response: older };
    }
    await requireSuccess(current, this.#current);
    return { url: this.#current, response: current };
  }

  async #open(value: unknown, url: URL): Promise<AgentSkill[]> {
    const { $schema, skills } = read(indexSchema, value, url);
    const readEntry = entryReader($schema);
    if (readEntry === null) {
      this.#log.warn(`The index of ${url.origin} has an unknown $schema; none of its skills is used`, {
        schema: logged($schema ?? ""),
      });
      return [];
    }
    const opened = await Promise.all(skills.map((entry) => this.#skill(readEntry(entry, url))));
    return opened.filter((skill) => skill !== null);
  }

  async #skill(offer: WellKnownOffer): Promise<AgentSkill | null> {
    const isElsewhere = "url" in offer && !this.#isAllowed(offer.url);
    if (offer.kind === "problem" || isElsewhere) {
      const problem = offer.kind === "problem" ? offer.problem : "it lies on another origin";
      this.#log.warn(`An entry of ${this.#current.origin} is left out: ${problem}`);
      return null;
    }
    return wellKnownSkill(offer, { options: this.#options, cache: this.#cache });
  }

  #isAllowed(url: URL): boolean {
    return url.origin === this.#current.origin || this.#options.origins?.includes(url.origin) === true;
  }
}
