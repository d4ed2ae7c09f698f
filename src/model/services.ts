/** Owns how a host hands its own things (a database, a client) to sources, resources and scripts. Never makes or disposes them. */

declare const TYPE: unique symbol;

/** Names a service and knows its type. */
export interface ServiceKey<T> {
  readonly name: string;
  readonly [TYPE]?: T;
}

/** What a context carries for its host. */
export interface ServiceProvider {
  /** The service under a key; undefined when there is none. */
  get<T>(key: ServiceKey<T>): T | undefined;
}

/** Makes a key. Two keys are different, whatever their names. */
export function serviceKey<T>(name: string): ServiceKey<T> {
  return { name };
}

/**
 * Services by their keys.
 *
 * @example
 * const DATABASE = serviceKey<Database>("database");
 * const services = new Services().add(DATABASE, database);
 * services.get(DATABASE); // Database | undefined
 */
export class Services implements ServiceProvider {
  readonly #held = new Map<ServiceKey<unknown>, unknown>();

  /** Adds a service; a later one of the same key takes its place. */
  add<T>(key: ServiceKey<T>, service: T): this {
    this.#held.set(key, service);
    return this;
  }

  get<T>(key: ServiceKey<T>): T | undefined {
    return this.#held.get(key) as T | undefined;
  }
}
