/**
 * Owns what the MCP server package takes from its platform, in place of what it brings itself: a validator of JSON Schema, which only forms sent to a
 * person need, and this server sends none. Builds put it there by the package's own door for platforms (`EDGE_ALIAS` of deploy/build-edge.ts, wrangler.toml).
 */

/** Says that there is none, if it is ever asked. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error("There is no validator of JSON Schema here");
  }
}

/** There is no standard input or output either. */
export const process = {};
