/** Owns how just-bash's words are looked at before they are expanded: lists, braces, quotes; never what they stand for. */
import type { State } from "./inside.ts";
import { closingParenthesis } from "./parentheses.ts";

interface Part {
  readonly type: string;
  readonly parts?: readonly Part[];
  readonly parameter?: string;
}

/** Whether a word may stand for any number of words: `$command`, `"$@"`, `"${list[@]}"`. */
export function sandboxMany(word: { readonly parts: readonly Part[] }): boolean {
  return word.parts.some(
    ({ type, parts = [] }) =>
      type === "ParameterExpansion" ||
      type === "CommandSubstitution" ||
      (type === "DoubleQuoted" && parts.some(standsForMany)),
  );
}

function standsForMany({ type, parameter = "" }: Part): boolean {
  return type === "ParameterExpansion" && /^@$|\[@\]$/.test(parameter);
}

/** The parameters of the script or function that runs. */
export function sandboxParameters({ env }: State): string[] {
  return Array.from({ length: Number(env.get("#") ?? 0) }, (_, i) => env.get(String(i + 1)) ?? "");
}

/** What `${…}` stands for within arithmetic: the shell's own expansion where it is more than a name. */
export async function sandboxBraces<Context, Word>(
  ctx: Context,
  content: string,
  plain: (ctx: Context, content: string) => Promise<string>,
  expand: (ctx: Context, word: Word) => Promise<string>,
  parse: (text: string) => Word,
): Promise<string> {
  return /^[#!]?\w+$/.test(content) ? await plain(ctx, content) : await expand(ctx, parse(`\${${content}}`));
}

/** An arithmetic expression without its quotes; substitutions in it keep theirs. */
export function sandboxUnquoted(expression: string): string {
  let out = "";
  let quoted = false;
  for (let at = 0; at < expression.length; at++) {
    const letter = expression.charAt(at);
    const end =
      letter === "`"
        ? expression.indexOf("`", at + 1)
        : isSubstitution(expression, at)
          ? closingParenthesis(expression, at + 2)
          : -1;
    if (end > at) {
      out += expression.slice(at, end + 1);
      at = end;
    } else if (letter === '"') {
      quoted = !quoted;
    } else if (quoted && letter === "\\" && at + 1 < expression.length) {
      out += expression.charAt(++at);
    } else {
      out += letter;
    }
  }
  return out;
}

function isSubstitution(text: string, at: number): boolean {
  return text.startsWith("$(", at) && text.charAt(at + 2) !== "(";
}
