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

interface Kept {
  readonly object: object;
  readonly keys: readonly PropertyKey[];
  readonly descriptors: readonly (PropertyDescriptor | undefined)[];
}

/** The built-in objects of an isolate as they were once. */
export interface Realm {
  /**
   * What is made with the built-in objects as they were.
   * @param make is told whether they are: a script can see to it that something cannot be changed back
   * @param after whether they stay so, or what scripts have made of them comes back: other runs of the isolate may count on it
   */
  restored<T>(make: (state: "whole" | "damaged") => T, after: "stay" | "go back"): T;
}

// From here on loops and indexes only: nothing it needs may be what a script has changed.

/** Remembers the built-in objects as they are. */
export function rememberRealm(): Realm {
  const objects = builtIns();
  const first = takeDown(objects);
  return {
    restored(make, after) {
      const changed = after === "go back" ? takeDown(objects) : null;
      const state = putBack(first);
      try {
        return make(state);
      } finally {
        if (changed !== null) {
          putBack(changed);
        }
      }
    },
  };
}

function takeDown(objects: readonly object[]): readonly Kept[] {
  const kept: Kept[] = [];
  for (let i = 0; i < objects.length; i++) {
    const object = objects[i] as object;
    const keys = ownKeys(object);
    const descriptors: (PropertyDescriptor | undefined)[] = [];
    for (let k = 0; k < keys.length; k++) {
      add(descriptors, k, getOwnPropertyDescriptor(object, keys[k] as PropertyKey));
    }
    add(kept, i, { object, keys, descriptors });
  }
  return kept;
}

/** Writes an element without asking what the prototype of arrays has become. */
function add<T>(list: T[], at: number, value: T): void {
  defineProperty(list, at, { __proto__: null, value, writable: true, enumerable: true, configurable: true } as object);
}

function putBack(kept: readonly Kept[]): "whole" | "damaged" {
  let state: "whole" | "damaged" = "whole";
  for (let i = 0; i < kept.length; i++) {
    const one = kept[i] as Kept;
    const now = ownKeys(one.object);
    for (let k = 0; k < now.length; k++) {
      if (!deleteAdded(one.object, now[k] as PropertyKey, one.keys)) {
        state = "damaged";
      }
    }
    for (let k = 0; k < one.keys.length; k++) {
      const descriptor = one.descriptors[k];
      if (descriptor !== undefined && !defineProperty(one.object, one.keys[k] as PropertyKey, descriptor)) {
        state = "damaged";
      }
    }
  }
  return state;
}

/** False when it cannot be deleted. */
function deleteAdded(object: object, key: PropertyKey, keys: readonly PropertyKey[]): boolean {
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] === key) {
      return true;
    }
  }
  return deleteProperty(object, key);
}
