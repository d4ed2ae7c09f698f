/** Owns the error codes, what each means at every door, and the class that carries one. Never formats for a door; http, mcp and cli do. */

/** Who can put it right. Only what an author or a caller can mend crosses the wire in its own words. */
export type Blame = "author" | "caller" | "operator" | "system";

/** What one code means at every door. */
export interface ErrorFacts {
  readonly blame: Blame;
  /** HTTP status of a problem; a tool answers 200 with `is_error` for those with `tool`. */
  readonly status: number;
  /** Exit status of the command line: 1 input, 2 wrong use, 3 surroundings. */
  readonly exit: 1 | 2 | 3;
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
  /** RFC 9457 title, and all a stranger learns when the blame is the operator's or the system's. */
  readonly title: string;
}

/** A row as it is written down. Rows without calls are there at once when the library is imported. */
type Row = readonly [blame: Blame, status: number, exit: ErrorFacts["exit"], title: string];

/** Every error code with its meaning (DESIGN.md §9). A new code does not compile anywhere until it has a row here. */
export const ERROR_FACTS = {
  "approval-denied": ["operator", 403, 1, "A person refused this call"],
  "approval-invalid": ["caller", 409, 1, "Approval does not fit this call"],
  "approval-own": ["caller", 403, 1, "Token cannot decide what it asked for"],
  "approval-unknown": ["caller", 404, 1, "Approval is not known"],
  "approvals-full": ["caller", 429, 1, "Too many calls wait for a person"],
  "archive-corrupt": ["author", 422, 1, "Archive cannot be read"],
  "archive-encrypted": ["author", 422, 1, "Archive needs a password"],
  "archive-link": ["author", 422, 1, "Archive holds a link or a device"],
  "archive-path-too-long": ["author", 422, 1, "Path does not fit the archive"],
  "archive-too-large": ["author", 413, 1, "Archive is too large"],
  "archive-too-many-files": ["author", 413, 1, "Archive has too many files"],
  "archive-unsafe-path": ["author", 422, 1, "Archive holds an unsafe path"],
  "arguments-invalid": ["caller", 400, 1, "Arguments are not valid"],
  "body-too-large": ["caller", 413, 1, "Request body is too large"],
  "bundle-blocked": ["caller", 409, 1, "Bundle was recalled"],
  "bundle-damaged": ["system", 500, 3, "Stored bundle is damaged"],
  "bundle-format-unknown": ["operator", 500, 3, "Stored bundle has an unknown format"],
  "bundle-gone": ["caller", 409, 1, "Bundle is no longer kept"],
  "bundle-unknown": ["caller", 404, 2, "Bundle is not known"],
  "channels-full": ["caller", 409, 1, "No room for more channels"],
  "config-invalid": ["operator", 500, 2, "Configuration is not valid"],
  "credentials-invalid": ["operator", 500, 3, "Credentials are missing or refused"],
  "deploy-conflict": ["operator", 409, 3, "Channel was moved by someone else"],
  "digest-unknown": ["caller", 404, 2, "Digest is not known"],
  "directory-missing": ["caller", 400, 2, "Directory is not there"],
  "edge-unavailable": ["system", 502, 3, "Edge cannot be reached"],
  "file-blocked": ["caller", 410, 1, "File was recalled"],
  "files-changed": ["caller", 409, 3, "Files changed while they were read"],
  "format-unknown": ["caller", 400, 2, "Format is not known"],
  "idempotency-conflict": ["caller", 409, 1, "Key belongs to another call"],
  internal: ["system", 500, 3, "Something went wrong here"],
  "json-invalid": ["caller", 400, 1, "Request body is not valid JSON"],
  "method-not-allowed": ["caller", 405, 2, "Method is not allowed here"],
  "name-protected": ["caller", 403, 1, "Name is protected"],
  "origin-refused": ["caller", 403, 1, "Origin is not allowed"],
  "output-exists": ["caller", 409, 2, "Output is already there"],
  "packages-invalid": ["operator", 500, 1, "Python packages are not as they should be"],
  "port-taken": ["caller", 409, 3, "Port is taken"],
  "range-invalid": ["caller", 416, 1, "Range cannot be satisfied"],
  "rate-limited": ["caller", 429, 3, "Too many requests"],
  "request-invalid": ["caller", 400, 1, "Request is not valid"],
  "resource-not-found": ["caller", 404, 1, "Resource is not known"],
  "route-not-found": ["caller", 404, 2, "Nothing is here"],
  "runner-busy": ["system", 503, 3, "Runner is busy"],
  "runner-failed": ["system", 502, 3, "Runner failed"],
  "runner-lost": ["system", 502, 3, "Another run, or a fault, took the runner down under this one"],
  "runtime-full": ["caller", 409, 1, "No room for more skills"],
  "scope-missing": ["caller", 403, 3, "Token lacks a scope"],
  "script-not-found": ["caller", 404, 1, "Script is not known"],
  "script-not-runnable": ["author", 422, 1, "Script cannot run here"],
  "script-refused": ["operator", 403, 1, "Running scripts is not enabled here"],
  "secret-key-missing": ["caller", 409, 3, "Edge has no key for secrets"],
  "secret-unknown": ["caller", 404, 2, "Secret is not known"],
  "secret-unreadable": ["operator", 500, 3, "Secret cannot be opened"],
  "secrets-full": ["caller", 409, 1, "No room for more secrets"],
  "skill-blocked": ["caller", 410, 1, "Skill was recalled"],
  "skill-md-missing": ["author", 422, 1, "There is no SKILL.md"],
  "skill-not-found": ["caller", 404, 1, "Skill is not known"],
  "skills-invalid": ["author", 422, 1, "Skills have errors"],
  "source-invalid": ["author", 422, 1, "Source does not offer skills as it should"],
  "source-unavailable": ["system", 502, 3, "Source of skills cannot be reached"],
  "state-in-use": ["operator", 409, 3, "State directory is in use"],
  "storage-unavailable": ["system", 503, 3, "Storage is not available"],
  "target-busy": ["operator", 409, 3, "Somebody else works on the target"],
  "tenant-exists": ["caller", 409, 1, "Tenant is there already"],
  "tenant-suspended": ["caller", 403, 1, "Tenant is suspended"],
  "tenant-unknown": ["caller", 404, 2, "Tenant is not known"],
  "token-invalid": ["caller", 401, 3, "Token is not valid"],
  "token-missing": ["caller", 401, 3, "Token is missing"],
  "token-unknown": ["caller", 404, 2, "Token is not known"],
  "upload-gone": ["caller", 409, 3, "Upload is over"],
  "upload-incomplete": ["caller", 409, 3, "Bundle refers to what was not sent"],
  "upload-invalid": ["author", 422, 1, "Upload is not as it has to be"],
  "upload-too-large": ["author", 413, 1, "Upload is too large"],
  usage: ["caller", 400, 2, "Wrong use"],
} as const satisfies Record<string, Row>;

