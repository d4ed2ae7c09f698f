/** Owns what the HTTP face is made of. Bindings are read elsewhere (worker.ts); nothing here is read from an environment. */

import type { SkillsError } from "../model/errors.ts";
import type { Grant } from "../model/token.ts";
import type { AnswerCache } from "../provider/load-skill.ts";
import type { AgentSkillsProvider, ToolCaller } from "../provider/provider.ts";
import type { Tenancy } from "../tenancy/open-tenancy.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";

/** The parts of an edge. */
export interface EdgeParts extends Tenancy {
  /** The provider over the skills of a snapshot, for one caller. */
  readonly providerFor: (snapshot: Snapshot, caller: Caller) => AgentSkillsProvider;
  /** The door for MCP clients. */
  readonly mcp: (request: Request, scene: McpDoorScene) => Promise<Response>;
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
}

/** Where the edge says what a stranger is not told. */
export interface Logger {
  error(message: string, facts: Record<string, unknown>): void;
}

/** What is known of a request once its token is verified. */
export interface Caller {
  readonly grant: Grant;
  readonly agent: string | null;
  readonly session: string | null;
}

/** Hono's typing of what a request carries. */
export interface EdgeEnv {
  readonly Variables: { readonly requestId: string };
}
