/** Owns a map that forgets its oldest entry when it is full, so that the number of tenants never decides how much memory is taken. */

/** A bounded map; reading or writing an entry makes it the youngest. */
export class BoundedMap<Value> {
  readonly #limit: number;
  readonly #held = new Map<string, Value>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#held.size;
  }

  get(key: string): Value | undefined {
    const value = this.#held.get(key);
    if (value !== undefined) {
      this.#held.delete(key);
      this.#held.set(key, value);
    }
    return value;
  }

  set(key: string, value: Value): void {
    this.#held.delete(key);
    this.#held.set(key, value);
    const [oldest] = this.#held.keys();
    if (this.#held.size > this.#limit && oldest !== undefined) {
      this.#held.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#held.delete(key);
  }

  clear(): void {
    this.#held.clear();
  }
}
