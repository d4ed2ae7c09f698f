/** Owns the names of what the audit writes down. docs/operations.md says when each is. */

/** All that is written down. */
export const AUDIT_EVENTS = [
  "load",
  "search",
  "read",
  "run",
  "put",
  "delete",
  "approval.pending",
  "approval.decided",
  "deploy",
  "promote",
  "rollback",
  "block",
  "block.lift",
  "token.create",
  "token.revoke",
  "secret.put",
  "secret.remove",
  "tenant.create",
  "tenant.suspend",
  "tenant.resume",
  "tenant.delete",
] as const;

export type AuditEventName = (typeof AUDIT_EVENTS)[number];
