/** Owns how the children of one run reach each other through the runner: JavaScript the box, the box `node`. Never runs anything itself. */
import { RpcTarget } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import { spawnInBox } from "./box-runs.ts";
import { readForChild, runNode } from "./javascript-runs.ts";
import type { JavaScriptHost, NodeDoor, NodeRequest, SpawnAnswer, SpawnRequest } from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";
import { readSpawnRequest } from "./spawn-request.ts";

/** Children that the platform allows a request at one time. One is kept for the box, which all programs of a run share. */
const MOST_CHILDREN = 4 - 1;

/** What all children of a run share. */
class Family {
  readonly order: RunOrder;
  #spawned = 0;
  /** JavaScript children that live just now. */
  #children: number;

  constructor(order: RunOrder, first: "javascript" | "box") {
    this.order = order;
    this.#children = first === "javascript" ? 1 : 0;
  }

  /** Counts a program, and gives how many there were before it; throws when there may be no more. */
  count(): number {
    this.order.acts.any = true;
    if (++this.#spawned > this.order.request.limits.processes) {
      throw new Error("spawn EAGAIN");
    }
    return this.#spawned - 1;
  }

  /** Starts a program in the box. What it started itself counts as well. */
  async spawn(request: SpawnRequest): Promise<SpawnAnswer> {
    const { started, ...answer } = await spawnInBox(this.order, request, this.count(), new BoxCalls(this));
    this.#spawned = Math.max(this.#spawned, started);
    this.#note(answer);
    return answer;
  }

  async node(request: NodeRequest): Promise<SpawnAnswer> {
    this.count();
    if (this.#children >= MOST_CHILDREN) {
      throw new Error("spawn EAGAIN");
    }
    this.#children++;
    try {
      const answer = await runNode(this.order, request, new ScriptCalls(this));
      this.#note(answer);
      return answer;
    } finally {
      this.#children--;
    }
  }

  #note({ noted }: SpawnAnswer): void {
    this.order.noted.limit ??= noted ?? null;
  }
}

/** What a JavaScript child may ask for. */
class ScriptCalls extends RpcTarget implements JavaScriptHost {
  readonly #family: Family;

  constructor(family: Family) {
    super();
    this.#family = family;
  }

  async readFiles(digests: readonly Digest[]): Promise<Uint8Array[]> {
    const { order } = this.#family;
    const own = new Set(order.request.skill_files.map(({ digest }) => digest));
    // The runner keeps bytes of all tenants, and gives them to whoever knows a digest.
    if (!digests.every((digest) => own.has(digest))) {
      throw new Error("there is no such file in the skill");
    }
    return await readForChild(order, digests);
  }

  fetch(request: Request): Promise<Response> {
    this.#family.order.acts.any = true;
    return this.#family.order.host.fetch(request);
  }

  async spawn(request: SpawnRequest): Promise<SpawnAnswer> {
    return await this.#family.spawn(readSpawnRequest(request));
  }
}

/** What the box may ask for beside what the edge gives it. */
class BoxCalls extends RpcTarget implements NodeDoor {
  readonly #family: Family;

  constructor(family: Family) {
    super();
    this.#family = family;
  }

  node(request: NodeRequest): Promise<SpawnAnswer> {
    return this.#family.node(request);
  }
}

/** The calls of a run whose first program is JavaScript. */
export function scriptCalls(order: RunOrder): JavaScriptHost {
  return new ScriptCalls(new Family(order, "javascript"));
}

/** The calls of a run whose first program is Python or shell. */
export function boxCalls(order: RunOrder): NodeDoor {
  return new BoxCalls(new Family(order, "box"));
}
