/** Owns the answer of a tool call (CONTRACT.md §3 "The tools") and how a failure becomes one. Never decides what a tool does. */
import type { Digest } from "../model/digest.ts";
import { type ErrorCode, factsOf, publicMessage, type SkillsError, toSkillsError } from "../model/errors.ts";
import type { RunResult } from "../model/run.ts";
import { attributeText } from "./escape.ts";

/** What a resource answer says of the part it holds. */
export interface ResourceFacts {
  readonly name: string;
  readonly media_type: string;
  readonly encoding: "utf-8" | "base64";
  /** Of the whole resource, bytes. */
  readonly size: number;
  /** Where this part begins, bytes. */
  readonly offset: number;
  /** Where to go on; null at the end. */
  readonly next_offset: number | null;
}

/** What a tool call answers, before a snapshot's name is added. */
export interface ToolAnswer {
  readonly is_error: boolean;
  /** Text for the model. */
  readonly content: string;
  readonly skill?: { readonly name: string; readonly digest: Digest | null };
  readonly resource?: ResourceFacts;
  readonly run?: RunResult;
  /** Where to go on in a body that was cut; null or absent when it is whole. */
  readonly next_offset?: number;
  /** Who has to be asked before the call is made; it was not. */
  readonly approval?: {
    readonly id: string;
    readonly status: "pending";
    readonly url: string | null;
    /** ISO 8601. */
    readonly expires_at: string;
  };
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly candidates: readonly string[];
    readonly retry_after_ms?: number;
  };
}

/**
 * The answer of a call that failed in a way the model or the caller can act on. What the service got wrong is thrown on:
 * that is a problem of the request, not an answer of a tool.
 */
export function failedAnswer(thrown: unknown): ToolAnswer {
  const error = toSkillsError(thrown);
  if (!isAnswerable(error)) {
    throw error;
  }
  const message = publicMessage(error);
  const candidates = error.candidates ?? [];
  const suggestion =
    candidates.length > 0 ? `\nKnown: ${candidates.map((name) => `"${attributeText(name)}"`).join(", ")}` : "";
  const retry = error.retryAfterMs === null ? {} : { retry_after_ms: error.retryAfterMs };
  return {
    is_error: true,
    content: `Error: ${message}${suggestion}`,
    error: { code: error.code, message, candidates, ...retry },
  };
}

/** The answer of any call that failed, with the error's own words. */
export function detailedAnswer(thrown: unknown): ToolAnswer {
  const error = toSkillsError(thrown);
  if (isAnswerable(error)) {
    return failedAnswer(error);
  }
  const { code, message } = error;
  return { is_error: true, content: `Error: ${message}`, error: { code, message, candidates: [] } };
}

/** Codes that a model or caller can act on although somebody else is to blame. */
const ANSWERABLE: ReadonlySet<ErrorCode> = new Set([
  "approval-denied",
  "runner-busy",
  "runner-failed",
  "runner-lost",
  "script-refused",
]);

function isAnswerable(error: SkillsError): boolean {
  const { blame } = factsOf(error.code);
  return blame === "caller" || blame === "author" || ANSWERABLE.has(error.code);
}
