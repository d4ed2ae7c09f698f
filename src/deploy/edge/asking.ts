/** Owns asking an edge again when an answer says that it may help, or when none came. Only for what may be done twice. */
import { factsOf, SkillsError } from "../../model/errors.ts";
import { ownPause, type Patience } from "../cloudflare/patience.ts";
import { UNCONNECTED_TRIES, whyUnconnected } from "../unconnected.ts";

/**
 * Asks until there is an answer. Throws the last error, or one that another try does not help against, unless `onRefused` has something instead:
 * it is told whether an earlier try may have been carried out although nobody said so.
 */
export async function askPatiently<T>(
  what: string,
  ask: () => Promise<T>,
  patience: Patience,
  onRefused: (error: SkillsError, isUncertain: boolean) => Promise<T> | null = () => null,
): Promise<T> {
  let isUncertain = false;
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!SkillsError.is(error)) {
        throw error;
      }
      const ms = error.retryAfterMs ?? ownPause(attempt, patience);
      const isUnconnected = whyUnconnected(error.cause) !== null;
      const tries = isUnconnected ? Math.min(UNCONNECTED_TRIES, patience.tries) : patience.tries;
      if (!isWorthAnother(error) || attempt >= tries - 1 || ms > patience.longestAskedMs) {
        const instead = onRefused(error, isUncertain);
        if (instead === null) {
          throw error;
        }
        return instead;
      }
      isUncertain ||= error.code !== "rate-limited" && !isUnconnected;
      patience.onPause?.(ms, `${what}: ${error.message}`);
      await patience.sleep(ms);
    }
  }
}

function isWorthAnother({ code }: SkillsError): boolean {
  return code === "edge-unavailable" || code === "internal" || factsOf(code).retry;
}
