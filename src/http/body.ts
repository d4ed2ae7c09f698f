/** Owns reading a request's body: bounded, JSON, an object. */
import { passOver, readBounded } from "../model/bounded-body.ts";
import { isTooDeep, MAX_DEPTH } from "../model/depth.ts";
import { SkillsError } from "../model/errors.ts";

/** Bytes a request's body may have. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Lists and objects around what may itself be so deep: a call among calls. */
const MAX_BODY_DEPTH = MAX_DEPTH + 8;

/** The JSON of a request. Throws `body-too-large`, `json-invalid`, or `request-invalid` for JSON that lies too deep. */
export async function readJson(request: Request, most = MAX_BODY_BYTES): Promise<unknown> {
  const value = parse(await readText(request, most));
  if (isTooDeep(value, MAX_BODY_DEPTH)) {
    throw new SkillsError(
      "request-invalid",
      `Cannot use the request body: lists and objects lie more than ${MAX_BODY_DEPTH} deep in it`,
    );
  }
  return value;
}

/** The JSON object of a request. Throws `body-too-large`, `json-invalid`, or `request-invalid` for JSON that is no object, or too deep. */
export async function readJsonObject(
  request: Request,
  most = MAX_BODY_BYTES,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJson(request, most);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SkillsError("request-invalid", "Cannot use the request body: it is not a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

async function readText(request: Request, most: number): Promise<string> {
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > most) {
    await passOver(request.body);
    throw tooLarge(most);
  }
  try {
    // The platform holds a body to its declared length. Not text(): that would put other characters in place of what is not UTF-8.
    return declared > 0 || request.body === null
      ? utf8.decode(await request.arrayBuffer())
      : await collect(request.body, most);
  } catch (error) {
    throw error instanceof TypeError ? notJson() : error;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Reads a body of unknown length, no further than it may be long. */
async function collect(body: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) {
      throw tooLarge(most);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The bytes of a request, no more than `limit`. Throws `upload-too-large`. */
export async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const bytes = await readBounded(request.body, limit);
  if (bytes === null) {
    throw new SkillsError("upload-too-large", `Cannot read the request body: it is over ${limit} bytes`);
  }
  return bytes;
}

function tooLarge(most: number): SkillsError {
  return new SkillsError("body-too-large", `Cannot read the request body: it is over ${most} bytes`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

function notJson(): SkillsError {
  return new SkillsError("json-invalid", "Cannot read the request body: it is not JSON in UTF-8");
}
