/** Owns the types of what the sandbox's build provides; never code. */
declare module "sandbox:cpython" {
  const createPython: import("./python/emscripten.ts").CreatePython;
  export default createPython;
}

declare module "sandbox:just-bash" {
  /** Throws `ParseException` or `LexerError` for what is no script. */
  export function parseShell(script: string): {
    readonly statements: readonly { readonly deferredError?: { readonly message: string } }[];
  };

  /** A regular expression in RE2's language that takes linear time; used as `RegExp` is. */
  export class LinearRegExp {
    constructor(source: string, flags?: string);
    readonly source: string;
    lastIndex: number;
    test(text: string): boolean;
    exec(text: string): RegExpExecArray | null;
    replace(text: string, by: (whole: string, ...groups: unknown[]) => string): string;
  }
}

declare module "sandbox:command-names" {
  /** All commands of the shell. */
  const names: readonly string[];
  export default names;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*.txt" {
  const text: string;
  export default text;
}

declare namespace WebAssembly {
  /** JavaScript promise integration: a call of a wrapped import may suspend the WebAssembly that made it. */
  const Suspending: new <A extends unknown[]>(call: (...args: A) => unknown) => (...args: A) => unknown;
  function promising<A extends unknown[], R>(call: (...args: A) => R): (...args: A) => Promise<R>;
}

declare module "*/load.js" {
  /** `require` of the isolate: modules of the platform, and those that the loader was given as CommonJS. */
  const load: (name: string) => unknown;
  export default load;
}
