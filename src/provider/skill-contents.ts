/**
 * Owns finding what `load_skill` answered in the messages of a conversation, whichever provider's they are. Text that another tool gave is
 * never taken for a skill, whatever tags it holds. Never changes a message.
 */

/** A skill's content in a conversation. */
export interface FoundContent {
  readonly name: string;
  /** From its opening tag to the end of its lists. */
  readonly text: string;
}

// The body cannot hold either tag: escape.ts sees to that.
const CONTENT =
  /<skill_content name="([^"]*)">[\s\S]*?<\/skill_content>(?:\s*<skill_resources>[\s\S]*?<\/skill_resources>)?(?:\s*<skill_scripts>[\s\S]*?<\/skill_scripts>)?/g;

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };

type Fields = Readonly<Record<string, unknown>>;

/** The contents of skills in some messages, in their order. `all` holds the calls that they answer. */
export function skillContents(messages: readonly object[], all: readonly object[] = messages): FoundContent[] {
  const loads = new Set(all.flatMap((message) => partsOf(message).flatMap(loadCallId)));
  return messages.flatMap((message) =>
    trustedTexts(message as Fields, loads).flatMap((text) =>
      [...text.matchAll(CONTENT)].map((match) => ({ name: plain(match[1] ?? ""), text: match[0] })),
    ),
  );
}

/** Tells whether a message answers a tool call: it must not stand without the call. */
export function isToolResult(message: object): boolean {
  return partsOf(message).some((part) => resultOf(part) !== null);
}

/** A message and its parts: calls and results are either. */
function partsOf(message: object): Fields[] {
  const fields = message as Fields;
  const inner = [fields.content, fields.tool_calls].flatMap((value) => (Array.isArray(value) ? value : []));
  return [fields, ...inner.filter((part: unknown): part is Fields => typeof part === "object" && part !== null)];
}

/** The id of a call of `load_skill`, in any provider's form. */
function loadCallId(part: Fields): string[] {
  const { name } = (typeof part.function === "object" && part.function !== null ? part.function : part) as Fields;
  const called = part.toolName ?? name;
  const id = part.call_id ?? part.toolCallId ?? part.id;
  const isResult = resultOf(part) !== null;
  return typeof called === "string" && called.endsWith("load_skill") && typeof id === "string" && !isResult ? [id] : [];
}

/** The call a result answers and what it says; null for what is no result. */
function resultOf(part: Fields): { readonly id: unknown; readonly value: unknown } | null {
  if (part.role === "tool" && part.tool_call_id !== undefined) {
    return { id: part.tool_call_id, value: part.content };
  }
  switch (part.type) {
    case "function_call_output":
      return { id: part.call_id, value: part.output };
    case "tool_result":
      return { id: part.tool_use_id, value: part.content };
    case "tool-result":
      return { id: part.toolCallId, value: part.output ?? part.result };
    default:
      return null;
  }
}

/** What answers of `load_skill` say, and what the user says, where an earlier compaction put it. */
function trustedTexts(message: Fields, loads: ReadonlySet<unknown>): string[] {
  return partsOf(message).flatMap((part) => {
    const result = resultOf(part);
    if (result !== null) {
      return loads.has(result.id) ? textsOf(result.value) : [];
    }
    const isOwn = message.role === "user" && (part === message ? typeof part.content === "string" : true);
    return isOwn ? textsOf(part.text ?? part.content) : [];
  });
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") {
    return [value];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => textsOf(item));
  }
  const { text, value: inner, content } = (value ?? {}) as Fields;
  return [text, inner, content].flatMap((item) => (item === undefined ? [] : textsOf(item)));
}

function plain(name: string): string {
  return name.replace(/&(lt|gt|quot|#39|amp);/g, (entity, key: string) => ENTITIES[key] ?? entity);
}
