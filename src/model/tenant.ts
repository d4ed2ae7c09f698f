/** Owns what is told of a tenant to the platform's operator. Types only. */

/** A tenant whose name was written down. */
export interface KnownTenant {
  readonly name: string;
  /** ISO 8601; null for one that was never created by name, but has had a token, a secret or a skill put at run time. */
  readonly created_at: string | null;
}

/** A tenant as the operator sees it. */
export interface TenantFacts {
  readonly name: string;
  /** Null for one that was never created by name: it has a layer, settings, or something of its own. */
  readonly created_at: string | null;
  readonly suspended: boolean;
  /** The channels of its layer. */
  readonly channels: readonly string[];
}
