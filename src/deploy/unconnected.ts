/** Owns telling a connection that was never made from one that broke: nothing can have been carried out, and waiting seldom helps. */

/** Tries of a request to which nobody ever listened: what starts just now is there with the second or third. */
export const UNCONNECTED_TRIES = 3;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "names of hosts cannot be looked up",
  ENETUNREACH: "there is no way to its network",
  EHOSTUNREACH: "there is no way to its host",
};

const CERTIFICATE = /CERT|^ERR_(?:TLS|SSL)_|^UNABLE_TO_/;

/** Why there is no connection, in words; null for any other failure of `fetch`. */
export function whyUnconnected(thrown: unknown): string | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = "code" in error && typeof error.code === "string" ? error.code : "";
    if (REASONS[code] !== undefined) {
      return REASONS[code];
    }
    if (CERTIFICATE.test(code)) {
      return `its certificate is not trusted: ${error.message}`;
    }
    if (error.message === "bad port") {
      return "no client may ask at this port";
    }
  }
  return null;
}
