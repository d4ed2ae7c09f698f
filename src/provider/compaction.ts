/**
 * Owns keeping what skills say when a conversation is compacted, and telling the model what it has no longer. Knows the messages of OpenAI
 * (Chat and Responses), Anthropic and the AI SDK as far as skills are in them. Never summarises.
 */
import type { SkillActivations } from "./activations.ts";
import { attributeText } from "./escape.ts";
import { type FoundContent, isToolResult, skillContents } from "./skill-contents.ts";

/** What a conversation is compacted with. */
export interface CompactionOptions {
  /** How many of the last messages stay as they are; default 4. More stay when a tool's result would lose its call. */
  readonly keepLast?: number;
  /** Stands for the messages that go: a summary by the host's own means. */
  readonly summary?: string;
  /** Characters that skills may take; those loaded last stay. Default 40,000. */
  readonly budget?: number;
  /** Skills that are dropped are forgotten here, so that a load gives them whole again. */
  readonly activations?: SkillActivations;
}

/** A conversation after compaction. */
export interface Compacted<Message> {
  readonly messages: (Message | CompactionMessage)[];
  /** Skills whose content stayed, by name. */
  readonly kept: readonly string[];
  /** Skills whose content went; the model is told. */
  readonly dropped: readonly string[];
}

/** The message that stands for what went; every provider takes it. */
export interface CompactionMessage {
  readonly role: "user";
  readonly content: string;
}

/**
 * Compacts a conversation: leading system messages and the last messages stay, everything between is replaced by one message with the
 * summary, the skills that were loaded, and the names of those the model has to load again.
 *
 * @example
 * const { messages } = compactMessages(history, { summary: await summarise(history), activations });
 */
export function compactMessages<Message extends object>(
  messages: readonly Message[],
  { keepLast = 4, summary = "", budget = 40_000, activations }: CompactionOptions = {},
): Compacted<Message> {
  const head = countWhile(messages, isSystem);
  const tail = tailStart(messages, head, Math.max(head, messages.length - keepLast));
  const going = messages.slice(head, tail);
  if (going.length === 0) {
    return { messages: [...messages], kept: [], dropped: [] };
  }
  const staying = new Set(skillContents(messages.slice(tail), messages).map(({ name }) => name));
  const found = lastOfEach(skillContents(going, messages)).filter(({ name }) => !staying.has(name));
  const { kept, dropped } = fitting(found, budget);
  for (const { name } of dropped) {
    activations?.forget(name);
  }
  const content = [
    ...(summary === "" ? ["Earlier messages of this conversation were removed to save space."] : [summary]),
    ...kept.map(({ text }) => text.trimEnd()),
    ...(dropped.length === 0 ? [] : [reminder(dropped)]),
  ].join("\n\n");
  return {
    messages: [...messages.slice(0, head), { role: "user", content }, ...messages.slice(tail)],
    kept: kept.map(({ name }) => name),
    dropped: dropped.map(({ name }) => name),
  };
}

function reminder(dropped: readonly FoundContent[]): string {
  const names = dropped.map(({ name }) => `"${attributeText(name)}"`).join(", ");
  return `The instructions of these skills were removed as well: ${names}. You do not have them any more; load a skill again before you go on with its task.`;
}

function isSystem(message: object): boolean {
  return "role" in message && (message.role === "system" || message.role === "developer");
}

function countWhile<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  const end = items.findIndex((item) => !test(item));
  return end === -1 ? items.length : end;
}

/** A tool's result must not lose its call, nor a call its twins: what stays begins before all of them. */
function tailStart(messages: readonly object[], head: number, wanted: number): number {
  let start = wanted;
  const isApart = (at: number) => !isToolResult(messages[at] ?? {}) && !isCallItem(messages[at - 1] ?? {});
  while (start > head && start < messages.length && !isApart(start)) {
    start--;
  }
  return start;
}

/** In the Responses API calls, and the reasoning that led to them, are items of their own. */
function isCallItem(item: object): boolean {
  return "type" in item && (item.type === "function_call" || item.type === "reasoning");
}

function lastOfEach(found: readonly FoundContent[]): FoundContent[] {
  const last = new Map<string, FoundContent>();
  for (const content of found) {
    last.delete(content.name);
    last.set(content.name, content);
  }
  return [...last.values()];
}

function fitting(found: readonly FoundContent[], budget: number): { kept: FoundContent[]; dropped: FoundContent[] } {
  const kept: FoundContent[] = [];
  const dropped: FoundContent[] = [];
  let left = budget;
  for (const content of found.toReversed()) {
    const fits = content.text.length <= left;
    left -= fits ? content.text.length : 0;
    (fits ? kept : dropped).unshift(content);
  }
  return { kept, dropped };
}
