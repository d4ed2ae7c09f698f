/** Owns the shape of a tenant's skills put at run time, as its Durable Object keeps them and tells of them. Types only. */
import type { Digest } from "./digest.ts";

/** How many skills a tenant may put at run time. */
export const MAX_RUNTIME_SKILLS = 100;

/** What is live of a tenant's skills put at run time: a bundle like any other, its index at hand. */
export interface RuntimeState {
  /** Counts the changes; a larger one is newer. 0: nothing was ever put. */
  readonly seq: number;
  /** Null before the first skill. */
  readonly bundle: Digest | null;
  /** The text of the bundle's index (bundle/index-format.ts); empty where there is no bundle. */
  readonly index: string;
}

/** Nothing was put. */
export const NO_RUNTIME: RuntimeState = { seq: 0, bundle: null, index: "" };
