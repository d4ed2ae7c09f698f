/** Owns what is read from a statement's text: its first word, its parameters; never what it means. */

const SPACE = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))/;
const TOKEN =
  /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|([:@$][\w$\u0080-\uffff]+(?:::[\w$]+)*|\?\d*)|[\w$\u0080-\uffff]+/g;
const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "REPLACE"]);
const KEEPS = new Set(["SELECT", "WITH", "VALUES", "EXPLAIN", "CREATE", "DROP", "ALTER", ...CHANGES]);

/** The text without white space and comments before it. */
export function withoutSpace(sql: string): string {
  let left = sql;
  for (let found = SPACE.exec(left); found !== null; found = SPACE.exec(left)) {
    left = left.slice(found[0].length);
  }
  return left;
}

function firstWord(sql: string): string {
  return /^[a-z]+/i.exec(withoutSpace(sql))?.[0]?.toUpperCase() ?? "";
}

/** INSERT, UPDATE, DELETE, REPLACE: what begins a transaction in Python's sqlite3. */
export function isChange(sql: string): boolean {
  return CHANGES.has(firstWord(sql));
}

/** True when it leaves a transaction as it is, if it does not fail. */
export function keepsTransaction(sql: string): boolean {
  return KEEPS.has(firstWord(sql));
}

/** True when a text ends with a whole statement: a `;` that is none of a text, a comment or a trigger's body. */
export function isComplete(sql: string): boolean {
  const left = sql.replace(TOKEN, (whole) => (/^(?:--|\/\*)/.test(whole) ? " " : /^\w/.test(whole) ? whole : "x"));
  const isTrigger = /^\s*(?:EXPLAIN\s+)?CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(withoutSpace(left));
  const isOpen = /['"`]|\/\*/.test(left);
  return !isOpen && (isTrigger ? /;\s*END\s*;\s*$/i : /;\s*$/).test(left);
}

/** Names of parameters with their first sign, in their order. */
export function parameterNames(sql: string): string[] {
  const names = Array.from(sql.matchAll(TOKEN), (found) => found[1] ?? "");
  return [...new Set(names.filter((name) => name !== "" && !name.startsWith("?")))];
}

/** The text with NULL in place of each parameter. */
export function withoutParameters(sql: string): string {
  return sql.replace(TOKEN, (whole, parameter?: string) => (parameter === undefined ? whole : "NULL"));
}
