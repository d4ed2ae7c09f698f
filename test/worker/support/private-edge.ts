/** An edge Worker of its own within the test's storage: keys and tenants have a prefix, settings are its own. */
import { createExecutionContext, env } from "cloudflare:test";
import { channelKey } from "../../../src/bundle/keys.ts";
import { encodePointer } from "../../../src/bundle/pointer-format.ts";
import { hashToken, newToken, type Scope } from "../../../src/model/token.ts";
import worker, { type Env } from "../../../src/worker.ts";
import { packSkills, pointerTo, type SkillSpec } from "../../helpers/pack-skills.ts";

/** Settings, as `edge-skills.json` has them. */
export type Settings = Readonly<Record<string, unknown>>;

export class PrivateEdge {
  env: Env;
  readonly #name: string;
  #isolates = 0;
  /** Keys that were read from storage, and how often a tenant's Durable Object was asked. */
  readonly reads: string[] = [];
  asked = 0;

  constructor(name: string, settings: Settings, more: Partial<Env> = {}) {
    const bucket = env.SKILLS_R2;
    this.#name = name;
    this.env = {
      SKILLS_R2: {
        get: (key: string) => {
          this.reads.push(key);
          return bucket.get(`${name}/${key}`);
        },
        put: (key: string, value: Uint8Array, options?: R2PutOptions) => bucket.put(`${name}/${key}`, value, options),
        delete: (key: string) => bucket.delete(`${name}/${key}`),
        list: async ({ prefix = "", startAfter, ...options }: R2ListOptions) => {
          const after = startAfter === undefined ? {} : { startAfter: `${name}/${startAfter}` };
          const { objects } = await bucket.list({ ...options, ...after, prefix: `${name}/${prefix}` });
          return { objects: objects.map(({ key }) => ({ key: key.slice(name.length + 1) })) };
        },
      } as unknown as R2Bucket,
      TENANTS: {
        idFromName: (tenant: string) => env.TENANTS.idFromName(`${name}/${tenant}`),
        get: (id: DurableObjectId) => {
          this.asked++;
          return env.TENANTS.get(id);
        },
      } as unknown as Env["TENANTS"],
      RUNNER: env.RUNNER,
      EDGE_SKILLS_CONFIG: JSON.stringify({ $schema: name, audit: false, ...settings }),
      ...more,
    };
  }

  /** Makes the next request find an isolate that knows nothing. */
  forget(): void {
    this.#isolates++;
    const settings = {
      ...JSON.parse(this.env.EDGE_SKILLS_CONFIG ?? "{}"),
      $schema: `${this.#name}, isolate ${this.#isolates}`,
    };
    this.env = { ...this.env, EDGE_SKILLS_CONFIG: JSON.stringify(settings) };
    this.reads.length = 0;
    this.asked = 0;
  }

  /** Deploys skills to a layer. */
  async deploy(layer: string, skills: readonly SkillSpec[]): Promise<void> {
    const { entries, bundle } = await packSkills(skills);
    const bucket = this.env.SKILLS_R2;
    await Promise.all([...entries].map(([key, bytes]) => bucket?.put(key, bytes)));
    await bucket?.put(channelKey(layer, "live"), encodePointer(pointerTo(bundle)));
  }

  /** Keys in its bucket. */
  async keys(prefix: string): Promise<string[]> {
    return ((await this.env.SKILLS_R2?.list({ prefix }))?.objects ?? []).map(({ key }) => key);
  }

  /** Makes a token; its record can be revoked by its id. */
  async token(tenant: string, scopes: readonly Scope[]): Promise<{ id: string; token: string }> {
    const token = newToken(tenant);
    const id = crypto.randomUUID();
    const created_at = "2026-11-30T00:00:00.000Z";
    await this.tenant(tenant).addToken({ id, hash: await hashToken(token), scopes, channel: "live", created_at });
    return { id, token };
  }

  /** The Durable Object of a tenant. */
  tenant(name: string) {
    return this.env.TENANTS.get(this.env.TENANTS.idFromName(name));
  }

  /** Asks the edge; with a token unless it is null. The path is sent as it is, so far as a URL can hold it. */
  async ask(token: string | null, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token !== null && !headers.has("Authorization")) {
      headers.set("Authorization", `Bearer ${token}`);
    }
    const request = new Request(`https://edge.test${path}`, { ...init, headers });
    return worker.fetch(request as Parameters<typeof worker.fetch>[0], this.env, createExecutionContext());
  }
}
