/** Owns how objects of the platform read when they are printed: as Node.js prints them; never how printing works. */

type Inspect = (value: unknown, options: object) => string;

const CUSTOM = Symbol.for("nodejs.util.inspect.custom");

const PLATFORM = "kResourceTypeInspect";

/** What of a URL is shown, in this order. */
const URL_PARTS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "searchParams",
  "hash",
] as const;

/** Gives the isolate's classes the texts that Node.js has for them. Called once, when something is to be printed. */
export function showAsNode(): void {
  define(URL.prototype, function (this: URL, depth, options, inspect) {
    return `URL ${depth < 0 ? "{}" : inspect(Object.fromEntries(URL_PARTS.map((name) => [name, this[name]])), options)}`;
  });
  define(URLSearchParams.prototype, function (this: URLSearchParams, _depth, options, inspect) {
    const pairs = [...this].map(([name, value]) => `${inspect(name, options)} => ${inspect(value, options)}`);
    return pairs.length === 0 ? "URLSearchParams {}" : `URLSearchParams { ${pairs.join(", ")} }`;
  });
  define(Headers.prototype, function (this: Headers, _depth, options, inspect) {
    return `Headers ${inspect(Object.fromEntries(this), options)}`;
  });
}

function define(
  prototype: object,
  value: (this: never, depth: number, options: object, inspect: Inspect) => string,
): void {
  // What the platform's own way of showing them goes by comes before any text of theirs.
  for (const symbol of Object.getOwnPropertySymbols(prototype).filter(({ description }) => description === PLATFORM)) {
    Reflect.deleteProperty(prototype, symbol);
  }
  Object.defineProperty(prototype, CUSTOM, { value, writable: true, configurable: true, enumerable: false });
}
