/** Owns the `targets` of the settings: places to deploy to, by name. Never holds a secret. */
import * as z from "zod/mini";

const text = z.string().check(z.minLength(1));

/** Of the settings file. `local` is always there and needs no words. */
export const targetsSchema = z.record(
  z.string().check(z.refine((name) => /^[a-z0-9][a-z0-9-]*$/.test(name) && name !== "local")),
  z.strictObject({
    type: z.optional(z.enum(["cloudflare", "edge"])),
    account_id: z.optional(text),
    kv_namespace_id: z.optional(text),
    r2_bucket: z.optional(text),
    r2_endpoint: z.optional(z.url()),
    url: z.optional(z.url()),
    worker: z.optional(text),
  }),
);

/** A place in a Cloudflare account, or an edge that is asked over its own API, which has a `url` only. What is null the environment has to say. */
export interface TargetPlace {
  readonly type: "cloudflare" | "edge";
  readonly account_id: string | null;
  readonly kv_namespace_id: string | null;
  readonly r2_bucket: string | null;
  /** R2's S3 API, for buckets with a jurisdiction; null for that of the account. */
  readonly r2_endpoint: string | null;
  /** Where its edge answers; null when it is not said. */
  readonly url: string | null;
  /** Name of the edge Worker, as wrangler.toml has it. */
  readonly worker: string;
}

/** Nothing said. */
export const NO_PLACE: TargetPlace = {
  type: "cloudflare",
  account_id: null,
  kv_namespace_id: null,
  r2_bucket: null,
  r2_endpoint: null,
  url: null,
  worker: "edge-skills",
};

/** The places by name, with what is not said as null. */
export function targetsOf(given: z.infer<typeof targetsSchema> = {}): ReadonlyMap<string, TargetPlace> {
  return new Map(
    Object.entries(given).map(([name, own]) => [
      name,
      {
        type: own.type ?? "cloudflare",
        account_id: own.account_id ?? null,
        kv_namespace_id: own.kv_namespace_id ?? null,
        r2_bucket: own.r2_bucket ?? null,
        r2_endpoint: own.r2_endpoint ?? null,
        url: own.url ?? null,
        worker: own.worker ?? NO_PLACE.worker,
      },
    ]),
  );
}
