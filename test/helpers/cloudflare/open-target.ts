/** Opens a target on the stand-in, with pauses that take no time but move the stand-in's clock. */
import { openCloudflareTarget } from "../../../src/deploy/cloudflare/cloudflare-target.ts";
import type { Patience } from "../../../src/deploy/cloudflare/patience.ts";
import type { DeployTarget } from "../../../src/deploy/target.ts";
import { ACCOUNT, API_TOKEN, BUCKET, LOGIN_TOKEN, NAMESPACE } from "./account.ts";
import type { CloudflareStandIn } from "./stand-in.ts";

/** Pauses are noted in `pauses`. */
export function patienceOn(standIn: CloudflareStandIn, pauses: number[] = []): Patience {
  return {
    tries: 4,
    timeoutMs: 30_000,
    pauseMs: 500,
    longestPauseMs: 20_000,
    longestAskedMs: 310_000,
    random: () => 0.5,
    async sleep(ms) {
      pauses.push(ms);
      standIn.time += ms;
    },
  };
}

export function openTargetOn(
  standIn: CloudflareStandIn,
  patience: Patience = patienceOn(standIn),
  tokenOf: "api" | "login" = "api",
): Promise<DeployTarget> {
  return openCloudflareTarget({
    name: "stand-in",
    apiToken: tokenOf === "api" ? API_TOKEN : LOGIN_TOKEN,
    tokenOf,
    accountId: ACCOUNT,
    kvNamespaceId: NAMESPACE,
    r2Bucket: BUCKET,
    apiBaseUrl: standIn.apiBaseUrl,
    r2Endpoint: standIn.r2Endpoint,
    patience,
  });
}
