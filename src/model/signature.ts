/** Owns the signature of messages that this service sends to others, so that they can tell who sent one (CONTRACT.md §3). Never sends. */

export const SIGNATURE_HEADER = "X-Skills-Signature";

/**
 * The value of {@link SIGNATURE_HEADER}: `t=<unix seconds>,v1=<hex HMAC-SHA-256 of "t.body">`.
 *
 * @param now milliseconds since 1970
 */
export async function signatureOf(secret: string, body: string, now: number): Promise<string> {
  const at = Math.floor(now / 1_000);
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${at}.${body}`)));
  return `t=${at},v1=${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
