/** Owns this service's place in a caller's trace (W3C Trace Context): a span of its own for each request that is part of one. Begins no trace itself. */

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

const NONE = /^0+$/;

const made = new WeakMap<Request, string | null>();

/** The request's own `traceparent`, for whoever is asked in its course, and told as `traceresponse`; null when the caller sent none that is valid. */
export function traceOf(request: Request): string | null {
  const sent = request.headers.get("traceparent");
  if (sent === null) {
    return null;
  }
  const known = made.get(request);
  if (known !== undefined) {
    return known;
  }
  const own = childOf(sent, crypto.getRandomValues(new Uint8Array(8)));
  made.set(request, own);
  return own;
}

/** A `traceparent` of the same trace, with a span of its own; null for what is no valid one. */
export function childOf(traceparent: string, span: Uint8Array): string | null {
  const [, version = "", trace = "", parent = "", flags = "", more] = TRACEPARENT.exec(traceparent) ?? [];
  const isValid = trace !== "" && version !== "ff" && !(version === "00" && more !== undefined);
  if (!isValid || NONE.test(trace) || NONE.test(parent)) {
    return null;
  }
  const id = Array.from(span, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `00-${trace}-${id}-${flags}`;
}

/** The trace that a `traceparent` names. */
export function traceIdOf(traceparent: string | null): string | null {
  return traceparent?.split("-")[1] ?? null;
}
