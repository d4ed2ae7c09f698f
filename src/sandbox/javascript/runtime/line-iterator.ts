/** Owns going through the lines of a `readline` interface one by one; never where they come from. */
import type { EventEmitter } from "node:events";

interface Source extends EventEmitter {
  readonly closed: boolean;
  close(): void;
}

interface Waiting {
  resolve(result: IteratorResult<string>): void;
  reject(error: unknown): void;
}

/** @param lines those that have come before */
export function linesOf(source: Source, lines: string[]): AsyncIterableIterator<string> {
  const waiting: Waiting[] = [];
  let failure: { readonly error: unknown } | null = null;
  const over = { value: undefined, done: true } as const;
  source.on("line", (value: string) => {
    const next = waiting.shift();
    if (next === undefined) {
      lines.push(value);
    } else {
      next.resolve({ value, done: false });
    }
  });
  source.on("close", () => {
    for (const { resolve } of waiting.splice(0)) {
      resolve(over);
    }
  });
  source.on("error", (error: unknown) => {
    const next = waiting.shift();
    failure = next === undefined ? { error } : null;
    next?.reject(error);
    source.close();
  });
  const take = ({ resolve, reject }: Waiting): void => {
    const value = lines.shift();
    if (value !== undefined) {
      resolve({ value, done: false });
    } else if (failure !== null) {
      reject(failure.error);
      failure = null;
    } else if (source.closed) {
      resolve(over);
    } else {
      waiting.push({ resolve, reject });
    }
  };
  const iterator: AsyncIterableIterator<string> = {
    next: () => new Promise((resolve, reject) => take({ resolve, reject })),
    return: async () => {
      source.close();
      return over;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
