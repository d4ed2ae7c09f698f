/** Owns how a failure leaves over HTTP: RFC 9457 problem documents. Tells a stranger little; the log has the rest under the request's id. */
import { factsOf, publicMessage, type SkillsError } from "../model/errors.ts";
import type { EdgeParts } from "./parts.ts";

/** The problem document of an error, as a response; `more` are members of its own. */
export function problemResponse(
  error: SkillsError,
  requestId: string,
  more: Readonly<Record<string, unknown>> = {},
): Response {
  const { status, title } = factsOf(error.code);
  const candidates = error.candidates === null ? {} : { candidates: error.candidates };
  const body = {
    type: "about:blank",
    title,
    status,
    code: error.code,
    detail: publicMessage(error),
    request_id: requestId,
    ...candidates,
    ...more,
  };
  const headers = new Headers({
    "Content-Type": "application/problem+json",
    "Cache-Control": "private, no-store",
    "X-Request-Id": requestId,
  });
  if (status === 401) {
    headers.set("WWW-Authenticate", error.code === "token-missing" ? "Bearer" : 'Bearer error="invalid_token"');
  }
  if (error.code === "scope-missing") {
    headers.set("WWW-Authenticate", 'Bearer error="insufficient_scope"');
  }
  if (error.retryAfterMs !== null) {
    headers.set("Retry-After", String(Math.ceil(error.retryAfterMs / 1_000)));
  }
  return Response.json(body, { status, headers });
}

/** Writes down what a stranger is not told, when it was the service's fault. */
export function logFailure(error: SkillsError, requestId: string, { log }: Pick<EdgeParts, "log">): void {
  const { code, message, stack, cause } = error;
  if (factsOf(code).status >= 500) {
    log.error(message, { request_id: requestId, code, cause: String(cause ?? ""), stack });
  }
}
