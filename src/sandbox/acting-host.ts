/** Owns noting that a run acts outside of the sandbox: another attempt would do it twice. Never what it may do there. */
import { RpcTarget } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import type { ChildHost } from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

/** What the edge gives to a run, with a note of each use that does something. */
export class ActingHost extends RpcTarget implements ChildHost {
  readonly #order: RunOrder;

  constructor(order: RunOrder) {
    super();
    this.#order = order;
  }

  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]> {
    return this.#order.host.readFiles(digests);
  }

  fetch(request: Request): Promise<Response> {
    this.#order.acts.any = true;
    return this.#order.host.fetch(request);
  }
}
