/** Owns whether a token counts, through the isolate's memory: a revoked one stops working within the time it is remembered (at most 10 s). */
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { addressOf, type Grant, hashToken } from "../model/token.ts";
import type { Clock } from "../sources/current-documents.ts";
import { STORAGE_DEADLINE_MS } from "../sources/storage-error.ts";
import { grantOfFirst } from "./first-token.ts";
import type { RuntimeSkills } from "./runtime-layer.ts";
import type { TenantObject } from "./tenant-object.ts";

/** How long an answer is remembered, milliseconds. */
const REMEMBERED_MS = 5_000;

/** How many answers an isolate remembers. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly grant: Grant | null;
  readonly asOf: number;
  /** Until when it counts at all, milliseconds since 1970. */
  readonly until: number;
  readonly suspended: boolean;
}

/** What a look-up found: null for a token that does not count. */
interface Found {
  readonly grant: Grant;
  readonly until: number;
  /** Whether nobody of the tenant is let in; absent where that has to be asked yet. */
  readonly suspended?: boolean;
}

/** Reads tokens of another make: JWTs. Null for what is none of them, or does not count. */
export type ForeignTokens = (token: string) => Promise<Found | null>;

/** Looks tokens up in their tenant's Durable Object. */
export class TokenVerifier {
  readonly #tenants: DurableObjectNamespace<TenantObject>;
  readonly #clock: Clock;
  readonly #runtime: RuntimeSkills | null;
  readonly #foreign: ForeignTokens | null;
  readonly #first: Digest | null;
  /**
   * By the token itself: hashing it for every request would cost more than the rest of a warm read. The map lives in this isolate's memory
   * only, and V8 finds a key by its seeded hash before any character is compared.
   */
  readonly #remembered = new Map<string, Remembered>();

  /** `runtime` is told what the same answer says of the tenant's skills put at run time; `first` is the hash of the first token. */
  constructor(
    tenants: DurableObjectNamespace<TenantObject>,
    clock: Clock = Date.now,
    runtime: RuntimeSkills | null = null,
    foreign: ForeignTokens | null = null,
    first: Digest | null = null,
  ) {
    this.#tenants = tenants;
    this.#clock = clock;
    this.#runtime = runtime;
    this.#foreign = foreign;
    this.#first = first;
  }

  /** What a token grants. Throws `token-invalid`, in the same words whatever is wrong with it; `tenant-suspended` for a valid one only. */
  async verify(token: string): Promise<Grant> {
    const known = this.#remembered.get(token);
    const now = this.#clock();
    const { grant, suspended } = known && isFresh(known, now) ? known : await this.#lookUp(token, now);
    if (grant === null) {
      throw new SkillsError("token-invalid", "Cannot accept the token: it is not valid");
    }
    if (suspended) {
      throw new SkillsError("tenant-suspended", "Cannot answer: the operator has suspended this tenant");
    }
    return grant;
  }

  /** Makes the next {@link verify} of a token ask anew. */
  forget(token: string): void {
    this.#remembered.delete(token);
  }

  /** Whether {@link verify} will answer from memory. */
  remembers(token: string): boolean {
    const known = this.#remembered.get(token);
    return known !== undefined && isFresh(known, this.#clock());
  }

  async #lookUp(token: string, now: number): Promise<Pick<Remembered, "grant" | "suspended">> {
    const tenant = addressOf(token);
    if (tenant === null && this.#foreign === null) {
      return { grant: null, suspended: false };
    }
    const found = tenant === null ? await this.#foreign?.(token) : await this.#ask(tenant, token, now);
    const grant = found && now < found.until ? found.grant : null;
    const suspended = grant !== null && (found?.suspended ?? (await this.#isSuspended(grant.tenant)));
    if (grant !== null || tenant !== null) {
      this.#remember(token, { grant, suspended, asOf: now, until: found?.until ?? Number.POSITIVE_INFINITY });
    }
    return { grant, suspended };
  }

  /** Of a token of another make, which no object was asked about. */
  async #isSuspended(tenant: string): Promise<boolean> {
    try {
      return await inTime(this.#tenants.get(this.#tenants.idFromName(tenant)).isSuspended(), STORAGE_DEADLINE_MS);
    } catch (cause) {
      throw new SkillsError("storage-unavailable", "Cannot look up the tenant", { cause });
    }
  }

  #remember(token: string, answer: Remembered): void {
    // A slower look-up that began earlier may know less: it must not bring a revoked token back.
    if ((this.#remembered.get(token)?.asOf ?? answer.asOf) > answer.asOf) {
      return;
    }
    this.#remembered.set(token, answer);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MAX_REMEMBERED) {
        return;
      }
      this.#remembered.delete(oldest);
    }
  }

  async #ask(tenant: string, token: string, now: number): Promise<Found | null> {
    const hash = await hashToken(token);
    const first = tenant === PLATFORM_LAYER ? grantOfFirst(this.#first, hash) : null;
    if (first !== null) {
      return { grant: first, until: Number.POSITIVE_INFINITY, suspended: false };
    }
    try {
      const stub = this.#tenants.get(this.#tenants.idFromName(tenant));
      using entrance = await inTime(stub.enter(hash, this.#runtime?.knownSeq(tenant) ?? 0), STORAGE_DEADLINE_MS);
      const { token: record, runtime, suspended } = entrance;
      if (record === null) {
        return null;
      }
      if (!suspended) {
        this.#runtime?.learn(tenant, runtime && { ...runtime }, now);
      }
      const { id, scopes, channel, minted_by, family } = record;
      const origin = { ...(minted_by === undefined ? {} : { minted_by }), ...(family === undefined ? {} : { family }) };
      const grant: Grant = { token: id, tenant, scopes: [...scopes], channel, ...origin };
      return { grant, suspended, until: record.expires_at ? Date.parse(record.expires_at) : Number.POSITIVE_INFINITY };
    } catch (cause) {
      throw new SkillsError("storage-unavailable", "Cannot look up the token", { cause });
    }
  }
}

function isFresh({ asOf, until }: Remembered, now: number): boolean {
  return now - asOf < REMEMBERED_MS && now < until;
}
