/** Owns an example: skills, resources and scripts of a service of one's own, over HTTP. docs/writing-a-source.md tells it step by step. */
import {
  AgentSkill,
  type AgentSkillContent,
  AgentSkillFrontmatter,
  AgentSkillResource,
  AgentSkillScript,
  AgentSkillsSource,
  type AgentSkillsSourceContext,
  type RunResult,
  runResultOf,
  type ScriptCall,
} from "edge-skills";

/** What the service's catalogue says. */
interface CatalogueEntry {
  readonly name: string;
  readonly description: string;
  readonly content: string;
  readonly resources: readonly { readonly name: string; readonly url: string; readonly description?: string }[];
  readonly scripts: readonly { readonly name: string; readonly url: string; readonly description?: string }[];
}

// Step 1: a resource.
export class CloudSkillResource extends AgentSkillResource {
  readonly url: URL;

  constructor(name: string, url: URL, description: string | null = null) {
    super(name, { description });
    this.url = url;
  }

  async read(context?: AgentSkillsSourceContext): Promise<Uint8Array> {
    const response = await fetch(this.url, { signal: context?.signal ?? null });
    if (!response.ok) {
      throw new Error(`The service answers ${response.status} for "${this.name}"`);
    }
    return new Uint8Array(await response.arrayBuffer());
  }
}

// Step 2: a script.
export class CloudSkillScript extends AgentSkillScript {
  readonly url: URL;

  constructor(name: string, url: URL, description: string | null = null) {
    super(name, { description, parameters: { type: "object" } });
    this.url = url;
  }

  async run({ arguments: args, context }: ScriptCall): Promise<RunResult> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(args ?? {}),
      signal: context.signal,
    });
    return { ...runResultOf(await response.text()), exit_code: response.ok ? 0 : 1 };
  }
}

// Step 3: a skill.
export class CloudSkill extends AgentSkill {
  readonly #entry: CatalogueEntry;
  readonly #base: URL;

  constructor(entry: CatalogueEntry, base: URL) {
    const { name, description, resources, scripts } = entry;
    super({
      ...new AgentSkillFrontmatter(name, description),
      counts: { resources: resources.length, scripts: scripts.length, runnable: scripts.length },
    });
    this.#entry = entry;
    this.#base = base;
  }

  async getContent(): Promise<AgentSkillContent> {
    return {
      frontmatter: { name: this.name, description: this.description },
      allowedTools: [],
      body: this.#entry.content,
    };
  }

  override async listResources(): Promise<readonly AgentSkillResource[]> {
    return this.#entry.resources.map(
      ({ name, url, description }) => new CloudSkillResource(name, new URL(url, this.#base), description),
    );
  }

  override async listScripts(): Promise<readonly AgentSkillScript[]> {
    return this.#entry.scripts.map(
      ({ name, url, description }) => new CloudSkillScript(name, new URL(url, this.#base), description),
    );
  }
}

// Step 4: a source.
export class CloudSkillsSource extends AgentSkillsSource {
  readonly #catalogue: URL;
  #kept: { readonly text: string; readonly skills: readonly AgentSkill[] } | null = null;

  constructor(catalogue: string | URL) {
    super();
    this.#catalogue = new URL(catalogue);
  }

  async getSkills({ signal }: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const response = await fetch(this.#catalogue, { signal });
    if (!response.ok) {
      throw new Error(`The catalogue answers ${response.status}`);
    }
    const text = await response.text();
    // The same array while nothing has changed, so that what is derived from it is kept.
    if (this.#kept?.text !== text) {
      const { skills } = JSON.parse(text) as { skills: readonly CatalogueEntry[] };
      this.#kept = { text, skills: skills.map((entry) => new CloudSkill(entry, this.#catalogue)) };
    }
    return this.#kept.skills;
  }
}
