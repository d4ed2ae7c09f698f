/** Owns objects whose values are all loaded when one of them is first looked at, though their names are known before; never which object. */

/**
 * Makes an object of another one that is loaded late. What is assigned to it stays.
 * @param names what can be looked up
 * @param load called once
 */
export function lateNames(names: readonly string[], load: () => object): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  let loaded: object | null = null;
  for (const name of names) {
    Object.defineProperty(object, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        loaded ??= load();
        return Reflect.get(loaded, name);
      },
      set: (value) => Object.defineProperty(object, name, { value, writable: true, enumerable: true }),
    });
  }
  return object;
}
