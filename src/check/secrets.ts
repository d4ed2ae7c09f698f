/** Owns what must never be packed: environment files, private keys, credential stores. Never opens a file. */
import { baseName, extensionOf } from "../model/path.ts";

const KEY_STORE_EXTENSIONS: ReadonlySet<string> = new Set([".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"]);

/** Credential stores by their name alone. */
const STORE_NAMES: ReadonlySet<string> = new Set([
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".pgpass",
  ".pypirc",
  ".htpasswd",
  ".dockercfg",
  ".s3cfg",
  ".vault-token",
  "application_default_credentials.json",
]);

/** Credential stores by the end of their path. */
const STORE_PATHS = [
  ".aws/credentials",
  ".docker/config.json",
  ".kube/config",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".config/gh/hosts.yml",
  ".config/gcloud/credentials.db",
  ".azure/accesstokens.json",
];

const BEGIN = "-----BEGIN ";
const PRIVATE_KEY_HEADER = /^-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
const LINE_BREAK = /^[ \t]*(?:\r?\n|\\r\\n|\\n)/;

/** A block of fewer signs than this holds no key; documents show such blocks as examples. */
const MIN_KEY_SIGNS = 16;

/** Why a file with this path is a secret; null when its name says nothing. */
export function secretName(path: string): string | null {
  const name = baseName(path).toLowerCase();
  if (name === ".env" || (name.startsWith(".env.") && !/\.(?:example|sample|template)$/.test(name))) {
    return "an environment file";
  }
  const whole = `/${path.toLowerCase()}`;
  if (STORE_NAMES.has(name) || STORE_PATHS.some((store) => whole.endsWith(`/${store}`))) {
    return "a credential store";
  }
  return KEY_STORE_EXTENSIONS.has(extensionOf(path)) ? "a key store" : null;
}

/** Why a file with this content is a secret; null when it is none. */
export function secretContent(path: string, content: string): string | null {
  if (holdsPrivateKey(content)) {
    return "a private key";
  }
  return baseName(path).toLowerCase() === ".npmrc" && /_(?:authToken|auth|password)\s*=\s*[^\s$]/.test(content)
    ? "a credential store"
    : null;
}

/** A private key block: its header, a line break, and enough signs to be a key before it ends. Linear in the content. */
function holdsPrivateKey(content: string): boolean {
  for (let at = content.indexOf(BEGIN); at >= 0; at = content.indexOf(BEGIN, at + 1)) {
    const header = PRIVATE_KEY_HEADER.exec(content.slice(at, at + 100))?.[0];
    if (header) {
      const inside = content.slice(at + header.length, at + header.length + 512);
      const block = inside.split("-----END", 1)[0] ?? "";
      const data = block.replace(/\\[rn]/g, "").replace(/[^A-Za-z0-9+/=-]/g, "");
      if (LINE_BREAK.test(inside) && data.length >= MIN_KEY_SIGNS) {
        return true;
      }
    }
  }
  return content.startsWith("PuTTY-User-Key-File-");
}
