/** Reads the steps of cases/tenants.json: how one is asked, and what its answer must be. Rules: cases/README.md. */
import { expect } from "vitest";

/** One request of a case. */
export interface Step {
  readonly as: string | null;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly at_once?: boolean;
  readonly save?: Readonly<Record<string, string>>;
  readonly expect: {
    readonly mcp?: boolean;
    readonly status?: number | string;
    readonly status_in?: readonly number[];
    readonly status_not?: readonly number[];
    readonly code?: string;
    readonly is_error?: boolean;
    readonly must_contain?: readonly string[];
    readonly must_not_contain?: readonly string[];
    readonly denied?: boolean;
    readonly approval_pending?: boolean;
    readonly cache_control_not_public?: boolean;
    readonly same_as?: "first";
  };
}

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
}

const MCP_VERSION = "2026-07-28";

/** Reads an answer. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let json = {};
  try {
    json = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Path, headers and body of a step; with `mcp` what the protocol asks for is added. */
export function mcpRequest(step: Step, values: ReadonlyMap<string, string>) {
  const path = filled(step.path, values, encodeURIComponent);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    headers[name] = filled(value, values, String);
  }
  if (!step.expect.mcp) {
    return { path, headers, body: step.body === undefined ? undefined : JSON.stringify(step.body) };
  }
  const message = step.body as { method: string; params: { name?: string; uri?: string } };
  const name = message.params.name ?? message.params.uri;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MCP_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "cases", version: "1" },
  };
  return {
    path,
    headers: {
      ...headers,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": MCP_VERSION,
      "Mcp-Method": message.method,
      ...(name === undefined ? {} : { "Mcp-Name": name }),
    },
    body: JSON.stringify({ ...message, params: { ...message.params, _meta } }),
  };
}

/** Keeps what a step saves for later ones. */
export function saved({ save = {} }: Step, answer: Answer, values: Map<string, string>): void {
  for (const [name, from] of Object.entries(save)) {
    const [kind, where = ""] = from.split(/:(.*)/s);
    values.set(name, kind === "header" ? (answer.headers.get(where) ?? "") : String(at(answer.json, where)));
  }
}

/** Holds an answer against what the step expects of it. */
export function checkStep(step: Step, answer: Answer, first: Answer, values: ReadonlyMap<string, string>): void {
  const { expect: wanted } = step;
  const whole = `${[...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${answer.text}`;
  const code = answer.json.code ?? at(answer.json, "error.code");
  const fits = (text: string) => whole.includes(filled(text, values, String));
  const isError = answer.json.is_error === true;

  expect(answer.status).toSatisfy((status: number) => statusFits(status, wanted), `status of ${whole}`);
  expect(
    (wanted.must_contain ?? []).filter((text) => !fits(text)),
    whole,
  ).toEqual([]);
  expect((wanted.must_not_contain ?? []).filter(fits), whole).toEqual([]);
  if (wanted.code !== undefined) {
    expect(code).toBe(wanted.code);
  }
  if (wanted.is_error !== undefined) {
    expect(answer.json.is_error).toBe(wanted.is_error);
  }
  if (wanted.denied) {
    expect(isError || (answer.status >= 400 && answer.status < 500)).toBe(true);
  }
  if (wanted.approval_pending) {
    expect(answer.json).toMatchObject({ approval: { status: "pending", id: expect.any(String) } });
  }
  if (wanted.cache_control_not_public) {
    expect(answer.headers.get("Cache-Control")).toMatch(/private|no-store/);
  }
  if (wanted.same_as) {
    const facts = (one: Answer) => [one.status, one.json.code, Object.keys(one.json).sort()];
    expect(facts(answer)).toEqual(facts(first));
  }
}

function statusFits(status: number, { status: wanted, status_in, status_not }: Step["expect"]): boolean {
  const isRange = typeof wanted === "string";
  const fits = wanted === undefined || (isRange ? Math.floor(status / 100) === Number(wanted[0]) : status === wanted);
  return fits && (status_in?.includes(status) ?? true) && !status_not?.includes(status);
}

function filled(text: string, values: ReadonlyMap<string, string>, write: (value: string) => string): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : write(value);
  });
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((held, key) => (held as Record<string, unknown> | undefined)?.[key], value);
}
