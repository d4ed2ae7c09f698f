/** Owns how deep JSON that somebody sent may lie: what is done with it goes down by recursion, and a stack ends. */

/** Lists and objects within each other. */
export const MAX_DEPTH = 64;

/** Tells whether lists and objects lie within each other more than `levels` deep. Looks no deeper itself. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)))
  );
}
