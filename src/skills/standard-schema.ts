/**
 * Owns reading parameters that a schema library describes, through the Standard Schema interfaces (standardschema.dev): zod, Valibot,
 * ArkType and others have them, so none of these is a dependency here. Never interprets JSON Schema.
 */
import { SkillsError } from "../model/errors.ts";
import type { JsonObject } from "../model/record.ts";

/** What is used of a Standard Schema. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    /** Where the library can also write itself down as JSON Schema. */
    readonly jsonSchema?: { input(options: { readonly target: "draft-2020-12" }): Record<string, unknown> };
  };
}

type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Tells a Standard Schema from a JSON Schema. Some libraries make their schemas functions. */
export function isStandardSchema(value: JsonObject | StandardSchema): value is StandardSchema {
  return "~standard" in value;
}

/** The JSON Schema of a schema's input. Throws `skills-invalid` for one that cannot write itself down. */
export function jsonSchemaOf(schema: StandardSchema, script: string): JsonObject {
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new SkillsError(
      "skills-invalid",
      `Cannot describe the parameters of ${JSON.stringify(script)}: this schema of ${vendor} has no JSON Schema`,
      { hint: "give the JSON Schema beside it: { parameters: jsonSchema, schema }" },
    );
  }
  const { $schema: _, ...rest } = jsonSchema.input({ target: "draft-2020-12" });
  return rest as JsonObject;
}

/** The value as the schema gives it on. Throws `arguments-invalid` naming what does not fit. */
export async function validated<Output>(schema: StandardSchema<Output>, value: unknown): Promise<Output> {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) {
    return result.value;
  }
  const problems = result.issues.slice(0, 5).map(({ message, path = [] }) => {
    const where = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return where === "" ? message : `"${where}": ${message}`;
  });
  throw new SkillsError("arguments-invalid", `Cannot use arguments: ${problems.join("; ")}`);
}
