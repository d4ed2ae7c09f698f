/** Owns the calls of a load, and what makes an answer wrong: not 200, cut short, or made of more than one bundle. */
import { editionsIn, guide, SKILL_COUNT } from "./load-skills.ts";

/** An answer that takes so long never comes. */
const HANG_MS = 30_000;

/** A kind of request. */
export interface LoadCall {
  readonly kind: string;
  readonly path: (i: number) => string;
  /** Null for a GET. */
  readonly body: ((i: number) => unknown) | null;
  /** How often a whole answer names its edition, at least. */
  readonly marks: number;
}

const RUN = (i: number) => ({ skill_name: guide(i), script_name: "scripts/tell.sh", arguments: [] });
const READ = (i: number) => ({ skill_name: guide(i), resource_name: "references/long.md" });

/** Every kind once; they take turns. */
export const LOAD_CALLS: readonly LoadCall[] = [
  { kind: "context", path: () => "/v1/context?format=anthropic", body: null, marks: SKILL_COUNT },
  { kind: "list", path: () => "/v1/skills", body: null, marks: SKILL_COUNT },
  { kind: "skill", path: (i) => `/v1/skills/${guide(i)}`, body: null, marks: 3 },
  { kind: "load", path: () => "/v1/tools/load_skill", body: (i) => ({ skill_name: guide(i) }), marks: 2 },
  { kind: "read", path: () => "/v1/tools/read_skill_resource", body: READ, marks: 2 },
  { kind: "run", path: () => "/v1/tools/run_skill_script", body: RUN, marks: 1 },
  {
    kind: "tool-calls",
    path: () => "/v1/tool-calls",
    body: (i) => [
      { id: "a", name: "load_skill", arguments: { skill_name: guide(i) } },
      { id: "b", name: "load_skill", arguments: { skill_name: guide(i + 1) } },
      { id: "c", name: "read_skill_resource", arguments: READ(i + 2) },
      { id: "d", name: "read_skill_resource", arguments: { ...READ(i + 3), resource_name: "references/form.md" } },
    ],
    marks: 8,
  },
  {
    kind: "mcp",
    path: () => "/mcp",
    body: (i) => ({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "load_skill", arguments: { skill_name: guide(i) } },
    }),
    marks: 2,
  },
];

/** What came back. */
export interface LoadAnswer {
  readonly status: number;
  readonly bundle: string | null;
  readonly text: string;
}

/** Sends a call and reads its answer to the end. */
export async function sendLoadCall(edge: URL, token: string, call: LoadCall, i: number): Promise<LoadAnswer> {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...(call.kind === "mcp" ? { "MCP-Protocol-Version": "2025-11-25" } : {}),
  };
  const init = call.body === null ? {} : { method: "POST", body: JSON.stringify(call.body(i)) };
  const signal = AbortSignal.timeout(HANG_MS);
  const response = await fetch(new URL(call.path(i), edge), { ...init, headers, signal });
  return { status: response.status, bundle: response.headers.get("X-Skills-Bundle"), text: await response.text() };
}

/** Tells that every sandbox was taken, which is an answer too. */
export function isBusy({ text }: LoadAnswer): boolean {
  return text.includes('"runner-busy"');
}

/**
 * What is wrong with an answer; null for nothing. `known` learns which edition each bundle is: the same one in every answer.
 */
export function wrongIn(call: LoadCall, answer: LoadAnswer, known: Map<string, string>): string | null {
  const { status, bundle, text } = answer;
  const said = `${call.kind}: ${status} of ${bundle}: ${text.slice(0, 300)}`;
  if (status !== 200 || bundle === null) {
    return said;
  }
  const marks = editionsIn(text);
  const [edition] = marks;
  if (edition === undefined || marks.length < call.marks) {
    return isBusy(answer) ? null : `not whole: ${said}`;
  }
  const expected = known.get(bundle) ?? edition;
  known.set(bundle, expected);
  return marks.every((mark) => mark === expected) ? null : `mixed: ${[...new Set(marks)]} in ${bundle} (${said})`;
}
