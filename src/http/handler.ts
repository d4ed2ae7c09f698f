/** Owns what answers a request. */
import type { Context } from "hono";
import type { EdgeEnv, EdgeParts } from "./parts.ts";

/** Answers one request. */
export type Handler = (c: Context<EdgeEnv>, parts: EdgeParts) => Promise<Response>;
