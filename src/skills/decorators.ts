/**
 * Owns the decorators `@resource` and `@script` (ECMAScript decorators; tools that strip types only do not parse them, so a bundler such
 * as esbuild is needed). Never needed: properties say the same.
 */
import { SkillsError } from "../model/errors.ts";
import type { AgentSkillsSourceContext, ScriptCall } from "../model/skill.ts";
import { membersOf } from "./decorated-members.ts";
import { AgentInlineSkillResource, type InlineResourceOptions } from "./inline-resource.ts";
import { AgentInlineSkillScript, type InlineScriptOptions } from "./inline-script.ts";

type Member = ClassMethodDecoratorContext | ClassGetterDecoratorContext | ClassFieldDecoratorContext;

/**
 * Marks a method, getter or field as a resource. Default name: the member's, its capitals and `_` as hyphens.
 *
 * @example
 * class Report extends AgentClassSkill {
 *   @resource({ description: "Today's rates" })
 *   async currentRates({ signal }: AgentSkillsSourceContext) { … } // read as "current-rates"
 * }
 */
export function resource(options: InlineResourceOptions & { readonly name?: string } = {}) {
  return (_: unknown, member: Member): void => {
    const name = options.name ?? hyphenated(member);
    member.addInitializer(function (this: unknown) {
      const read = (context: AgentSkillsSourceContext) => memberValue(this, member, context);
      keep(membersOf(this).resources, new AgentInlineSkillResource(name, read, options));
    });
  };
}

/**
 * Marks a method as a script. Default name: the method's, its capitals and `_` as hyphens.
 *
 * @example
 * class Converter extends AgentClassSkill {
 *   @script({ parameters: z.object({ value: z.number() }) })
 *   convert({ value }: { value: number }) { return value * 2.205; }
 * }
 */
export function script<Arguments = Readonly<Record<string, unknown>>>(
  options: InlineScriptOptions<Arguments> & { readonly name?: string } = {},
) {
  return (method: (args: Arguments, call: ScriptCall) => unknown, member: ClassMethodDecoratorContext): void => {
    const name = options.name ?? hyphenated(member);
    member.addInitializer(function (this: unknown) {
      const run = (args: Arguments, call: ScriptCall) => method.call(this, args, call);
      keep(membersOf(this).scripts, new AgentInlineSkillScript(name, run, options));
    });
  };
}

function keep<Item extends { readonly name: string }>(items: Map<string, Item>, item: Item): void {
  if (items.has(item.name)) {
    throw new SkillsError("skills-invalid", `Cannot add ${JSON.stringify(item.name)} twice`);
  }
  items.set(item.name, item);
}

function memberValue(owner: unknown, member: Member, context: AgentSkillsSourceContext): unknown {
  const value = (member.access as { get(object: unknown): unknown }).get(owner);
  return typeof value === "function" ? value.call(owner, context) : value;
}

function hyphenated({ name }: Member): string {
  return String(name)
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`)
    .replaceAll("_", "-")
    .toLowerCase();
}
