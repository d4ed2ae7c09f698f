/** The account that the stand-in is: its names, its content, and how its APIs are called. */

export const ACCOUNT = "023e105f4ecef8ad9ca31a8372d0c353";
export const NAMESPACE = "0f2ac74b498b48028cb68387c421e279";
export const BUCKET = "edge-skills";
export const API_TOKEN = "stand-in-token";
/** Of `wrangler login`: no API token, so R2's S3 API does not know it. */
export const LOGIN_TOKEN = "stand-in-login";
export const TOKEN_ID = "ed17574386854bf78a67040be0a770b0";

/** What is stored. */
export interface Stores {
  /** Those that a token reaches. */
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly kv: Map<string, Uint8Array>;
  /** What a listing of KV answers when it lags behind; null when it does not. */
  listed: ReadonlySet<string> | null;
  /** Secrets of deployed Workers, by their names. */
  readonly variables: ReadonlyMap<string, string>;
  readonly workers: Map<string, Map<string, string>>;
  readonly r2: Map<string, { readonly bytes: Uint8Array; readonly etag: string }>;
}

/** A request as the APIs see it. */
export interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}
