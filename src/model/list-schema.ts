/**
 * Owns lists and maps of what somebody sent: looked at no further than to the first item that does not fit. zod by itself keeps every wrong item, and
 * a few MiB of `[0,0,0,…]` then take more memory, or stack, than an isolate has.
 */
import * as z from "zod/mini";

type Items<T> = z.ZodMiniType<T>;

/** What lists hold, for who describes them. */
const itemsOf = new WeakMap<object, z.ZodMiniType>();

/** A list, of at least so many items. Items are handed on as they came. */
export function listOf<T>(item: Items<T>, least = 0): Items<T[]> {
  const schema = z.unknown().check(({ value, issues }) => {
    if (!Array.isArray(value)) {
      issues.push({ code: "invalid_type", expected: "array", input: value });
    } else if (value.length < least) {
      issues.push({ code: "too_small", origin: "array", minimum: least, inclusive: true, input: value });
    } else {
      firstWrong(item, value.entries(), issues);
    }
  }) as Items<T[]>;
  itemsOf.set(schema, item);
  return schema;
}

/** An object used as a map. Values are handed on as they came. */
export function mapOf<T>(item: Items<T>): Items<Record<string, T>> {
  return z.unknown().check(({ value, issues }) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      issues.push({ code: "invalid_type", expected: "record", input: value });
    } else {
      firstWrong(item, Object.entries(value), issues);
    }
  }) as Items<Record<string, T>>;
}

/** What a list holds; undefined for any other schema. */
export function itemOf(schema: object): z.ZodMiniType | undefined {
  return itemsOf.get(schema);
}

function firstWrong(
  item: z.ZodMiniType,
  entries: Iterable<readonly [PropertyKey, unknown]>,
  issues: z.core.$ZodRawIssue[],
): void {
  for (const [key, value] of entries) {
    const parsed = z.safeParse(item, value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      issues.push({ ...issue, input: value, path: [key, ...(issue?.path ?? [])] } as z.core.$ZodRawIssue);
      return;
    }
  }
}
