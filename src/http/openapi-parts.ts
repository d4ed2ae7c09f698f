/** Owns the words that operations of the OpenAPI document are put together from. */
import * as z from "zod/mini";
import { itemOf } from "../model/list-schema.ts";

/** JSON, as far as it is put together here. */
export type Json = Readonly<Record<string, unknown>>;

/** One method of one path. */
export interface Operation {
  readonly summary: string;
  /** The scope it needs; null: open to everybody; `public`: for public layers no token is needed. */
  readonly scope: string | null;
  readonly parameters?: readonly Json[];
  readonly body?: Json;
  /** Its body is bytes. */
  readonly bytes?: true;
  /** Media type and schema of a good answer. */
  readonly answer: Json;
  readonly status?: number;
}

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const json = (schema: Json): Json => ({ "application/json": { schema } });
export const bytes = (...types: readonly string[]): Json => Object.fromEntries(types.map((type) => [type, {}]));
export const text = { type: "string" };
export const query = (name: string, schema: Json, description: string): Json => ({
  name,
  in: "query",
  schema,
  description,
});
export const header = (name: string, description: string): Json => ({ name, in: "header", schema: text, description });
export const requestSchema = (schema: z.ZodMiniType): Json =>
  z.toJSONSchema(schema, { io: "input", override: describeList }) as Json;
export const TENANT = query("tenant", text, "For the platform's operator: whose");
export const NONE: Json = {};

function describeList({ zodSchema, jsonSchema }: { readonly zodSchema: object; readonly jsonSchema: object }): void {
  const item = itemOf(zodSchema);
  if (item !== undefined) {
    const { $schema: _, ...items } = requestSchema(item);
    Object.assign(jsonSchema, { type: "array", items });
  }
}
