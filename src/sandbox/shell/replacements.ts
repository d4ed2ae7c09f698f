/** Owns what `${name/pattern/string}` puts in a match's place, as bash 5.2 has it: `&` stands for the match. Never matches. */

interface Part {
  readonly type: string;
  readonly value?: string;
}

interface Context {
  readonly state: { readonly shoptOptions: Readonly<Record<string, boolean>> };
}

/** Stands for the match in a text: a letter that no script has. */
const MATCH = "\uf8fe";

/** The replacement's text: what is quoted in it stays as it is. */
export async function sandboxReplacement<Ctx extends Context>(
  ctx: Ctx,
  parts: readonly Part[],
  expand: (ctx: Ctx, parts: readonly Part[]) => Promise<string>,
): Promise<string> {
  if (ctx.state.shoptOptions.patsub_replacement === false) {
    return await expand(ctx, parts);
  }
  let text = "";
  for (const part of parts) {
    const shown = await expand(ctx, [part]);
    if (part.type === "Literal" || part.type === "Glob") {
      text += shown.replaceAll("&", MATCH);
    } else if (part.type === "ParameterExpansion" || part.type === "CommandSubstitution") {
      text += shown.replace(/(\\?)&/g, (_whole, backslash: string) => (backslash === "" ? MATCH : "&"));
    } else {
      text += shown;
    }
  }
  return text;
}

/** That text for one match. */
export function sandboxMatched(text: string, match: string): string {
  return text.includes(MATCH) ? text.replaceAll(MATCH, () => match) : text;
}
