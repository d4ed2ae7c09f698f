/** Owns patterns of file names (`*.md`) as expressions; never looking files up. */

/** The expression that a whole name has to fit. */
export function globOf(pattern: string): RegExp {
  const source = pattern.replace(/\[!?[^\]]*\]|[*?.+^${}()|\\/]/g, (found) => {
    if (found === "*" || found === "?") {
      return found === "*" ? ".*" : ".";
    }
    return found.length > 1 ? found.replace("[!", "[^") : `\\${found}`;
  });
  return new RegExp(`^${source}$`, "s");
}
