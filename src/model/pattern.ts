/** Owns patterns that are made when they are first needed: those over classes of Unicode take longer to read than the rest of their file. */

/** A pattern by its source, or by what makes it, made once. Use it with `test` only when it is not global: it would keep its place. */
export function latePattern(source: string | (() => string), flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(typeof source === "string" ? source : source(), flags);
    return pattern;
  };
}
