/** Owns a resource that is defined in code: a value, or a function that makes one each time it is read. Runs in the host's own process. */
import { bytesOf, type Serialize } from "../model/run-value.ts";
import {
  AgentSkillResource,
  type AgentSkillResourceFacts,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
} from "../model/skill.ts";

/** Makes a resource's value: text, bytes, or anything that can be serialised. */
export type ResourceFunction = (context: AgentSkillsSourceContext) => unknown;

/** How a resource is offered. */
export interface InlineResourceOptions extends AgentSkillResourceFacts {
  /** How values that are neither text nor bytes become text; default JSON. */
  readonly serialize?: Serialize;
}

/**
 * A value or function as a resource.
 *
 * @example
 * new AgentInlineSkillResource("conversion-table", "kg=2.205lb, m=3.281ft");
 * new AgentInlineSkillResource("today", () => new Date().toISOString());
 */
export class AgentInlineSkillResource extends AgentSkillResource {
  readonly #value: unknown;
  readonly #serialize: Serialize | undefined;

  constructor(name: string, value: unknown, options: InlineResourceOptions = {}) {
    super(name, { ...guessed(value), ...options });
    this.#value = value;
    this.#serialize = options.serialize;
  }

  async read(context: AgentSkillsSourceContext = NO_CONTEXT): Promise<Uint8Array> {
    const value = isFunction(this.#value) ? await this.#value(context) : this.#value;
    return bytesOf(value, this.#serialize);
  }
}

function isFunction(value: unknown): value is ResourceFunction {
  return typeof value === "function";
}

function guessed(value: unknown): AgentSkillResourceFacts {
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) {
    return { mediaType: "application/octet-stream", size: value.byteLength };
  }
  return typeof value === "object" && value !== null ? { mediaType: "application/json" } : {};
}
