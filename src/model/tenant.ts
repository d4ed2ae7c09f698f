/** Owns what is told of a tenant to the platform's operator. Types only. */

/** A tenant whose name was written down. */
export interface KnownTenant {
  readonly name: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A tenant as the operator sees it. */
export interface TenantFacts {
  readonly name: string;
  /** Null for one that was never created by name: it has a layer, or settings. */
  readonly created_at: string | null;
  readonly suspended: boolean;
  /** The channels of its layer. */
  readonly channels: readonly string[];
}
