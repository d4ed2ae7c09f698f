/** Owns the headers of every answer made from a snapshot: which one, and that no shared cache keeps it. */
import { digestOf, hexOf } from "../model/digest.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";

/** Headers of an answer that was made from a snapshot. */
export function snapshotHeaders(snapshot: Snapshot): Record<string, string> {
  const headers: Record<string, string> = {
    "X-Skills-Bundle": snapshot.name,
    "Cache-Control": "private, no-cache",
  };
  if (snapshot.stale) {
    // Storage failed; this is the last state that was known.
    headers["X-Skills-Stale"] = "true";
  }
  return headers;
}

/** Headers of a read, which a client may keep: it asks again before it uses it, and keeps it for nobody else. */
export function readHeaders(snapshot: Snapshot): Record<string, string> {
  return { ...snapshotHeaders(snapshot), Vary: "Authorization, X-Skills-Bundle" };
}

/** A JSON read with an entity tag; 304 when the caller has it already. */
export async function jsonRead(request: Request, body: unknown, headers: Record<string, string>): Promise<Response> {
  const text = JSON.stringify(body);
  const etag = `"${hexOf(await digestOf(text)).slice(0, 32)}"`;
  const all = { ...headers, ETag: etag, "Content-Type": "application/json" };
  return hasTag(request, etag)
    ? new Response(null, { status: 304, headers: all })
    : new Response(text, { headers: all });
}

/** Tells whether a request's `If-None-Match` names an entity tag. */
export function hasTag(request: Request, etag: string): boolean {
  const header = request.headers.get("If-None-Match");
  const tags = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return tags.includes(etag) || tags.includes("*");
}
