/** Owns what the settings and the environment say of a Cloudflare target. Never sends anything itself; never tells a secret. */
import { join } from "node:path";
import type { CloudflareTargetOptions } from "../deploy/cloudflare/cloudflare-target.ts";
import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
import { NO_PLACE, type TargetPlace } from "../model/targets.ts";
import type { CommandContext } from "./command.ts";

/** The target that needs no settings: the environment can say all of it. */
const UNNAMED = "cloudflare";

/** In the state directory. */
const CONFIRMED = "confirmed.jsonl";

/** A pause that people want to know of, milliseconds. */
const LONG_PAUSE_MS = 3_000;

/** Opens a target of the settings. Throws `usage` for a name that is not there, `credentials-invalid`. */
export async function openCloudflare(
  name: string,
  targets: ReadonlyMap<string, TargetPlace>,
  state: string,
  { env, terminal }: Pick<CommandContext, "env" | "terminal">,
): Promise<DeployTarget> {
  const place = targets.get(name) ?? (name === UNNAMED ? NO_PLACE : null);
  if (place === null) {
    throw new SkillsError("usage", `Cannot use target "${name}": the settings have none of this name`, {
      candidates: ["local", ...new Set([UNNAMED, ...targets.keys()])],
    });
  }
  const options = optionsOf(name, place, env);
  // The client is only loaded by those who need it.
  const [{ openCloudflareTarget }, { ConfirmedFile }, { DEFAULT_PATIENCE }] = await Promise.all([
    import("../deploy/cloudflare/cloudflare-target.ts"),
    import("../deploy/cloudflare/confirmed.ts"),
    import("../deploy/cloudflare/patience.ts"),
  ]);
  const onPause = (ms: number, why: string): void => {
    if (ms >= LONG_PAUSE_MS) {
      terminal.say(`waiting ${Math.ceil(ms / 1000)} s: ${why}`);
    }
  };
  const confirmed = new ConfirmedFile(
    join(state, CONFIRMED),
    [options.apiBaseUrl ?? "", options.accountId, options.kvNamespaceId].join(" "),
  );
  return openCloudflareTarget({ ...options, confirmed, patience: { ...DEFAULT_PATIENCE, onPause } });
}

/** What the environment says counts more than what the settings say. Throws for what neither says. */
function optionsOf(name: string, place: TargetPlace, env: CommandContext["env"]): CloudflareTargetOptions {
  const said = (variable: string): string | null => env[variable] || null;
  const apiToken = said("CLOUDFLARE_API_TOKEN");
  const accountId = said("CLOUDFLARE_ACCOUNT_ID") ?? place.account_id;
  if (apiToken === null || accountId === null) {
    const missing = apiToken === null ? "CLOUDFLARE_API_TOKEN" : "CLOUDFLARE_ACCOUNT_ID";
    throw new SkillsError("credentials-invalid", `Cannot deploy to ${name}: ${missing} is not set`, {
      hint: "export CLOUDFLARE_API_TOKEN=… CLOUDFLARE_ACCOUNT_ID=…; the token needs Workers KV Storage › Edit and Workers R2 Storage › Edit",
    });
  }
  const kvNamespaceId = said("EDGE_SKILLS_KV_NAMESPACE_ID") ?? place.kv_namespace_id;
  const r2Bucket = said("EDGE_SKILLS_R2_BUCKET") ?? place.r2_bucket;
  if (kvNamespaceId === null || r2Bucket === null) {
    const key = kvNamespaceId === null ? "kv_namespace_id" : "r2_bucket";
    throw new SkillsError("config-invalid", `Cannot deploy to ${name}: its settings have no "${key}"`, {
      hint: `edge-skills.json: { "targets": { "${name}": { "kv_namespace_id": "…", "r2_bucket": "edge-skills" } } }, the same as in wrangler.toml`,
    });
  }
  const apiBaseUrl = said("CLOUDFLARE_API_BASE_URL");
  const r2Endpoint = said("EDGE_SKILLS_R2_ENDPOINT") ?? place.r2_endpoint;
  return {
    name,
    apiToken,
    accountId,
    kvNamespaceId,
    r2Bucket,
    ...(apiBaseUrl === null ? {} : { apiBaseUrl }),
    ...(r2Endpoint === null ? {} : { r2Endpoint }),
  };
}
