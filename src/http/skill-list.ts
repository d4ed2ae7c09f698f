/** Owns the pages of `GET /v1/skills`: a cursor stays on the snapshot its first page came from. */
import * as z from "zod/mini";
import { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

/** Where a page begins. */
export interface Page {
  readonly query: string;
  readonly limit: number;
  readonly start: number;
  /** The snapshot to stay on; null on the first page. */
  readonly bundle: string | null;
}

const cursorSchema = z.object({ b: z.string(), n: z.number().check(z.int(), z.minimum(0)) });

/** Reads the page from a query string. Throws `request-invalid`. */
export function parsePage(parameters: URLSearchParams): Page {
  const cursor = parameters.get("cursor");
  const position = cursor === null ? { b: null, n: 0 } : parseCursor(cursor);
  return {
    query: parameters.get("query") ?? "",
    limit: parseLimit(parameters.get("limit")),
    start: position.n,
    bundle: position.b,
  };
}

/** The cursor of the page after one, or null at the end. */
export function nextCursor(bundle: string, page: Page, total: number): string | null {
  const n = page.start + page.limit;
  return n < total ? btoa(JSON.stringify({ b: bundle, n })) : null;
}

/** What the list says of a skill. */
export function listed(skill: AgentSkill): Record<string, unknown> {
  const { name, description, layer, digest, counts } = skill;
  // Only where it is so: another edge-skills that serves these on must not tell its models of it.
  const hidden = skill.hidden ? { hidden: true } : {};
  return { name, description, layer, digest, resources: counts.resources, scripts: counts.scripts, ...hidden };
}

function parseLimit(text: string | null): number {
  if (text === null) {
    return DEFAULT_LIMIT;
  }
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new SkillsError("request-invalid", `Cannot use limit "${text}": it is a whole number from 1 to ${MAX_LIMIT}`);
  }
  return limit;
}

function parseCursor(cursor: string): { b: string; n: number } {
  try {
    return z.parse(cursorSchema, JSON.parse(atob(cursor)));
  } catch {
    throw new SkillsError("request-invalid", "Cannot use this cursor: it is not one that this service gave");
  }
}
