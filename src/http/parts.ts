/** Owns what the HTTP face is made of. Bindings are read elsewhere (worker.ts); nothing here is read from an environment. */

import type { ApprovalRecord } from "../model/approval-record.ts";
import type { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { Grant } from "../model/token.ts";
import type { AnswerCache } from "../provider/load-skill.ts";
import type { AgentSkillsProvider, ToolCaller } from "../provider/provider.ts";
import type { Audit } from "../tenancy/audit.ts";
import type { Tenancy } from "../tenancy/open-tenancy.ts";
import type { Secrets } from "../tenancy/secrets.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";
import type { TenantBook } from "../tenancy/tenant-book.ts";

/** The parts of an edge. */
export interface EdgeParts extends Tenancy {
  /** The provider over the skills of a snapshot, which runs nothing. */
  readonly readerFor: (snapshot: Snapshot, occasion: Occasion) => AgentSkillsProvider;
  /** The same for one caller, who may be told to wait for a person. */
  readonly providerFor: (snapshot: Snapshot, occasion: Occasion, outlive: Outlive) => AgentSkillsProvider;
  /** What is written down of the use of skills; null where nobody wants it. */
  readonly audit: Audit | null;
  /** The door for MCP clients. */
  readonly mcp: (request: Request, scene: McpDoorScene) => Promise<Response>;
  /** Answers `/console` and what is below it; null where it was not deployed. */
  readonly console: ((request: Request) => Promise<Response>) | null;
  /** What is written down about calls: approvals, answers under a key. */
  readonly book: TenantBook;
  /** Secrets of the network rules. */
  readonly secrets: Secrets;
  /** Tells those who asked to be told; null where nobody did. */
  readonly onApproval: OnApproval | null;
  /** Tenants that have settings of their own. */
  readonly configured: readonly string[];
  /** Issuers whose tokens are taken beside our own. */
  readonly issuers: readonly string[];
  /** Counts a request of a token; false when it has had too many. Null: nobody counts. */
  readonly limiter: ((token: string) => Promise<boolean>) | null;
  /** Layers that anybody may discover. */
  readonly publicLayers: readonly string[];
  /** Keeps what is made of immutable things. */
  readonly cache: AnswerCache;
  /** Origins whose pages may ask from a browser. */
  readonly origins: readonly string[];
  readonly log: Logger;
  /** Which `Host` and `Origin` headers are taken: any, or only those of a loopback address (`dev`). */
  readonly hosts: "any" | "loopback";
}

/** Whom the MCP door answers, and on which snapshot. */
export interface McpDoorScene {
  readonly provider: AgentSkillsProvider;
  readonly caller: ToolCaller;
  readonly bundle: string;
  readonly onFailure: (error: SkillsError) => void;
  /** Told of each file that is read as a resource; what tools do is told elsewhere. */
  readonly onRead: (skill: AgentSkill, path: string) => void;
}

/** Lets work outlive its request. */
export type Outlive = (work: Promise<unknown>) => void;

/** What happened to an approval; the work of telling it may outlive the request. */
export type OnApproval = (
  event: "approval.pending" | "approval.decided",
  approval: ApprovalRecord,
  outlive: Outlive,
) => void;

/** Where the edge says what a stranger is not told. */
export interface Logger {
  error(message: string, facts: Record<string, unknown>): void;
}

/** What is known of a request once its token is verified. */
export interface Caller {
  /** The address that was asked, for addresses in answers. */
  readonly url: string;
  readonly grant: Grant;
  readonly agent: string | null;
  readonly session: string | null;
  /** The request's own, within the caller's trace (trace.ts); null outside of one. */
  readonly traceparent: string | null;
}

/** A request that something is done in. */
export interface Occasion {
  readonly caller: Caller;
  readonly requestId: string;
}

/** Hono's typing of what a request carries. */
export interface EdgeEnv {
  readonly Variables: { readonly requestId: string };
}
