/** Owns putting the isolate's built-in objects back as they were, whatever a script did to them; never which script. */

const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty, getPrototypeOf, setPrototypeOf } = Reflect;
const { is } = Object;

interface Constructor {
  readonly prototype?: object;
}

/** What the sandbox's own code works with when it writes a run's answer. */
function builtInsOfAnswer(): object[] {
  const iterators = [[][Symbol.iterator](), new Map().entries(), new Set().values(), ""[Symbol.iterator]()];
  const chains = iterators.map((one) => getPrototypeOf(one) as object);
  const typedArray = getPrototypeOf(Uint8Array) as Constructor;
  return [
    ...withPrototypes([Object, Function, Array, String, Map, Set, Uint8Array, typedArray, TextEncoder, TextDecoder]),
    ...chains,
    getPrototypeOf(chains[0] ?? {}) as object,
    JSON,
  ];
}

/** The rest of what a script can reach without asking anyone, and another script of the isolate may rely on. */
function otherBuiltIns(): object[] {
  const constructors = [Number, Boolean, Symbol, BigInt, WeakMap, WeakSet, Promise, RegExp, Date];
  const errors = [Error, TypeError, RangeError, SyntaxError, ReferenceError];
  const bytes = [ArrayBuffer, DataView];
  const functions = [function* () {}, async function* () {}, async () => undefined, "".matchAll(/a/g)];
  return [
    ...withPrototypes([...constructors, ...errors, ...bytes]),
    ...functions.map((one) => getPrototypeOf(one) as object),
    Math,
    Reflect,
  ];
}

function withPrototypes(constructors: readonly Constructor[]): object[] {
  return constructors.flatMap((one) => (one.prototype === undefined ? [one] : [one, one.prototype]));
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

/**
 * Remembers the built-in objects as they are.
 * @param extent what the answer of a run needs, or all that another run may need
 */
export function rememberRealm(extent: "answer" | "all"): Realm {
  const objects = [Object.prototype, ...builtInsOfAnswer(), ...(extent === "all" ? otherBuiltIns() : [])];
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
  const kept = bareList<Kept>();
  for (let i = 0; i < objects.length; i++) {
    const object = objects[i] as object;
    const keys = ownKeys(object);
    const descriptors = bareList<PropertyDescriptor | undefined>();
    for (let k = 0; k < keys.length; k++) {
      descriptors[k] = getOwnPropertyDescriptor(object, keys[k] as PropertyKey);
    }
    kept[i] = { object, keys, descriptors };
  }
  return kept;
}

/** A list that has nothing to do with what the prototype of arrays has become. */
function bareList<T>(): T[] {
  const list: T[] = [];
  setPrototypeOf(list, null);
  return list;
}

/**
 * Writes only what differs: a built-in object that was written to is slower from then on. Descriptors inherit from the prototype of objects,
 * so that comes first and is written whole; where it cannot be made clean everything is.
 */
function putBack(kept: readonly Kept[]): "whole" | "damaged" {
  let state = write(kept[0] as Kept, "all");
  for (let i = 1; i < kept.length; i++) {
    if (write(kept[i] as Kept, state === "whole" ? "changed" : "all") === "damaged") {
      state = "damaged";
    }
  }
  return state;
}

function write({ object, keys, descriptors }: Kept, which: "all" | "changed"): "whole" | "damaged" {
  let state: "whole" | "damaged" = "whole";
  const now = ownKeys(object);
  for (let k = 0; k < now.length; k++) {
    if (!deleteAdded(object, now[k] as PropertyKey, k, keys)) {
      state = "damaged";
    }
  }
  for (let k = 0; k < keys.length; k++) {
    const key = keys[k] as PropertyKey;
    const descriptor = descriptors[k] as PropertyDescriptor;
    if (which === "changed" && isSame(getOwnPropertyDescriptor(object, key), descriptor)) {
      continue;
    }
    if (!defineProperty(object, key, descriptor)) {
      state = "damaged";
    }
  }
  return state;
}

function isSame(now: PropertyDescriptor | undefined, before: PropertyDescriptor): boolean {
  return (
    now !== undefined &&
    is(now.value, before.value) &&
    now.get === before.get &&
    now.set === before.set &&
    now.writable === before.writable &&
    now.enumerable === before.enumerable &&
    now.configurable === before.configurable
  );
}

/** False when it cannot be deleted. */
function deleteAdded(object: object, key: PropertyKey, at: number, keys: readonly PropertyKey[]): boolean {
  if (keys[at] === key) {
    return true;
  }
  for (let i = 0; i < keys.length; i++) {
    if (keys[i] === key) {
      return true;
    }
  }
  return deleteProperty(object, key);
}
