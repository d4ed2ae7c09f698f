/** Owns the codes that Node.js gives to errors of `zlib`, which the platform leaves out; never compression. */

type AnyFunction = (...args: unknown[]) => unknown;

const UNPACKING = ["gunzip", "inflate", "inflateRaw", "unzip", "brotliDecompress"] as const;

/** The module `zlib` with codes on what its functions throw and hand to callbacks. */
export function withZlibCodes(zlib: object): object {
  const calls = zlib as Readonly<Record<string, AnyFunction>>;
  const coded = UNPACKING.flatMap((name) => {
    const [later, now] = [calls[name], calls[`${name}Sync`]];
    return later === undefined || now === undefined
      ? []
      : [
          [`${name}Sync`, (...args: unknown[]) => throwingCoded(now, args)],
          [name, (...args: unknown[]) => later(...args.slice(0, -1), handingCoded(args.at(-1)))],
        ];
  });
  return { ...zlib, ...Object.fromEntries(coded) };
}

function throwingCoded(call: AnyFunction, args: readonly unknown[]): unknown {
  try {
    return call(...args);
  } catch (error) {
    throw codedError(error);
  }
}

function handingCoded(callback: unknown): unknown {
  return typeof callback === "function"
    ? (error: unknown, ...values: unknown[]) => callback(error === null ? null : codedError(error), ...values)
    : callback;
}

function codedError(error: unknown): unknown {
  if (!(error instanceof Error) || "code" in error || error instanceof TypeError) {
    return error;
  }
  const facts = /unexpected end/.test(error.message)
    ? { errno: -5, code: "Z_BUF_ERROR" }
    : { errno: -3, code: "Z_DATA_ERROR" };
  return Object.assign(error, facts);
}
