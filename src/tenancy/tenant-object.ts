/**
 * Owns what must be true now for one tenant: tokens, skills put at run time, approvals, calls under a key, uploads, sealed secrets. A Durable Object per tenant, so that writes are
 * ordered and reads consistent. Never sees a token, only hashes, nor what opens a secret. Reading never writes, so that asking about a made-up tenant leaves nothing.
 */
import { DurableObject } from "cloudflare:workers";
import type { IndexEntry } from "../bundle/index-format.ts";
import type {
  ApprovalRecord,
  ApprovalRequest,
  ApprovalVerdict,
  KeyedCall,
  VerdictOutcome,
} from "../model/approval-record.ts";
import type { Digest } from "../model/digest.ts";
import type { RuntimeState } from "../model/runtime-state.ts";
import type { SealedSecret, SecretFacts } from "../model/secret.ts";
import type { KnownTenant } from "../model/tenant.ts";
import type { TokenRecord, TokenStore } from "../model/token.ts";
import { AnswerTable } from "./answer-table.ts";
import { ApprovalTable } from "./approval-table.ts";
import { KeyedTable } from "./keyed-table.ts";
import { RuntimeBlobs } from "./runtime-blobs.ts";
import { RuntimeTable } from "./runtime-table.ts";
import { SecretTable } from "./secret-table.ts";
import { TenantTable } from "./tenant-table.ts";
import { TokenTable } from "./token-table.ts";
import { type OpenUpload, type Sent, UploadTable } from "./upload-table.ts";
import { Waiters } from "./waiters.ts";

/** What a caller is let in with. */
export interface Entrance {
  readonly token: TokenRecord | null;
  /** Whether nobody of the tenant is let in. */
  readonly suspended: boolean;
  /** Null when what the asker knows is still live. */
  readonly runtime: RuntimeState | null;
}

/** The durable state of a tenant, or of the platform. */
export class TenantObject extends DurableObject implements TokenStore {
  readonly #tokens = new TokenTable(this.ctx.storage.sql);
  readonly #blobs = new RuntimeBlobs(this.ctx.storage.sql);
  readonly #runtime = new RuntimeTable(this.ctx.storage.sql, this.#blobs);
  readonly #answers = new AnswerTable(this.ctx.storage.sql);
  readonly #approvals = new ApprovalTable(this.ctx.storage.sql, this.#answers);
  readonly #keyed = new KeyedTable(this.ctx.storage.sql, this.#answers);
  readonly #uploads = new UploadTable(this.ctx.storage.sql);
  readonly #secrets = new SecretTable(this.ctx.storage.sql);
  readonly #tenants = new TenantTable(this.ctx.storage.sql);
  readonly #waiters = new Waiters();

  /** Writes a tenant's name down, in the platform's object; false when it was made before. */
  registerTenant(name: string, createdAt: string): boolean {
    return this.#tenants.register(name, createdAt);
  }

  /** Writes down that there is something of a tenant, in the platform's object. */
  noteTenant(name: string): void {
    this.#tenants.note(name);
  }

  /** The names that were written down, in the platform's object. */
  listTenants(): KnownTenant[] {
    return this.#tenants.list();
  }

  /** Forgets a name, in the platform's object. */
  unregisterTenant(name: string): void {
    this.#tenants.unregister(name);
  }

