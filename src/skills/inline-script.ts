/** Owns a script that is a function. It runs in the host's own process, with all the host may do: never make one of code that came from a bundle. */
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import type { JsonObject } from "../model/record.ts";
import type { RunResult } from "../model/run.ts";
import { runResultOf, type Serialize } from "../model/run-value.ts";
import { AgentSkillScript, type ScriptCall } from "../model/skill.ts";
import { type ArgumentMarshaler, namedArguments } from "./marshal.ts";
import { isStandardSchema, jsonSchemaOf, type StandardSchema, validated } from "./standard-schema.ts";

/** What a script's function takes: the arguments by name, then everything else of the call. */
export type ScriptFunction<Arguments> = (args: Arguments, call: ScriptCall) => unknown;

/** How a script is offered. */
export interface InlineScriptOptions<Arguments> {
  readonly description?: string;
  /** JSON Schema, or a schema of zod (or another library with Standard Schema) that can write itself down as one. */
  readonly parameters?: JsonObject | StandardSchema<Arguments>;
  /** What arguments are checked with where `parameters` is a JSON Schema, which only describes them. */
  readonly schema?: StandardSchema<Arguments>;
  /** How the arguments of a call become what the function takes; default {@link namedArguments}. */
  readonly marshal?: ArgumentMarshaler;
  /** How values that are not text become text; default JSON. */
  readonly serialize?: Serialize;
}

/**
 * A function as a script.
 *
 * @example
 * new AgentInlineSkillScript("convert", ({ value, factor }) => value * factor, {
 *   description: "Converts a value",
 *   parameters: z.object({ value: z.number(), factor: z.number() }),
 * });
 */
export class AgentInlineSkillScript<Arguments = Readonly<Record<string, unknown>>> extends AgentSkillScript {
  readonly #run: ScriptFunction<Arguments>;
  readonly #schema: StandardSchema<Arguments> | null;
  readonly #marshal: ArgumentMarshaler;
  readonly #serialize: Serialize | undefined;

  constructor(name: string, run: ScriptFunction<Arguments>, options: InlineScriptOptions<Arguments> = {}) {
    const { parameters, description = null } = options;
    const standard = parameters !== undefined && isStandardSchema(parameters) ? parameters : null;
    const described = standard === null ? (parameters as JsonObject | undefined) : jsonSchemaOf(standard, name);
    super(name, { description, ...(described === undefined ? {} : { parameters: described }) });
    this.#run = run;
    this.#schema = standard ?? options.schema ?? null;
    this.#marshal = options.marshal ?? namedArguments;
    this.#serialize = options.serialize;
  }

  async run(call: ScriptCall): Promise<RunResult> {
    const given = this.#marshal(call.arguments);
    // Without a schema nothing is known of them but that the marshaler let them pass.
    const args = this.#schema === null ? (given as Arguments) : await validated(this.#schema, given);
    call.context.signal?.throwIfAborted();
    const begun = Date.now();
    const { timeout_ms: ms } = call.limits;
    // A function in this process cannot be stopped; whoever waits for it can.
    const late = () => new SkillsError("runner-failed", `The script did not finish within ${ms} ms`);
    const value = await inTime(this.#run(args, call), ms, late);
    return runResultOf(value, this.#serialize, Date.now() - begun);
  }
}
