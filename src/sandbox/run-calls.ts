/** Owns how the children of one run reach each other through the runner: JavaScript the box, the box `node`. Never runs anything itself. */
import { RpcTarget } from "cloudflare:workers";
import { spawnInBox } from "./box-runs.ts";
import { runNode } from "./javascript-runs.ts";
import type { JavaScriptHost, NodeDoor, NodeRequest, SpawnAnswer, SpawnRequest } from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

/** JavaScript children of one run that may live at one time: each is an isolate, and the platform allows a request four. */
const MOST_CHILDREN = 3;

/** What all children of a run share. */
class Family {
  readonly order: RunOrder;
  #spawned = 0;
  #children = 0;

  constructor(order: RunOrder) {
    this.order = order;
  }

  /** Counts a program; throws when there may be no more. */
  count(): void {
    if (++this.#spawned > this.order.request.limits.processes) {
      throw new Error("spawn EAGAIN");
    }
  }

  async node(request: NodeRequest): Promise<SpawnAnswer> {
    this.count();
    if (this.#children >= MOST_CHILDREN) {
      throw new Error("spawn EAGAIN");
    }
    this.#children++;
    try {
      return await runNode(this.order, request, new ScriptCalls(this));
    } finally {
      this.#children--;
    }
  }
}

/** What a JavaScript child may ask for. */
class ScriptCalls extends RpcTarget implements JavaScriptHost {
  readonly #family: Family;

  constructor(family: Family) {
    super();
    this.#family = family;
  }

  fetch(request: Request): Promise<Response> {
    return this.#family.order.host.fetch(request);
  }

  async spawn(request: SpawnRequest): Promise<SpawnAnswer> {
    this.#family.count();
    return await spawnInBox(this.#family.order, request, new BoxCalls(this.#family));
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
  return new ScriptCalls(new Family(order));
}

/** The calls of a run whose first program is Python or shell. */
export function boxCalls(order: RunOrder): NodeDoor {
  return new BoxCalls(new Family(order));
}
