/** Owns which headers go out with a script's request and come back with its answer. Never a body. */

/** Of one connection, or of the machines on the way, or what some servers take for the method or path in place of those judged: a script has no say in them. */
const NEVER_OUT =
  /^(?:x-http-method|x-http-method-override|x-method-override|x-original-url|x-rewrite-url|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|host|content-length|accept-encoding|forwarded|x-forwarded-.*|x-real-ip|true-client-ip|via|cdn-loop|cf-.*|x-egress)$/;

/** A caller's own credentials, and what would cut an answer so that a secret in it is not found. */
const NEVER_WITH_SECRET = /^(?:authorization|cookie|.*(?:api|auth|access|secret|session|token).*|range|if-range)$/;

const NEVER_BACK =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-encoding|content-length|alt-svc|x-egress)$/;

/** The headers of a request as it goes out; `secret` is what the operator adds in place of the script's own credentials. */
export function outgoingHeaders(
  asked: Headers,
  secret: { readonly header: string; readonly value: string } | null,
): Headers {
  const headers = new Headers();
  for (const [name, value] of asked) {
    if (!NEVER_OUT.test(name) && (secret === null || !NEVER_WITH_SECRET.test(name))) {
      headers.append(name, value);
    }
  }
  if (secret !== null) {
    headers.set(secret.header, secret.value);
  }
  return headers;
}

/** The headers of an answer as the script sees it. With a secret its cookies stay here: they are a session of the operator's. */
export function incomingHeaders(answered: Headers, blank: ((text: string) => string) | null): Headers {
  const headers = new Headers();
  for (const [name, value] of answered) {
    if (!NEVER_BACK.test(name) && (blank === null || name !== "set-cookie")) {
      headers.append(name, blank === null ? value : blank(value));
    }
  }
  return headers;
}
