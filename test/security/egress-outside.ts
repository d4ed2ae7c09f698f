/** Owns a network of one run whose outside is a function of a test; nothing leaves the process. */
import { expect } from "vitest";
import type { EgressRule } from "../../src/model/egress.ts";
import { DEFAULT_RUN_LIMITS } from "../../src/model/run.ts";
import { createEgress, type EgressLimits, type EgressParts, type EgressRefusal } from "../../src/runners/egress.ts";

export const SECRET = 's3cr3t/+ &"token-0123456789';
export const LIMITS: EgressLimits = DEFAULT_RUN_LIMITS;
export const API = "https://api.example.com";

export interface Outside {
  readonly sent: Request[];
  readonly refused: EgressRefusal[];
  ask(url: string, init?: RequestInit): Promise<Response>;
}

/** A run's network whose outside is a function of this test. */
export function outside(
  rules: readonly EgressRule[],
  answer: (request: Request) => Response | Promise<Response> = () => new Response("fine"),
  more: Partial<EgressParts> = {},
  limits: Partial<EgressLimits> = {},
): Outside {
  const sent: Request[] = [];
  const refused: EgressRefusal[] = [];
  const network = createEgress({
    rules,
    own: new Set(["skills.example.com", "loopback:8787"]),
    secretOf: async (_tenant, name) => (name === "api" ? SECRET : null),
    send: async (request) => {
      sent.push(request.clone());
      return answer(request);
    },
    onRefused: (facts) => refused.push(facts),
    ...more,
  })({ skill: "rates", tenant: "acme" }, { ...LIMITS, ...limits });
  return { sent, refused, ask: (url, init) => network.fetch(new Request(url, init)) };
}

export const isRefused = (response: Response) =>
  response.status === 403 && response.headers.get("x-egress") === "refused";

/** Asks, and says why it was refused, or null when it went out. */
export async function reasonFor(world: Outside, url: string, init?: RequestInit): Promise<string | null> {
  const response = await world.ask(url, init);
  expect(isRefused(response)).toBe(world.sent.length === 0);
  return world.refused[0]?.reason ?? null;
}
