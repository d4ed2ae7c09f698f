/** Owns what the settings and the environment say of a Cloudflare target. Never sends anything itself; never tells a secret. */
import { join } from "node:path";
import type { CloudflareTargetOptions } from "../deploy/cloudflare/cloudflare-target.ts";
import { CLOUDFLARE_API, type Patience } from "../deploy/cloudflare/patience.ts";
import type { WorkerSecrets } from "../deploy/cloudflare/worker-secrets.ts";
import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
import { NO_PLACE, type TargetPlace } from "../model/targets.ts";
import type { CommandContext } from "./command.ts";
import { pauseTeller } from "./pause-teller.ts";
import { wranglerToken } from "./wrangler-login.ts";

/** The target that needs no settings: the environment can say all of it. */
const UNNAMED = "cloudflare";

/** In the state directory. */
const CONFIRMED = "confirmed.jsonl";

/** Opens a target of the settings. Throws `usage` for a name that is not there, `credentials-invalid`. */
export async function openCloudflare(
  name: string,
  targets: ReadonlyMap<string, TargetPlace>,
  state: string,
  context: Pick<CommandContext, "cwd" | "env" | "signal" | "terminal">,
): Promise<DeployTarget> {
  const { env, terminal } = context;
  const place = placeOf(name, targets);
  const places = placesOf(name, place, env);
  // The client is only loaded by those who need it.
  const [{ openCloudflareTarget }, { ConfirmedFile }, { DEFAULT_PATIENCE }] = await Promise.all([
    import("../deploy/cloudflare/cloudflare-target.ts"),
    import("../deploy/cloudflare/confirmed.ts"),
    import("../deploy/cloudflare/patience.ts"),
  ]);
  const patience = { ...DEFAULT_PATIENCE, onPause: pauseTeller(terminal) };
  const options = { name, ...places, ...(await credentialsOf(name, place, patience, context)) };
  const confirmed = new ConfirmedFile(
    join(state, CONFIRMED),
    [options.apiBaseUrl ?? "", options.accountId, options.kvNamespaceId].join(" "),
  );
  return openCloudflareTarget({ ...options, confirmed, patience });
}

/** The secrets of a target's edge Worker. Throws as {@link openCloudflare} does. */
export async function openWorkerSecrets(
  name: string,
  targets: ReadonlyMap<string, TargetPlace>,
  context: Pick<CommandContext, "cwd" | "env" | "signal" | "terminal">,
): Promise<WorkerSecrets> {
  const place = placeOf(name, targets);
  const [{ WorkerSecrets }, { DEFAULT_PATIENCE }] = await Promise.all([
    import("../deploy/cloudflare/worker-secrets.ts"),
    import("../deploy/cloudflare/patience.ts"),
  ]);
  const patience = { ...DEFAULT_PATIENCE, onPause: pauseTeller(context.terminal) };
  const baseUrl = context.env.CLOUDFLARE_API_BASE_URL || CLOUDFLARE_API;
  const { apiToken, accountId } = await credentialsOf(name, place, patience, context);
  return new WorkerSecrets({ apiToken, accountId, baseUrl, patience, worker: place.worker });
}

/** Formats of bundles that a target's edge Worker reads; null when nobody tells. Throws as {@link openCloudflare} does. */
export async function deployedFormats(
  name: string,
  targets: ReadonlyMap<string, TargetPlace>,
  context: Pick<CommandContext, "cwd" | "env" | "signal" | "terminal">,
): Promise<readonly number[] | null> {
  const place = placeOf(name, targets);
  // What the settings lack is said before anybody is asked.
  placesOf(name, place, context.env);
  const [{ workerFormats }, { DEFAULT_PATIENCE }] = await Promise.all([
    import("../deploy/cloudflare/worker-formats.ts"),
    import("../deploy/cloudflare/patience.ts"),
  ]);
  const baseUrl = context.env.CLOUDFLARE_API_BASE_URL || CLOUDFLARE_API;
  const patience = { ...DEFAULT_PATIENCE, onPause: pauseTeller(context.terminal) };
  const { apiToken, accountId } = await credentialsOf(name, place, patience, context);
  return workerFormats({ apiToken, accountId, baseUrl, worker: place.worker });
}

function placeOf(name: string, targets: ReadonlyMap<string, TargetPlace>): TargetPlace {
  const place = targets.get(name) ?? (name === UNNAMED ? NO_PLACE : null);
  if (place === null) {
    throw new SkillsError("usage", `Cannot use target "${name}": the settings have none of this name`, {
      candidates: ["local", ...new Set([UNNAMED, ...targets.keys()])],
    });
  }
  return place;
}

/** Who deploys, and to which account: the environment, else wrangler's login and its only account. Throws `credentials-invalid`. */
async function credentialsOf(
  name: string,
  place: TargetPlace,
  patience: Patience,
  context: Pick<CommandContext, "cwd" | "env" | "signal">,
): Promise<Pick<CloudflareTargetOptions, "apiToken" | "accountId" | "tokenOf">> {
  const { env } = context;
  const accountId = env.CLOUDFLARE_ACCOUNT_ID || place.account_id;
  const given = env.CLOUDFLARE_API_TOKEN || null;
  const apiToken = given ?? (await wranglerToken(context));
  if (apiToken === null) {
    throw new SkillsError(
      "credentials-invalid",
      `Cannot deploy to ${name}: CLOUDFLARE_API_TOKEN is not set, and nobody is logged in to wrangler`,
      {
        hint: "export CLOUDFLARE_API_TOKEN=… CLOUDFLARE_ACCOUNT_ID=… (the token needs Workers KV Storage › Edit and Workers R2 Storage › Edit), or `npx wrangler login`",
      },
    );
  }
  if (accountId !== null) {
    return { apiToken, accountId, tokenOf: given === null ? "login" : "api" };
  }
  const { onlyAccount } = await import("../deploy/cloudflare/only-account.ts");
  const only = await onlyAccount(apiToken, env.CLOUDFLARE_API_BASE_URL || CLOUDFLARE_API, patience);
  return { apiToken, accountId: only, tokenOf: given === null ? "login" : "api" };
}

/** Which namespace and bucket. What the environment says counts more than what the settings say. Throws for what neither says. */
function placesOf(
  name: string,
  place: TargetPlace,
  env: CommandContext["env"],
): Omit<CloudflareTargetOptions, "name" | "apiToken" | "accountId"> {
  const said = (variable: string): string | null => env[variable] || null;
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
    kvNamespaceId,
    r2Bucket,
    ...(apiBaseUrl === null ? {} : { apiBaseUrl }),
    ...(r2Endpoint === null ? {} : { r2Endpoint }),
  };
}
