import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createWebhooks } from "../../../src/tenancy/webhooks.ts";

const SECRET = "a secret";
const HOOKS = [{ url: "https://one.example/hook" }, { url: "https://two.example/hook" }];

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** What was sent, and the pauses between; each answer is the next of `statuses`, 0 for none at all. */
function scene(statuses: readonly number[], hooks = HOOKS) {
  const sent: Sent[] = [];
  const pauses: number[] = [];
  const left = [...statuses];
  const tell = createWebhooks(hooks, SECRET, {
    fetch: async (url, init) => {
      sent.push({ url, init });
      const status = left.shift() ?? 200;
      if (status === 0) {
        throw new TypeError("no network");
      }
      return new Response(null, { status });
    },
    clock: () => 1_700_000_000_500,
    pause: async (ms) => void pauses.push(ms),
  });
  return { sent, pauses, tell };
}

describe("createWebhooks()", () => {
  it("tells every address, signed over time and body", async () => {
    const { sent, tell } = scene([]);
    await tell("approval.pending", { id: "a1" });
    expect(sent.map(({ url }) => url)).toEqual(HOOKS.map(({ url }) => url));
    for (const { init } of sent) {
      const body = String(init.body);
      expect(JSON.parse(body)).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: "approval.pending",
        created_at: "2023-11-14T22:13:20.000Z",
        data: { id: "a1" },
      });
      const hex = createHmac("sha256", SECRET).update(`1700000000.${body}`).digest("hex");
      expect(init).toMatchObject({
        method: "POST",
        redirect: "manual",
        headers: { "Content-Type": "application/json", "X-Skills-Signature": `t=1700000000,v1=${hex}` },
      });
    }
  });

  it("tries again with the same message, ever more slowly, and gives up without a word", async () => {
    const { sent, pauses, tell } = scene([500, 0, 302, 404], HOOKS.slice(0, 1));
    await tell("approval.decided", {});
    expect(pauses).toEqual([500, 2_000, 8_000]);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
  });

  it("stops once it was taken", async () => {
    const { sent, tell } = scene([503, 204], HOOKS.slice(0, 1));
    await tell("approval.decided", {});
    expect(sent).toHaveLength(2);
  });
});
