/**
 * Owns the skills put at run time as an isolate knows them: seen at once where they were put, within seconds elsewhere. What is remembered
 * is plain data by tenant; nothing of it is ever looked up for another tenant.
 */
import type { Blocked } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { RUNTIME_LAYER } from "../model/layer.ts";
import type { ScriptRunner } from "../model/runner.ts";
import type { RuntimeState } from "../model/runtime-state.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { BundleReader } from "../sources/bundle-reader.ts";
import type { ByteCache } from "../sources/byte-cache.ts";
import type { Clock } from "../sources/current-documents.ts";
import { PackedSkill } from "../sources/packed-skill.ts";
import type { LayerReader, LiveBundle } from "./layer-reader.ts";
import { beginsWith, entriesOf } from "./runtime-table.ts";

/** How long a state is served without asking, milliseconds. */
const FRESH_MS = 5_000;

/** How long the last known state is served while it cannot be asked for, milliseconds. */
const STALE_MS = 60 * 60_000;

/** After this time a smaller number of changes is believed: the tenant was deleted and made anew. */
const RESET_MS = 10_000;

const MAX_TENANTS = 10_000;

/** Asks a tenant's Durable Object. */
export interface RuntimeAsker {
  /** What is live; null when that is still what has this number. */
  live(tenant: string, knownSeq: number): Promise<RuntimeState | null>;
  kept(tenant: string, prefix: string): Promise<RuntimeState | null>;
}

/** What the layer is read with. */
export interface RuntimeParts {
  readonly asker: RuntimeAsker;
  readonly readerFor: (tenant: string) => BundleReader;
  readonly cache: ByteCache;
  readonly runner: ScriptRunner | null;
  readonly clock: Clock;
}

interface Held {
  readonly state: RuntimeState;
  readonly asOf: number;
  /** When asking after that failed; absent when it did not. */
  readonly failedAt?: number;
}

/** All tenants' skills put at run time. Made once per isolate. */
export class RuntimeSkills {
  readonly #parts: RuntimeParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
  }

  /** The runtime layer of a tenant. */
  layerOf(tenant: string): LayerReader {
    return {
      name: RUNTIME_LAYER,
      live: () => this.#live(tenant),
      kept: (prefix) => this.#kept(tenant, prefix),
      open: (bundle, blocked) => this.#open(tenant, bundle, blocked),
    };
  }

  /** The number of the newest change that is known; 0 for none. */
  knownSeq(tenant: string): number {
    return this.#held.get(tenant)?.state.seq ?? 0;
  }

  /** Takes what somebody was told of a tenant: null when nothing changed since {@link knownSeq}. `asOf` is when the asking began. */
  learn(tenant: string, told: RuntimeState | null, asOf: number): void {
    const held = this.#held.get(tenant);
    const state = told ?? held?.state;
    const isOlder = held !== undefined && state !== undefined && (held.asOf > asOf || held.state.seq > state.seq);
    if (state === undefined || (isOlder && asOf - held.asOf < RESET_MS)) {
      return;
    }
    this.#held.delete(tenant);
    this.#held.set(tenant, { state, asOf });
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_TENANTS) {
        return;
      }
      this.#held.delete(oldest);
    }
  }

  async #live(tenant: string): Promise<LiveBundle> {
    const held = this.#held.get(tenant);
    const begun = this.#parts.clock();
    if (held !== undefined && begun - held.asOf < FRESH_MS) {
      return { bundle: held.state.bundle, stale: false, blocks: null };
    }
    if (held?.failedAt !== undefined && begun - held.failedAt < FRESH_MS && begun - held.asOf < STALE_MS) {
      return { bundle: held.state.bundle, stale: true, blocks: null };
    }
    try {
      this.learn(tenant, await this.#parts.asker.live(tenant, this.knownSeq(tenant)), begun);
      return { bundle: this.#held.get(tenant)?.state.bundle ?? null, stale: false, blocks: null };
    } catch (error) {
      if (held !== undefined && begun - held.asOf < STALE_MS) {
        this.#held.set(tenant, { ...held, failedAt: this.#parts.clock() });
        return { bundle: held.state.bundle, stale: true, blocks: null };
      }
      throw error;
    }
  }

  async #kept(tenant: string, prefix: string): Promise<Digest | undefined> {
    const live = this.#held.get(tenant)?.state.bundle ?? null;
    if (live !== null && beginsWith(live, prefix)) {
      return live;
    }
    const state = await this.#parts.asker.kept(tenant, prefix);
    if (state === null || state.bundle === null) {
      return undefined;
    }
    this.#parts.cache.set(stateKey(tenant, state.bundle), state, state.index.length * 2);
    return state.bundle;
  }

  async #open(tenant: string, bundle: Digest, blocked: Blocked): Promise<readonly AgentSkill[]> {
    const { readerFor, cache, runner } = this.#parts;
    const key = `${stateKey(tenant, bundle)}:${blocked.key}`;
    const held = cache.get<readonly AgentSkill[]>(key);
    if (held) {
      return held;
    }
    const state = await this.#stateOf(tenant, bundle);
    const parts = { reader: readerFor(tenant), runner, layer: RUNTIME_LAYER, blocked, search: null };
    const skills = Object.freeze(entriesOf(state).map((entry, at) => new PackedSkill(entry, parts, at)));
    cache.set(key, skills, state.index.length * 2);
    return skills;
  }

  async #stateOf(tenant: string, bundle: Digest): Promise<RuntimeState> {
    const live = this.#held.get(tenant)?.state;
    if (live?.bundle === bundle) {
      return live;
    }
    const asked = this.#parts.cache.get<RuntimeState>(stateKey(tenant, bundle));
    const state = asked ?? (await this.#parts.asker.kept(tenant, bundle.slice("sha256:".length)));
    if (state === null) {
      throw new SkillsError("bundle-gone", "Cannot use this bundle: it is not kept any more");
    }
    return state;
  }
}

function stateKey(tenant: string, bundle: Digest): string {
  return `runtime:${tenant}:${bundle}`;
}