  /** Forgets all of this tenant; tells how many tokens and secrets there were. */
  async eraseTenant(): Promise<{ tokens: number; secrets: number }> {
    const had = { tokens: this.#tokens.list().length, secrets: this.#secrets.list().length };
    await this.ctx.storage.deleteAll();
    return had;
  }

  /** Lets this tenant in again, or nobody of it. */
  setTenantState(state: "active" | "suspended"): void {
    this.#tenants.setState(state);
  }

  /** Whether nobody of this tenant is let in. */
  isSuspended(): boolean {
    return this.#tenants.isSuspended();
  }

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
    const suspended = token !== null && this.#tenants.isSuspended();
    return { token, suspended, runtime: token === null || suspended ? null : this.liveRuntime(knownSeq) };
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
  putRuntimeSkill(entry: IndexEntry, needs: readonly Digest[], now: number): Promise<RuntimeState | null> {
    return this.#runtime.put(entry, needs, now);
  }

  /** Removes a skill; null when there is none of this name. */
  deleteRuntimeSkill(name: string, now: number): Promise<RuntimeState | null> {
    return this.#runtime.remove(name, now);
  }

  /** Somebody is about to write blobs of a skill put at run time; false while some of them are being removed. */
  announceRuntimeBlobs(digests: readonly Digest[], now: number): boolean {
    return this.#blobs.announce(digests, now);
  }

  /** Blobs of skills put at run time that nothing needs any more, for who removes them. */
  claimRuntimeBlobs(now: number): Digest[] {
    return this.#blobs.claim(now);
  }

  /** They are removed. */
  forgetRuntimeBlobs(digests: readonly Digest[]): void {
    this.#blobs.removed(digests);
  }

  /** The approval of a call, a new one if it was not asked about; null when too many wait. */
  openApproval(request: ApprovalRequest): { approval: ApprovalRecord; isNew: boolean } | null {
    return this.#approvals.open(request, Date.now());
  }

  /** An approval; waits up to `ms` until it is decided, or until the call that is using it has an answer. */
  awaitApproval(id: string, awaited: "decision" | "answer", ms: number): Promise<ApprovalRecord | null> {
    const read = (): ApprovalRecord | null => this.#approvals.get(id, Date.now());
    const isDone = (approval: ApprovalRecord | null): boolean =>
      awaited === "decision" ? approval?.status !== "pending" : approval?.status !== "used" || approval.answer !== null;
    return this.#waiters.until(`approval:${id}`, ms, read, isDone);
  }

  /** Those that wait, oldest first. */
  pendingApprovals(): ApprovalRecord[] {
    return this.#approvals.pending(Date.now());
  }

  /** Takes what a person said, unless the token is in the same hand as one that asked, and tells those who wait. */
  decideApproval(id: string, verdict: ApprovalVerdict): VerdictOutcome {
    const outcome = this.#approvals.decide(id, verdict, (token) => this.#tokens.lineage(token), Date.now());
    this.#waiters.wake(`approval:${id}`);
    return outcome;
  }

  /** Marks an approved one as used; false when another call was first. */
  takeApproval(id: string): boolean {
    return this.#approvals.take(id, Date.now());
  }

  /** Keeps the answer of the call that used it; null: it can be used again. */
  finishApproval(id: string, answer: string | null): void {
    this.#approvals.finish(id, answer);
    this.#waiters.wake(`approval:${id}`);
  }

  /** Tells whether one of these was approved for good. */
  isStanding(bindings: readonly Digest[]): boolean {
    return this.#approvals.isStanding(bindings);
  }

  /** Begins a call under a key; waits up to `ms` for a twin that runs already. */
  beginKeyed(key: string, call: string, ms: number): Promise<KeyedCall> {
    const begin = (): KeyedCall => this.#keyed.begin(key, call, Date.now());
    return this.#waiters.until(`keyed:${key}`, ms, begin, ({ state }) => state !== "running");
  }

  /** Keeps the answer of a call under a key; null: the key is free again. */
  finishKeyed(key: string, answer: string | null): void {
    this.#keyed.finish(key, answer);
    this.#waiters.wake(`keyed:${key}`);
  }

  /** Opens an upload; false when too many are open. */
  beginUpload(upload: OpenUpload, now: number): boolean {
    return this.#uploads.begin(upload, now);
  }

  /** An open upload; null when it is over. */
  findUpload(id: string, now: number): OpenUpload | null {
    return this.#uploads.find(id, now);
  }

  /** Lets an open upload last longer; false when it is over. */
  extendUpload(upload: OpenUpload, now: number): boolean {
    return this.#uploads.extend(upload, now);
  }

  /** Writes down what was sent. */
  takeUploaded(id: string, sent: readonly Sent[], now: number): "taken" | "gone" | "full" {
    return this.#uploads.take(id, sent, now);
  }

  /** What was sent and counts, after a digest, a page of it. */
  listUploaded(id: string, after: string, now: number): Sent[] | null {
    return this.#uploads.sent(id, after, now);
  }

  /** Ends an upload. */
  endUpload(id: string, now: number): void {
    this.#uploads.end(id, now);
  }

  /** Keeps a sealed secret; false when there is no room for one more. */
  putSecret(secret: SealedSecret): boolean {
    return this.#secrets.put(secret);
  }

  /** What was sealed under a name, or null. */
  findSecret(name: string): string | null {
    return this.#secrets.find(name);
  }

  /** Names and dates of the secrets, by name. */
  listSecrets(): SecretFacts[] {
    return this.#secrets.list();
  }

  /** Forgets a secret; tells whether there was one. */
  removeSecret(name: string): boolean {
    return this.#secrets.remove(name);
  }
}
