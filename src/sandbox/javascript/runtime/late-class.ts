/** Owns objects that become instances of a class of the platform when something of that class is asked of them; never which class. */

/** A constructor as Node.js writes them: it can be called on an object that exists already. */
export interface OldClass {
  readonly prototype: object;
  call(self: object, ...args: unknown[]): unknown;
}

/**
 * Gives an object a class that is loaded only when a property is looked up that the object does not have itself.
 * @param load called once
 */
export function lateClass(object: object, load: () => OldClass, ...args: unknown[]): void {
  const settle = () => {
    const made = load();
    Object.setPrototypeOf(object, made.prototype);
    made.call(object, ...args);
  };
  const placeholder = new Proxy(Object.prototype, {
    get: (_target, key, receiver) => {
      settle();
      return Reflect.get(object, key, receiver);
    },
    has: (_target, key) => {
      settle();
      return Reflect.has(object, key);
    },
    set: (_target, key, value, receiver) => {
      settle();
      return Reflect.set(object, key, value, receiver);
    },
    getPrototypeOf: () => {
      settle();
      return Object.getPrototypeOf(object);
    },
  });
  Object.setPrototypeOf(object, placeholder);
}
