/** Owns how many runs go on at once: each declares its memory, an isolate has room for so much; never starts one. */

/** Memory of one isolate on the platform, bytes. */
const ISOLATE_BYTES = 128 << 20;
/** Isolates with a run in them at one time. */
const MOST_ISOLATES = 16;
/** How long a run waits for room, and how often it looks. */
const WAIT_MS = 10_000;
const LOOK_MS = 10;
const MOST_WAITING = 200;

/** Room for one run. */
export interface Lease {
  /** Which of the isolates of its key. */
  readonly slot: number;
  release(): void;
}

interface Isolate {
  readonly key: string;
  readonly slot: number;
  readonly leases: Set<{ readonly bytes: number; readonly until: number }>;
}

export interface AdmissionOptions {
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Counts what runs have declared. State of one isolate of the runner; other isolates of it count for themselves. */
export class Admission {
  readonly #isolates: Isolate[] = [];
  readonly #queue: object[] = [];
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<void>;

  constructor(options: AdmissionOptions = {}) {
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /**
   * Room in an isolate of this key, after waiting for it in turn; null when there is none in time.
   * @param lasts milliseconds after which the room is free again whatever happens: a request that was cut off never says so
   */
  async enter(key: string, bytes: number, lasts: number): Promise<Lease | null> {
    const ticket = {};
    if (this.#queue.length >= MOST_WAITING) {
      return null;
    }
    this.#queue.push(ticket);
    const until = this.#now() + WAIT_MS;
    try {
      for (;;) {
        const lease = this.#queue[0] === ticket ? this.#take(key, bytes, lasts) : null;
        if (lease !== null || this.#now() >= until) {
          return lease;
        }
        await this.#sleep(LOOK_MS);
      }
    } finally {
      this.#queue.splice(this.#queue.indexOf(ticket), 1);
    }
  }

  /** Room in an isolate of this key for more programs of a run that was taken already: it need not wait for one more isolate. */
  join(key: string, bytes: number, lasts: number): Lease {
    this.#forgetOld();
    const own = this.#isolatesOf(key);
    return this.#lease(fitting(own, bytes) ?? this.#open(key, own), bytes, lasts);
  }

  #take(key: string, bytes: number, lasts: number): Lease | null {
    this.#forgetOld();
    const own = this.#isolatesOf(key);
    const isolate = fitting(own, bytes) ?? (this.#isolates.length < MOST_ISOLATES ? this.#open(key, own) : null);
    return isolate === null ? null : this.#lease(isolate, bytes, lasts);
  }

  #isolatesOf(key: string): readonly Isolate[] {
    return this.#isolates.filter((isolate) => isolate.key === key);
  }

  #lease(isolate: Isolate, bytes: number, lasts: number): Lease {
    const lease = { bytes, until: this.#now() + lasts };
    isolate.leases.add(lease);
    return {
      slot: isolate.slot,
      release: () => {
        isolate.leases.delete(lease);
        this.#forgetOld();
      },
    };
  }

  #open(key: string, own: readonly Isolate[]): Isolate {
    let slot = 0;
    while (own.some((isolate) => isolate.slot === slot)) {
      slot++;
    }
    const isolate: Isolate = { key, slot, leases: new Set() };
    this.#isolates.push(isolate);
    return isolate;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (let i = this.#isolates.length - 1; i >= 0; i--) {
      const isolate = this.#isolates[i];
      for (const lease of isolate?.leases ?? []) {
        if (lease.until <= now) {
          isolate?.leases.delete(lease);
        }
      }
      if (isolate?.leases.size === 0) {
        this.#isolates.splice(i, 1);
      }
    }
  }
}

function fitting(own: readonly Isolate[], bytes: number): Isolate | undefined {
  return own.find((isolate) => used(isolate) + bytes <= ISOLATE_BYTES);
}

function used(isolate: Isolate): number {
  let bytes = 0;
  for (const lease of isolate.leases) {
    bytes += lease.bytes;
  }
  return bytes;
}
