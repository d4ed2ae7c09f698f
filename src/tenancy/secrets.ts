/**
 * Owns the secrets that network rules and functions name: put and listed for a tenant, opened only for what is sent outside. Each use asks the
 * tenant's Durable Object, so that a new one counts at once; nothing is kept here.
 */
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { SecretFacts } from "../model/secret.ts";
import type { SecretBox } from "./secret-box.ts";
import type { TenantBook } from "./tenant-book.ts";

/** The secrets of all tenants. */
export class Secrets {
  readonly #book: TenantBook;
  readonly #box: SecretBox;

  constructor(book: TenantBook, box: SecretBox) {
    this.#book = book;
    this.#box = box;
  }

  /** Keeps a secret of a tenant (or of the platform), in place of one of its name. Throws `secret-key-missing`, `secrets-full`. */
  async put(tenant: string, name: string, value: string): Promise<void> {
    const sealed = await this.#box.seal(tenant, name, value);
    if (!(await this.#book.putSecret(tenant, { name, sealed, put_at: new Date().toISOString() }))) {
      throw new SkillsError("secrets-full", "Cannot keep this secret: there are too many already. Remove one");
    }
  }

  /** Names and dates, by name. */
  list(tenant: string): Promise<SecretFacts[]> {
    return this.#book.listSecrets(tenant);
  }

  /** Forgets a secret; tells whether there was one. */
  remove(tenant: string, name: string): Promise<boolean> {
    return this.#book.removeSecret(tenant, name);
  }

  /** The secret a tenant's run is sent with: its own, else the platform's; null when there is none. Throws when it cannot be opened. */
  async find(tenant: string, name: string): Promise<string | null> {
    const [own, common] = await Promise.all([...new Set([tenant, PLATFORM_LAYER])].map((of) => this.#sealed(of, name)));
    const found = own?.sealed === null ? common : own;
    return found?.sealed ? this.#box.open(found.tenant, name, found.sealed) : null;
  }

  async #sealed(tenant: string, name: string): Promise<{ tenant: string; sealed: string | null }> {
    return { tenant, sealed: await this.#book.findSecret(tenant, name) };
  }
}
