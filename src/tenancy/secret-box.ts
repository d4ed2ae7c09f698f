/**
 * Owns sealing and opening secrets: AES-GCM under a key of the tenant's own, made of the edge's key by HKDF, bound to tenant and name. So what
 * one tenant's store holds opens under no other tenant or name. Never stores anything.
 */
import { fromBase64, toBase64 } from "../model/base64.ts";
import { SkillsError } from "../model/errors.ts";

const VERSION = "v1";
const KEY_BYTES = 32;
const IV_BYTES = 12;

const HOW = "openssl rand -base64 32 | npx wrangler secret put EDGE_SKILLS_KEY";

/**
 * Seals and opens with the edge's key: at least 32 bytes in base64; undefined where the operator made none. Of several, by blanks, the first
 * seals and all open.
 */
export class SecretBox {
  readonly #keys: readonly string[];

  constructor(keys: string | undefined) {
    this.#keys = (keys ?? "").split(/\s+/).filter((key) => key !== "");
  }

  /** A secret as it may be stored. Throws `secret-key-missing`. */
  async seal(tenant: string, name: string, secret: string): Promise<string> {
    const [key] = await this.#keysOf(tenant);
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(cipher(iv, tenant, name), key, new TextEncoder().encode(secret));
    return [VERSION, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
  }

  /** The secret. Throws `secret-key-missing`, or `secret-unreadable` for what was sealed with another key or for another place. */
  async open(tenant: string, name: string, text: string): Promise<string> {
    const keys = await this.#keysOf(tenant);
    const [version, iv = "", sealed = ""] = text.split(".");
    try {
      if (version !== VERSION) {
        throw new Error("it is of another version");
      }
      const [how, what] = [cipher(fromBase64(iv), tenant, name), fromBase64(sealed)];
      const bytes = await Promise.any(keys.map((key) => crypto.subtle.decrypt(how, key, what)));
      return new TextDecoder().decode(bytes);
    } catch (cause) {
      throw new SkillsError(
        "secret-unreadable",
        `Cannot open the secret ${JSON.stringify(name)}: it was sealed with another EDGE_SKILLS_KEY. Put it again`,
        { cause },
      );
    }
  }

  /** The tenant's keys, the sealing one first. */
  async #keysOf(tenant: string): Promise<readonly [CryptoKey, ...CryptoKey[]]> {
    const [first, ...others] = await Promise.all(this.#keys.map((key) => tenantKey(key, tenant)));
    if (first === undefined) {
      throw unusable("is not set");
    }
    return [first, ...others];
  }
}

async function tenantKey(key: string, tenant: string): Promise<CryptoKey> {
  const bytes = bytesOf(key);
  if (bytes === null || bytes.length < KEY_BYTES) {
    throw unusable(`is not ${KEY_BYTES} bytes in base64`);
  }
  const master = await crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode(JSON.stringify(["edge-skills secret", VERSION, tenant]));
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const algorithm = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(derivation, master, algorithm, false, ["encrypt", "decrypt"]);
}

function unusable(problem: string): SkillsError {
  return new SkillsError("secret-key-missing", `Cannot keep secrets: EDGE_SKILLS_KEY ${problem}. Make one: ${HOW}`);
}

function cipher(iv: Uint8Array<ArrayBuffer>, tenant: string, name: string) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify([VERSION, tenant, name])) };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64(base64);
  } catch {
    return null;
  }
}
