/** Owns digests: `sha256:<64 lowercase hex>`, the only name a file, record or bundle has. Never touches storage. */

/** A SHA-256 digest in the one spelling used everywhere: `sha256:` and 64 lowercase hex digits. */
export type Digest = `sha256:${string}` & { readonly __brand: "Digest" };

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Tells whether a value is a digest in the one accepted spelling. */
export function isDigest(value: unknown): value is Digest {
  return typeof value === "string" && DIGEST.test(value);
}

/** Makes the digest of some bytes, or of a text's UTF-8 bytes. */
export async function digestOf(content: Uint8Array | string): Promise<Digest> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return digestFromHash(new Uint8Array(hash));
}

/** Writes the 32 bytes of a SHA-256 hash as a digest. */
export function digestFromHash(hash: Uint8Array): Digest {
  let hex = "";
  for (const byte of hash) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return `sha256:${hex}` as Digest;
}

const FEWEST_DIGITS = 6;

/** The digests that begin with what somebody typed, `sha256:` or not; none for fewer than six digits. */
export function digestsLike(known: Iterable<Digest>, typed: string): Digest[] {
  const digits = typed.replace(/^sha256:/, "").toLowerCase();
  return digits.length < FEWEST_DIGITS ? [] : [...known].filter((digest) => hexOf(digest).startsWith(digits));
}

/** The 64 hex digits of a digest, without `sha256:`. */
export function hexOf(digest: Digest): string {
  return digest.slice("sha256:".length);
}
