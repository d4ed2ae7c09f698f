/**
 * Owns reaching the platform's own Node.js modules when they are first used: each takes a fresh isolate longer to load than a small script
 * takes to run. Never what a script gets under their names.
 */
import load from "../load.js";
import { showAsNode } from "./inspection.ts";

/** The modules that the runtime builds on, by name without `node:`. */
interface Builtins {
  readonly assert: typeof import("node:assert");
  readonly async_hooks: typeof import("node:async_hooks");
  readonly buffer: typeof import("node:buffer");
  readonly crypto: typeof import("node:crypto");
  readonly diagnostics_channel: typeof import("node:diagnostics_channel");
  readonly events: typeof import("node:events");
  readonly path: typeof import("node:path");
  readonly querystring: typeof import("node:querystring");
  readonly stream: typeof import("node:stream");
  readonly "stream/consumers": typeof import("node:stream/consumers");
  readonly "stream/promises": typeof import("node:stream/promises");
  readonly "stream/web": typeof import("node:stream/web");
  readonly string_decoder: typeof import("node:string_decoder");
  readonly url: typeof import("node:url");
  readonly util: typeof import("node:util");
  readonly zlib: typeof import("node:zlib");
}

let shown = false;

/** A module of the platform. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  if (name === "util" && !shown) {
    shown = true;
    showAsNode();
  }
  return load(`node:${name}`) as Builtins[Name];
}
