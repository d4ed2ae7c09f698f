/** The shape of answers of Cloudflare's REST API. */
import type { ApiAnswer } from "./account.ts";

export function result(value: unknown, info?: object): ApiAnswer {
  const document = { success: true, errors: [], messages: [], result: value, ...(info ? { result_info: info } : {}) };
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(document) };
}

export function problem(status: number, code: number, message: string): ApiAnswer {
  const document = { success: false, errors: [{ code, message }], messages: [], result: null };
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(document) };
}
