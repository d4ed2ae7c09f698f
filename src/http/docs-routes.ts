/** Owns `/healthz`, `/openapi.json` and `/docs`: what an edge says of itself, to everybody. The documents are made when first asked for. */
import type { Context } from "hono";
import { BUNDLE_FORMAT } from "../bundle/index-format.ts";
import type { EdgeEnv } from "./parts.ts";
import { jsonRead } from "./respond.ts";

const CACHED = "public, max-age=300";

/** `GET /healthz`; who deploys asks first which formats of bundles are read. */
export async function getHealth(): Promise<Response> {
  return Response.json({ status: "ok", bundle_formats: [BUNDLE_FORMAT] });
}

/** `GET /openapi.json` */
export async function getOpenApi(c: Context<EdgeEnv>): Promise<Response> {
  const { openApiDocument } = await import("./openapi.ts");
  return jsonRead(c.req.raw, openApiDocument(), { "Cache-Control": CACHED, "Access-Control-Allow-Origin": "*" });
}

/** `GET /docs` */
export async function getDocs(): Promise<Response> {
  const [{ openApiDocument }, { docsPage }] = await Promise.all([import("./openapi.ts"), import("./docs-page.ts")]);
  return new Response(docsPage(openApiDocument()), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": CACHED,
      "Content-Security-Policy":
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
