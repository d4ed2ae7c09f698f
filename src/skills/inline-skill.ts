/** Owns a skill that is put together in code. Its functions run in the host's own process, with all the host may do. */
import { SkillsError } from "../model/errors.ts";
import { AgentSkillFrontmatter, type FrontmatterFields } from "../model/frontmatter.ts";
import { foldPath } from "../model/path.ts";
import type { Serialize } from "../model/run-value.ts";
import type { AgentSkillResource, AgentSkillScript } from "../model/skill.ts";
import { type CodeMembers, CodeSkill } from "./code-skill.ts";
import { AgentInlineSkillResource, type InlineResourceOptions } from "./inline-resource.ts";
import { AgentInlineSkillScript, type InlineScriptOptions, type ScriptFunction } from "./inline-script.ts";
import type { ArgumentMarshaler } from "./marshal.ts";

/** What an inline skill is made of. */
export interface InlineSkillOptions extends FrontmatterFields {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** For all its resources and scripts that bring none of their own. */
  readonly serialize?: Serialize;
  /** For all its scripts that bring none of their own. */
  readonly marshal?: ArgumentMarshaler;
}

/**
 * A skill in code.
 *
 * @example
 * const skill = new AgentInlineSkill({
 *   name: "unit-converter",
 *   description: "Converts between units of measurement.",
 *   instructions: "Look up the factor in `conversion-table`, then run `convert`.",
 * })
 *   .addResource("conversion-table", "kg=2.205lb, m=3.281ft", { description: "Supported pairs" })
 *   .addScript("convert", ({ value, factor }) => ({ result: value * factor }), {
 *     parameters: z.object({ value: z.number(), factor: z.number() }),
 *   });
 */
export class AgentInlineSkill extends CodeSkill {
  readonly frontmatter: AgentSkillFrontmatter;
  readonly instructions: string;
  readonly #resources: AgentSkillResource[] = [];
  readonly #scripts: AgentSkillScript[] = [];
  readonly #serialize: Serialize | undefined;
  readonly #marshal: ArgumentMarshaler | undefined;

  /** Throws `skills-invalid` for a name or description that is not valid. */
  constructor(options: InlineSkillOptions) {
    super();
    this.frontmatter = new AgentSkillFrontmatter(options.name, options.description, options);
    this.instructions = options.instructions;
    this.#serialize = options.serialize;
    this.#marshal = options.marshal;
  }

  /** Adds a resource: a value, or a function that makes it each time it is read. Throws `skills-invalid` for a name that is taken. */
  addResource(name: string, value: unknown, options: InlineResourceOptions = {}): this {
    const serialize = this.#serialize === undefined ? {} : { serialize: this.#serialize };
    return this.#add(this.#resources, new AgentInlineSkillResource(name, value, { ...serialize, ...options }));
  }

  /** Adds a function as a script. Throws `skills-invalid` for a name that is taken. */
  addScript<Arguments = Readonly<Record<string, unknown>>>(
    name: string,
    run: ScriptFunction<Arguments>,
    options: InlineScriptOptions<Arguments> = {},
  ): this {
    const own = {
      ...(this.#serialize === undefined ? {} : { serialize: this.#serialize }),
      ...(this.#marshal === undefined ? {} : { marshal: this.#marshal }),
    };
    return this.#add(this.#scripts, new AgentInlineSkillScript<Arguments>(name, run, { ...own, ...options }));
  }

  protected override codeMembers(): CodeMembers {
    return { resources: [...this.#resources], scripts: [...this.#scripts] };
  }

  #add<Item extends { readonly name: string }>(items: Item[], item: Item): this {
    const folded = foldPath(item.name);
    if (item.name.trim() === "" || items.some((other) => foldPath(other.name) === folded)) {
      const problem = item.name.trim() === "" ? "it has no name" : "the name is taken";
      throw new SkillsError("skills-invalid", `Cannot add ${JSON.stringify(item.name)} to "${this.name}": ${problem}`);
    }
    items.push(item);
    return this;
  }
}
