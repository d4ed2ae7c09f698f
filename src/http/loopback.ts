/** Owns keeping a local edge local: a page in the developer's browser must not reach it through a name it controls (DNS rebinding). */
import { SkillsError } from "../model/errors.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Throws `request-invalid` when a request names a host or an origin that is not this machine. */
export function requireLoopback(request: Request): void {
  const host = request.headers.get("Host");
  const origin = request.headers.get("Origin");
  if ((host !== null && !LOOPBACK.test(host)) || (origin !== null && !isLoopbackOrigin(origin))) {
    throw new SkillsError(
      "request-invalid",
      "Cannot answer: this edge is local, and the Host or Origin header names another machine",
    );
  }
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && LOOPBACK.test(new URL(origin).host);
}
