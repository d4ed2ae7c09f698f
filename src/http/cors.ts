/** Owns which pages of other origins may ask from a browser: those that the operator names. Tokens travel in a header, never in a cookie. */
import { SkillsError } from "../model/errors.ts";

const ALLOWED_HEADERS =
  "Authorization, Content-Type, Accept, If-None-Match, If-Range, Range, Idempotency-Key, X-Skills-Bundle, X-Skills-Agent, X-Skills-Session, X-Skills-Actor, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate";
const EXPOSED_HEADERS =
  "ETag, X-Skills-Bundle, X-Skills-Stale, X-Request-Id, Content-Range, Retry-After, Server-Timing, traceresponse";

/** A day: what browsers keep a preflight's answer for, at most. */
const MAX_AGE = "86400";

/** Throws `origin-refused` for a page of an origin that is neither this service's own nor named. */
export function requireOrigin(request: Request, origins: readonly string[]): void {
  const origin = request.headers.get("Origin");
  if (origin !== null && origin !== new URL(request.url).origin && !isAllowed(origin, origins)) {
    throw new SkillsError("origin-refused", "Cannot answer a page of this origin: it is not among those allowed");
  }
}

/** Adds what lets a page of an allowed origin read an answer. */
export function allowOrigin(request: Request, response: Response, origins: readonly string[]): void {
  const origin = request.headers.get("Origin");
  if (origin === null || !isAllowed(origin, origins)) {
    return;
  }
  response.headers.set("Access-Control-Allow-Origin", origin);
  response.headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  response.headers.append("Vary", "Origin");
}

/** The answer to a preflight, or to any `OPTIONS`: which methods the path takes. */
export function optionsResponse(request: Request, methods: string, origins: readonly string[]): Response {
  const response = new Response(null, { status: 204, headers: { Allow: methods } });
  const origin = request.headers.get("Origin");
  if (origin !== null && isAllowed(origin, origins)) {
    response.headers.set("Access-Control-Allow-Methods", methods);
    response.headers.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
    response.headers.set("Access-Control-Max-Age", MAX_AGE);
  }
  return response;
}

function isAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.includes(origin) || origins.includes("*");
}
