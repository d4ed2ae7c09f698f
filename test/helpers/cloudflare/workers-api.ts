/**
 * The secrets and settings of Workers, as Cloudflare's REST API has them (developers.cloudflare.com/api, Workers › Scripts › Secrets): put, listed by name, deleted, and
 * never given back. Each change is a new version, deployed at once.
 */
import { ACCOUNT, type ApiAnswer, type ApiRequest, type Stores } from "./account.ts";
import { problem, result } from "./rest-answer.ts";

export const WORKERS_PATH = /^\/accounts\/(\w+)\/workers\/scripts\/([\w-]+)\/(?:settings|secrets(?:\/(\w+))?)$/;

/** Answers a request about secrets and settings. */
export function answerWorkers(
  { workers, variables }: Pick<Stores, "workers" | "variables">,
  { method, body }: ApiRequest,
  path: string,
): ApiAnswer {
  const [, account, script = "", name] = WORKERS_PATH.exec(path) ?? [];
  if (account !== ACCOUNT) {
    return problem(403, 10000, "Authentication error");
  }
  const secrets = workers.get(script);
  if (secrets === undefined) {
    return problem(404, 10007, "This Worker does not exist on your account.");
  }
  if (method === "GET" && path.endsWith("/settings")) {
    const plain = [...variables].map(([variable, text]) => ({ name: variable, text, type: "plain_text" }));
    const bucket = { name: "SKILLS_R2", bucket_name: "edge-skills", type: "r2_bucket" };
    return result({ bindings: [...plain, bucket], compatibility_date: "2026-11-01" });
  }
  if (method === "GET" && name === undefined) {
    return result([...secrets.keys()].map((secret) => ({ name: secret, type: "secret_text" })));
  }
  if (method === "PUT" && name === undefined) {
    const secret = JSON.parse(new TextDecoder().decode(body)) as { name: string; text: string; type: string };
    if (secret.type !== "secret_text") {
      return problem(400, 10021, "the type of a secret is secret_text");
    }
    secrets.set(secret.name, secret.text);
    return result({ name: secret.name, type: "secret_text" });
  }
  if (method === "DELETE" && name !== undefined) {
    return secrets.delete(name) ? result(null) : problem(404, 10056, "Binding name not found.");
  }
  return problem(405, 10405, "Method not allowed");
}
