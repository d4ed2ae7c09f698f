/** Owns putting the isolate's built-in objects back as they were, whatever a script did to them; never which script. */

const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty, getPrototypeOf } = Reflect;

/** Everything a script can reach without asking anyone, and on which the sandbox's own code relies. */
function builtIns(): object[] {
  const iterators = [
    [][Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ""[Symbol.iterator](),
    "".matchAll(/a/g),
  ];
  const constructors = [
    Object,
    Function,
    Array,
    String,
    Number,
    Boolean,
    Symbol,
    BigInt,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Promise,
    RegExp,
    Date,
    Error,
    TypeError,
    RangeError,
    ArrayBuffer,
    DataView,
    Uint8Array,
    getPrototypeOf(Uint8Array) as typeof Uint8Array,
    TextEncoder,
    TextDecoder,
    URL,
    Headers,
    Request,
    Response,
    AbortController,
  ] as { prototype?: object }[];
  const prototypes = constructors.map((one) => one.prototype).filter((one) => one !== undefined);
  const generators = [function* () {}, async function* () {}, async () => undefined].map(
    (one) => getPrototypeOf(one) as object,
  );
  const chains = iterators.map((one) => getPrototypeOf(one) as object);
  return [
    ...constructors,
    ...prototypes,
    ...generators,
    ...chains,
    getPrototypeOf(chains[0] ?? {}) as object,
    JSON,
    Math,
    Reflect,
  ];
}

/** Remembers the built-in objects; what it gives puts them back. */
export function rememberRealm(): () => void {
  const objects = builtIns();
  const kept = objects.map((object) => {
    const keys = ownKeys(object);
    return { object, keys, descriptors: keys.map((key) => getOwnPropertyDescriptor(object, key)) };
  });
  // Written with loops and indexes only: nothing it needs may be what a script has changed.
  return () => {
    for (let i = 0; i < kept.length; i++) {
      const one = kept[i];
      if (one === undefined) {
        continue;
      }
      const now = ownKeys(one.object);
      for (let k = 0; k < now.length; k++) {
        deleteAdded(one.object, now[k] as PropertyKey, one.keys);
      }
      for (let k = 0; k < one.keys.length; k++) {
        const descriptor = one.descriptors[k];
        if (descriptor !== undefined) {
          defineProperty(one.object, one.keys[k] as PropertyKey, descriptor);
        }
      }
    }
  };
}

function deleteAdded(object: object, key: PropertyKey, keys: readonly PropertyKey[]): void {
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] === key) {
      return;
    }
  }
  deleteProperty(object, key);
}
