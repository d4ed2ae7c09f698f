/** Owns how the bytes of a skill's file leave: never as something a browser would run (CONTRACT.md §3 `/files/`). */
import { counted } from "../model/counted.ts";
import { type Digest, hexOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { problemResponse } from "./problem.ts";
import { parseRange } from "./range.ts";
import { hasTag } from "./respond.ts";

/** A file to be sent. */
export interface SentFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: boolean;
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** Types that no browser runs. Everything else is an attachment. */
const PASSIVE = new Set([
  "text/plain",
  "text/markdown",
  "text/csv",
  "application/json",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

/** What a response needs to know of its request. */
export interface FileRequest {
  readonly request: Request;
  readonly requestId: string;
}

/** The response for a file: whole, in part (206), or not at all (304, 416). */
export function fileResponse(
  { request, requestId }: FileRequest,
  file: SentFile,
  headers: Record<string, string>,
): Response {
  const etag = `"${hexOf(file.digest)}"`;
  const all: Record<string, string> = {
    ...headers,
    ETag: etag,
    "Accept-Ranges": "bytes",
    "Content-Type": file.text ? `${file.mediaType}; charset=utf-8` : file.mediaType,
    "Content-Disposition": `${PASSIVE.has(file.mediaType) ? "inline" : "attachment"}; filename*=UTF-8''${fileName(file.name)}`,
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
  };
  if (hasTag(request, etag)) {
    return new Response(null, { status: 304, headers: all });
  }

  const condition = request.headers.get("If-Range");
  const asked = condition === null || condition === etag ? request.headers.get("Range") : null;
  const range = parseRange(asked, file.bytes.length);
  if (range === "beyond") {
    return beyondEnd(
      `Cannot give ${asked}: the file has ${counted(file.bytes.length, "byte")}`,
      file.bytes.length,
      requestId,
    );
  }
  if (range === null) {
    return new Response(file.bytes as Uint8Array<ArrayBuffer>, { headers: all });
  }
  const { start, end } = range;
  return new Response(file.bytes.subarray(start, end) as Uint8Array<ArrayBuffer>, {
    status: 206,
    headers: { ...all, "Content-Range": `bytes ${start}-${end - 1}/${file.bytes.length}` },
  });
}

function beyondEnd(message: string, size: number, requestId: string): Response {
  const response = problemResponse(new SkillsError("range-invalid", message), requestId);
  response.headers.set("Content-Range", `bytes */${size}`);
  return response;
}

function fileName(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
