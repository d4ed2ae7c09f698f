/** Owns how messages of just-bash's parser read: tokens as they are written, and what the sandbox's shell does not have by its name. Never parses. */

/** Tokens that are written otherwise than they are called; the rest are words in capitals. */
const TOKENS: Readonly<Record<string, string>> = {
  EOF: "the end",
  NEWLINE: "the end of the line",
  LPAREN: "`('",
  RPAREN: "`)'",
  LBRACE: "`{'",
  RBRACE: "`}'",
  DPAREN_END: "`))'",
  DBRACK_END: "`]]'",
};

/** Words of bash's grammar that are not there. */
const MISSING = /^syntax error near unexpected token `(select|coproc)'$/;

/** A message of the parser in the shell's words. */
export function syntaxWords(message: string): string {
  const missing = MISSING.exec(message)?.[1];
  if (missing !== undefined) {
    return `the sandbox's shell has no \`${missing}'`;
  }
  return message.replace(
    /^Expected ([A-Z_]+), got ([A-Z_]+)$/,
    (_, expected: string, got: string) => `expected ${written(expected)}, got ${written(got)}`,
  );
}

function written(token: string): string {
  return TOKENS[token] ?? `\`${token.toLowerCase()}'`;
}
