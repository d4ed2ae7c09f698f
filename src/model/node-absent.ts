/** Owns which Node.js modules the sandbox lacks. By itself, since each isolate of JavaScript loads it. */

/** Node.js modules that the sandbox lacks: they can be imported, and what is called of them fails. */
export const NODE_ABSENT: ReadonlySet<string> = new Set(
  "cluster dgram domain http2 inspector inspector/promises repl sea sqlite test test/reporters trace_events wasi".split(
    " ",
  ),
);
