/** Owns the answer to a request of `http`, as a stream; never how it is asked for. */
import { Readable } from "node:stream";
import { STATUS_CODES } from "./http-names.ts";

export class IncomingMessage extends Readable {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string | string[]>;
  readonly headersDistinct: Record<string, string[]>;
  readonly rawHeaders: string[];
  readonly trailers = {};
  readonly rawTrailers: string[] = [];
  readonly httpVersion = "1.1";
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly url = "";
  readonly method = null;
  readonly socket: object;
  readonly connection: object;
  aborted = false;
  complete = false;

  constructor(response: Response, bytes: Uint8Array, socket: object) {
    super({ read: () => undefined });
    this.socket = socket;
    this.connection = socket;
    this.statusCode = response.status;
    this.statusMessage = response.statusText || (STATUS_CODES[response.status] ?? "");
    const cookies = response.headers.getSetCookie();
    const single = [...response.headers].filter(([name]) => name !== "set-cookie");
    this.headers = { ...Object.fromEntries(single), ...(cookies.length > 0 ? { "set-cookie": cookies } : {}) };
    this.headersDistinct = Object.fromEntries(
      Object.entries(this.headers).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]),
    );
    this.rawHeaders = [...response.headers].flat();
    if (bytes.length > 0) {
      this.push(Buffer.from(bytes));
    }
    this.push(null);
    this.complete = true;
  }
  setTimeout(): this {
    return this;
  }
}
