/** Owns telling others over HTTP what happened, signed so that they can tell who told it. A message that cannot be delivered is dropped after a few tries. */

import { SIGNATURE_HEADER, signatureOf } from "../model/signature.ts";

/** Where messages go. */
export interface Webhook {
  readonly url: string;
}

/** How messages are sent; parameters, so that tests need no network and no time. */
export interface WebhookSending {
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  readonly clock?: () => number;
  readonly pause?: (ms: number) => Promise<void>;
}

const TRIES = 4;
const FIRST_PAUSE_MS = 500;

/** Milliseconds that one try may take. */
const TRY_MS = 10_000;

/** Makes what tells all webhooks; its promise never rejects. */
export function createWebhooks(
  webhooks: readonly Webhook[],
  secret: string,
  { fetch: send = (url, init) => fetch(url, init), clock = Date.now, pause = sleep }: WebhookSending = {},
): (type: string, data: object) => Promise<void> {
  return async (type, data) => {
    const now = clock();
    const body = JSON.stringify({
      id: crypto.randomUUID(),
      type,
      created_at: new Date(Math.floor(now / 1_000) * 1_000).toISOString(),
      data,
    });
    const headers = {
      "Content-Type": "application/json",
      [SIGNATURE_HEADER]: await signatureOf(secret, body, now),
    };
    const deliver = async ({ url }: Webhook): Promise<void> => {
      for (let i = 0; i < TRIES; i++) {
        if (i > 0) {
          await pause(FIRST_PAUSE_MS * 4 ** (i - 1));
        }
        const init = {
          method: "POST",
          body,
          headers,
          redirect: "manual",
          signal: AbortSignal.timeout(TRY_MS),
        } as const;
        const response = await send(url, init).catch(() => null);
        await response?.body?.cancel();
        if (response?.ok) {
          return;
        }
      }
    };
    await Promise.all(webhooks.map(deliver));
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
