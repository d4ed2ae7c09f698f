/**
 * Owns what must be true now for one tenant: its tokens and its skills put at run time. A Durable Object per tenant, so that writes are
 * ordered and reads consistent. Never sees a token, only hashes. Reading never writes, so that asking about a made-up tenant leaves nothing.
 */
import { DurableObject } from "cloudflare:workers";
import type { IndexEntry } from "../bundle/index-format.ts";
import type { RuntimeState } from "../model/runtime-state.ts";
import type { TokenRecord, TokenStore } from "../model/token.ts";
import { RuntimeTable } from "./runtime-table.ts";
import { TokenTable } from "./token-table.ts";

/** What a caller is let in with. */
export interface Entrance {
  readonly token: TokenRecord | null;
  /** Null when what the asker knows is still live. */
  readonly runtime: RuntimeState | null;
}

/** The durable state of a tenant, or of the platform. */
export class TenantObject extends DurableObject implements TokenStore {
  readonly #tokens = new TokenTable(this.ctx.storage.sql);
  readonly #runtime = new RuntimeTable(this.ctx.storage.sql);

  /** Keeps a token. */
  addToken(record: TokenRecord): void {
    this.#tokens.add(record);
  }

  /** The token with a hash, or null. */
  findToken(hash: TokenRecord["hash"]): TokenRecord | null {
    return this.#tokens.find(hash);
  }

  /** All tokens, oldest first. */
  listTokens(): TokenRecord[] {
    return this.#tokens.list();
  }

  /** Forgets a token; tells whether there was one. */
  revokeToken(id: string): boolean {
    return this.#tokens.remove(id);
  }

  /** The token with a hash and, only for its bearer, what is live of the skills put at run time: one round trip for a cold isolate. */
  enter(hash: TokenRecord["hash"], knownSeq: number): Entrance {
    const token = this.#tokens.find(hash);
    return { token, runtime: token === null ? null : this.liveRuntime(knownSeq) };
  }

  /** What is live of the skills put at run time; null when that is still what has this number. */
  liveRuntime(knownSeq: number): RuntimeState | null {
    const state = this.#runtime.live();
    return knownSeq > 0 && state.seq === knownSeq ? null : state;
  }

  /** A kept bundle of skills put at run time, by the first hex digits of its digest. */
  keptRuntime(prefix: string): RuntimeState | null {
    return this.#runtime.kept(prefix);
  }

  /** Puts a skill whose blobs are stored already. Null when there is no room for one more. */
  putRuntimeSkill(entry: IndexEntry): Promise<RuntimeState | null> {
    return this.#runtime.put(entry);
  }

  /** Removes a skill; null when there is none of this name. */
  deleteRuntimeSkill(name: string): Promise<RuntimeState | null> {
    return this.#runtime.remove(name);
  }
}
