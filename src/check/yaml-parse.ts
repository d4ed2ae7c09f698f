/** Owns the parsing of one YAML text into nodes by the `yaml` package, with bounds on what it may cost. Never turns nodes into values. */
import { Composer, type CST, type ParsedNode, Parser } from "yaml";

/** The largest frontmatter that is parsed, in UTF-16 units. The largest of 13,141 public ones has about 20,000. */
export const MAX_YAML_LENGTH = 128 * 1024;

/** How deep lists and mappings may lie in each other. */
export const MAX_YAML_DEPTH = 64;

/** A place in the YAML text, both counted from 1, the column in code points. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
}

/** A fault that keeps a YAML text from being read. */
export class YamlFault extends Error {
  /** Where, in UTF-16 units from the start. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = "YamlFault";
    this.offset = offset;
  }
}

/** The top node of a YAML text, null when it holds nothing. Throws a {@link YamlFault}. */
export function parseYaml(text: string): ParsedNode | null {
  if (text.length > MAX_YAML_LENGTH) {
    throw new YamlFault(`it has ${text.length} characters, at most ${MAX_YAML_LENGTH} are read`, 0);
  }
  const tokens: CST.Token[] = [];
  for (const token of new Parser().parse(text)) {
    checkDepth(token);
    tokens.push(token);
  }
  // The failsafe schema knows no scalar but the text. The package compares each key with each other, so `uniqueKeys` is off.
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, resolveKnownTags: false });
  const documents = [...composer.compose(tokens, true, text.length)];
  // Tags change nothing, so none can be wrong.
  const errors = documents.flatMap((document) => document.errors);
  const error = errors.find(({ code }) => code !== "TAG_RESOLVE_FAILED" && code !== "BAD_COLLECTION_TYPE");
  if (error) {
    const message = lowerFirst(error.message.split("\n", 1)[0] ?? error.message).replace(
      /closing "quote$/,
      'closing "',
    );
    throw new YamlFault(message, /closing ["']/.test(message) ? openingQuote(tokens, error.pos[0]) : error.pos[0]);
  }
  const [document, second] = documents;
  if (second) {
    throw new YamlFault("it holds a second document", second.range?.[0] ?? 0);
  }
  return (document?.contents ?? null) as ParsedNode | null;
}

/** Line and column of an offset. */
export function positionIn(text: string, offset: number): YamlPosition {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: [...before.slice(before.lastIndexOf("\n") + 1)].length + 1 };
}

function checkDepth(root: CST.Token): void {
  const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_YAML_DEPTH) {
      const message = `lists and mappings lie more than ${MAX_YAML_DEPTH} deep in each other`;
      throw new YamlFault(message, token.offset);
    }
    for (const child of childrenOf(token)) {
      open.push({ token: child, depth: token.type === "document" ? depth : depth + 1 });
    }
  }
}

/** Where the quoted text begins that does not end before `end`. */
function openingQuote(tokens: readonly CST.Token[], end: number): number {
  let last = -1;
  const open = [...tokens];
  for (let token = open.pop(); token; token = open.pop()) {
    if (/^(?:single|double)-quoted-scalar$/.test(token.type) && token.offset <= end) {
      last = Math.max(last, token.offset);
    }
    for (const child of childrenOf(token)) {
      open.push(child);
    }
  }
  return last < 0 ? end : last;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === "document") {
    return token.value ? [token.value] : [];
  }
  if (!("items" in token)) {
    return [];
  }
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child != null));
}

function lowerFirst(message: string): string {
  return message.slice(0, 1).toLowerCase() + message.slice(1);
}
