/** Owns making a Miniflare that leaves signals to whoever started it. Never starts or ends one. */
import process from "node:process";
import { Miniflare, type MiniflareOptions } from "miniflare";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Miniflare ends the process on a signal, at once. Where the process listens to that signal itself, it has things to put in order first
 * (tokens to revoke), and closes what it started: there Miniflare's listener goes. Elsewhere it stays, so that no workerd is left behind.
 */
export function makeMiniflare(options: MiniflareOptions): Miniflare {
  const before = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const miniflare = new Miniflare(options);
  for (const [signal, own] of before) {
    for (const listener of own.length > 0 ? process.listeners(signal) : []) {
      if (!own.includes(listener)) {
        process.removeListener(signal, listener);
      }
    }
  }
  return miniflare;
}
