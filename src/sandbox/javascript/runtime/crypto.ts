/** Owns what Node.js's `crypto` takes and says that the platform's does not; never any cryptography. */

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

interface Cipher {
  update(data: unknown, from?: string, to?: string): unknown;
  final(to?: string): unknown;
  getAuthTag?(): unknown;
}

/** Words of the platform, and what Node.js has in their place. */
const ERRORS: readonly (readonly [said: RegExp, kind: ErrorConstructor, code: string, words?: string])[] = [
  [/^Invalid key length/, RangeError, "ERR_CRYPTO_INVALID_KEYLEN"],
  [/^Invalid initialization vector/, TypeError, "ERR_CRYPTO_INVALID_IV"],
  [/^Unknown or unsupported cipher/, Error, "ERR_CRYPTO_UNKNOWN_CIPHER", "Unknown cipher"],
  [/^Input buffers must have the same byte length/, RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH"],
];

const AUTHENTICATED = /gcm|ccm|ocb|poly1305/i;

/** The module `crypto` as Node.js has it. Changes the classes of the platform's. */
export function withNodeCrypto(crypto: typeof import("node:crypto")): object {
  const calls = crypto as unknown as Readonly<Record<string, AnyFunction>>;
  for (const { prototype } of [crypto.Cipheriv, crypto.Decipheriv] as unknown as { prototype: Cipher }[]) {
    takeText(prototype);
  }
  const coded = ["createCipheriv", "timingSafeEqual"].map((name) => {
    const call = calls[name] as AnyFunction;
    return [
      name,
      { value: (...args: never[]) => throwingAsNode(() => call(...args)), writable: true, enumerable: true },
    ];
  });
  const createDecipheriv = (algorithm: string, ...rest: never[]) => {
    const made = throwingAsNode(() => (calls.createDecipheriv as AnyFunction)(algorithm as never, ...rest)) as Cipher;
    const { final } = made;
    // What the platform says of every text that does not fit.
    made.final = (to) =>
      throwingAsNode(
        () => final.call(made, to),
        () => notDeciphered(algorithm),
      );
    return made;
  };
  return Object.defineProperties(Object.create(Object.getPrototypeOf(crypto)), {
    ...Object.getOwnPropertyDescriptors(crypto),
    ...Object.fromEntries(coded),
    createDecipheriv: { value: createDecipheriv, writable: true, enumerable: true },
  });
}

const MARK = Symbol("takes text");

/** A text without an encoding is UTF-8. */
function takeText(cipher: Cipher & { [MARK]?: true }): void {
  if (cipher[MARK] !== true) {
    const { update } = cipher;
    cipher.update = function (this: Cipher, data, from, to) {
      return update.call(this, data, typeof data === "string" ? (from ?? "utf8") : from, to);
    };
    Object.defineProperty(cipher, MARK, { value: true });
    keepTag(cipher);
  }
}

/** The platform gives it once. */
function keepTag(cipher: Cipher): void {
  const { getAuthTag } = cipher;
  if (getAuthTag !== undefined) {
    const tags = new WeakMap<Cipher, unknown>();
    cipher.getAuthTag = function (this: Cipher) {
      const tag = tags.get(this) ?? getAuthTag.call(this);
      tags.set(this, tag);
      return tag;
    };
  }
}

function throwingAsNode<T>(call: () => T, other?: () => Error): T {
  try {
    return call();
  } catch (error) {
    const said = error instanceof Error ? error.message : "";
    const [, kind, code, words] = ERRORS.find(([pattern]) => pattern.test(said)) ?? [];
    if (kind !== undefined) {
      throw Object.assign(new kind(words ?? said.replace(/\.$/, "")), { code });
    }
    throw other !== undefined && said === "Authentication failed" ? other() : error;
  }
}

function notDeciphered(algorithm: string): Error {
  return AUTHENTICATED.test(algorithm)
    ? new Error("Unsupported state or unable to authenticate data")
    : Object.assign(new Error("error:1C800064:Provider routines::bad decrypt"), {
        library: "Provider routines",
        reason: "bad decrypt",
        code: "ERR_OSSL_BAD_DECRYPT",
      });
}
