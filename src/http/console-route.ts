/** Owns the door to the console: open to everybody, since its page holds nothing. What is behind it is console/'s. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";

/** Where people decide an approval; the API's own address where there is no console. */
export function approvalUrl({ url, grant }: Caller, id: string, console: EdgeParts["console"]): string {
  const path = console === null ? `/v1/approvals/${id}` : `/console/approvals/${id}?tenant=${grant.tenant}`;
  return new URL(path, url).href;
}

/** `GET /console` and what belongs to it */
export async function getConsole(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  if (parts.console === null) {
    throw new SkillsError("route-not-found", "Cannot show the console: this service was deployed without it");
  }
  return parts.console(c.req.raw);
}