/** A stable name of what went wrong; programs compare it. docs/operations.md says what to do. */
export type ErrorCode = keyof typeof ERROR_FACTS;

/** What an error carries beside its words. */
export interface SkillsErrorOptions {
  readonly cause?: unknown;
  /** Known names close to the one asked for. */
  readonly candidates?: readonly string[];
  /** How long to wait before the next try, milliseconds. */
  readonly retryAfterMs?: number;
  /** How to mend it, for people at a terminal. */
  readonly hint?: string;
}

const BRAND = Symbol.for("edge-skills.error");

/** A failure with a stable code. Compare `code`; the message is prose. */
export class SkillsError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  /** Known names close to the one asked for. */
  readonly candidates: readonly string[] | null;
  /** How long to wait before the next try, milliseconds. */
  readonly retryAfterMs: number | null;
  /** How to mend it, for people at a terminal. */
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, options: SkillsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SkillsError";
    this.code = code;
    this.candidates = options.candidates ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.hint = options.hint ?? null;
  }

  /** Tells whether a value is a SkillsError, also one made by another copy of this package. */
  static is(value: unknown): value is SkillsError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** The facts of a code. */
export function factsOf(code: ErrorCode): ErrorFacts {
  const [blame, status, exit, title] = ERROR_FACTS[code];
  return { blame, status, exit, retry: status === 429 || status === 503, title };
}

/** What may be told to a stranger: the error's own words if they can act on them, else its title. */
export function publicMessage(error: SkillsError): string {
  const { blame, title } = factsOf(error.code);
  return blame === "author" || blame === "caller" ? error.message : title;
}

/** Any thrown value as a SkillsError; what is not one becomes `internal` with the value as its cause. */
export function toSkillsError(thrown: unknown): SkillsError {
  if (SkillsError.is(thrown)) {
    return thrown;
  }
  return new SkillsError("internal", thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}
