/** Owns the notes by which deploys and removals stay out of each other's way (FORMAT.md, Notes). Never touches what they work on. */
import { WORK_MS, workKey } from "../bundle/keys.ts";
import { SkillsError } from "../model/errors.ts";
import type { DeployTarget } from "./target.ts";

/** What keeps others off; `move`: of a pointer, where a store cannot compare and set. */
type HoldingKind = "deploy" | "prune" | "move";

/** What can be under way; `pruned`: bytes were removed a moment ago, listings may not know it yet. */
export type WorkKind = HoldingKind | "pruned";

/** How long a listing of Cloudflare's KV may lag behind a removal; its documentation says 60 s "or more". */
export const LAG_MS = 5 * 60_000;

/** How long to wait for others to end. */
export interface Waiting {
  /** Milliseconds. */
  readonly ms: number;
  sleep(ms: number): Promise<void>;
  /** Told once, when there is somebody to wait for, until when their note counts. */
  readonly onWait?: (until: number) => void;
}

/** How often who waits looks again, milliseconds. */
const LOOK_MS = 5_000;

/** A note of one's own. */
export class Work {
  readonly #target: DeployTarget;
  readonly #kind: WorkKind;
  readonly #now: () => Date;
  #key: string;
  #until: number;

  private constructor(target: DeployTarget, kind: WorkKind, now: () => Date) {
    this.#target = target;
    this.#kind = kind;
    this.#now = now;
    [this.#key, this.#until] = noteFor(kind, WORK_MS, now);
  }

  /**
   * Puts a note, and takes it back when another's of `against` counts. Throws `target-busy` then. With `waiting` the note stays for so long:
   * nobody of the others can begin or go on for more than 10 minutes meanwhile, so they come to an end.
   */
  static async begin(
    target: DeployTarget,
    kind: HoldingKind,
    against: HoldingKind,
    now: () => Date,
    waiting: Waiting | null = null,
  ): Promise<Work> {
    const work = new Work(target, kind, now);
    await target.work.put(work.#key);
    const until = await work.#othersGone(against, waiting).catch(async (error: unknown) => {
      await work.end();
      throw error;
    });
    if (until !== null) {
      await work.end();
      const at = new Date(until).toISOString();
      throw new SkillsError("target-busy", `Cannot ${kind} on ${target.name}: ${BUSY[against]} is under way there`, {
        hint: `try again when it is done; if it was killed, after ${at}`,
      });
    }
    return work;
  }

  /** Looks for notes of others, again and again while it may wait; null once there are none. */
  async #othersGone(against: HoldingKind, waiting: Waiting | null): Promise<number | null> {
    const begun = this.#now().getTime();
    for (let isTold = false; ; isTold = true) {
      const until = await currentWork(this.#target, against, this.#now, this.#key);
      if (until === null || waiting === null || this.#now().getTime() - begun >= waiting.ms) {
        return until;
      }
      if (!isTold) {
        waiting.onWait?.(until);
      }
      await waiting.sleep(LOOK_MS);
      await this.renew();
    }
  }

  /** Makes the note count longer when half of its time has passed; false when it has run out already. */
  async renew(): Promise<boolean> {
    const now = this.#now().getTime();
    if (now >= this.#until) {
      return false;
    }
    if (this.#until - now < WORK_MS / 2) {
      const [before, [key, until]] = [this.#key, noteFor(this.#kind, WORK_MS, this.#now)];
      await this.#target.work.put(key);
      [this.#key, this.#until] = [key, until];
      await this.#target.work.remove(before);
    }
    return true;
  }

  /** Takes the note back. */
  async end(): Promise<void> {
    await this.#target.work.remove(this.#key);
  }
}

const BUSY = { deploy: "a deploy", prune: "a prune", move: "another move of a channel" } as const;

/** Tells others that listings may still have what is gone. */
export async function noteRemoval(target: DeployTarget, now: () => Date): Promise<void> {
  const [key] = noteFor("pruned", LAG_MS, now);
  await target.work.put(key);
}

/** Until when a note of a kind counts, one's own aside; null when none does. Notes that have run out are taken away. */
export async function currentWork(
  target: DeployTarget,
  kind: WorkKind,
  now: () => Date,
  own: string | null = null,
): Promise<number | null> {
  const time = now().getTime();
  let latest: number | null = null;
  for (const key of await target.work.list()) {
    const [, ofKind, name = ""] = key.split("/");
    const until = Number.parseInt(name, 10);
    if (!(until > time)) {
      await target.work.remove(key);
    } else if (ofKind === kind && key !== own) {
      latest = Math.max(latest ?? 0, until);
    }
  }
  return latest;
}

function noteFor(kind: WorkKind, ms: number, now: () => Date): [key: string, until: number] {
  const until = now().getTime() + ms;
  return [workKey(kind, `${until}-${crypto.randomUUID()}`), until];
}
