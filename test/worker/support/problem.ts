/** Reads problem documents, so that a test compares them whole. */

/** A problem without what differs from request to request. */
export interface Problem {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

/** Status, media type and document of an answer; the request's id in it must be the one of its header. */
export async function problemOf(response: Response): Promise<Problem> {
  const { request_id, ...body } = (await response.json()) as { request_id?: string };
  if (request_id === undefined || request_id !== response.headers.get("X-Request-Id")) {
    throw new Error(`the document's request id ${request_id} is not that of the header`);
  }
  return { status: response.status, type: response.headers.get("Content-Type"), body };
}

/** The whole problem that a code, its title and some words make. */
export function problem(status: number, code: string, title: string, detail: string, more: object = {}): Problem {
  const body = { type: "about:blank", title, status, code, detail, ...more };
  return { status, type: "application/problem+json", body };
}
