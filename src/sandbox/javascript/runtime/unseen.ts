/** Owns telling whether a script may wait for work of the platform that its loop is not told of; never when it is over. */
import type { Script } from "./imports.ts";

/** Names without which a script can start no such work; the packer leaves no `import()` of the platform in one. */
const NAMES =
  /Stream|stream|zlib|crypto|Response|Request|Blob|\bFile\b|FormData|MessageChannel|MessagePort|BroadcastChannel|AbortSignal|WebAssembly|(?<!\.)\bimport\(|globalThis|\bglobal\b/;

const { apply } = Reflect;
const { toString: sourceOf } = Function.prototype;
const { test } = RegExp.prototype;

/** False only where the script's text has none of the names. */
export function mayWaitUnseen(script: Script): boolean {
  try {
    return apply(test, NAMES, [apply(sourceOf, script, [])]);
  } catch {
    return true;
  }
}
