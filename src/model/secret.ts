/** Owns what a secret of the network rules may be called and hold. Never holds one. */

/** A secret as it is kept: sealed, and where only the edge's key opens it. */
export interface SealedSecret {
  readonly name: string;
  readonly sealed: string;
  /** ISO 8601 in UTC. */
  readonly put_at: string;
}

/** What may be told of a secret. */
export type SecretFacts = Omit<SealedSecret, "sealed">;

/** Characters of a secret. */
export const MAX_SECRET_LENGTH = 8 * 1024;

/** Secrets of one tenant, or of the platform. */
export const MAX_SECRETS = 100;

/** Tells whether a text can name a secret: a letter, then letters, digits, `_`, `-` and `.`, 64 at most. */
export function isSecretName(text: string): boolean {
  return /^[A-Za-z][\w.-]{0,63}$/.test(text);
}

/** Tells whether a text can be a secret: what a header can carry as it is, so printable ASCII without blanks around it. */
export function isSecretValue(text: string): boolean {
  return text.length <= MAX_SECRET_LENGTH && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
