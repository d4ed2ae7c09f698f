import { describe, expect, it } from "vitest";
import { type Patience, sendPatiently } from "../../../../src/deploy/cloudflare/patience.ts";
import { failureOf } from "../../../helpers/error-code.ts";

/** Answers in turn: a status, with `Retry-After`, or an error. */
type Turn = number | readonly [status: number, retryAfter: string] | Error;

async function sent(turns: readonly Turn[], patience: Partial<Patience> = {}) {
  const pauses: number[] = [];
  const left = [...turns];
  const send = async (): Promise<Response> => {
    const turn = left.shift() ?? 200;
    if (turn instanceof Error) {
      throw turn;
    }
    const [status, retryAfter] = typeof turn === "number" ? [turn, null] : turn;
    return new Response("answer", { status, headers: retryAfter === null ? {} : { "retry-after": retryAfter } });
  };
  const whole: Patience = {
    tries: 4,
    timeoutMs: 1_000,
    pauseMs: 500,
    longestPauseMs: 1_500,
    longestAskedMs: 310_000,
    random: () => 0.5,
    sleep: async (ms) => {
      pauses.push(ms);
    },
    ...patience,
  };
  return { answer: sendPatiently("reach it", send, whole), pauses, left };
}

describe("sendPatiently()", () => {
  it("gives every answer but 429 and 5xx as it is, at once", async () => {
    for (const status of [200, 201, 400, 401, 404, 412]) {
      const { answer, pauses } = await sent([status]);
      expect(await answer).toMatchObject({ status, isUncertain: false });
      expect(pauses).toEqual([]);
    }
  });

  it("tries again with pauses that double up to the longest, each half by chance", async () => {
    const { answer, pauses } = await sent([503, 500, 502, 200]);
    expect(await answer).toMatchObject({ status: 200, isUncertain: true });
    expect(pauses).toEqual([375, 750, 1_125]);
  });

  it("waits as long as Retry-After asks, also longer than its own longest pause", async () => {
    const { answer, pauses } = await sent([[429, "300"], [503, "0"], 200]);
    expect(await answer).toMatchObject({ status: 200 });
    expect(pauses).toEqual([300_000, 0]);
  });

  it("does not count a refused request as one that may have been carried out", async () => {
    expect(await (await sent([[429, "1"], 200])).answer).toMatchObject({ isUncertain: false });
    expect(await (await sent([new TypeError("fetch failed"), 200])).answer).toMatchObject({ isUncertain: true });
  });

  it.each([
    ["ECONNREFUSED", "nothing listens there"],
    ["ENOTFOUND", "there is no host of this name"],
    ["CERT_HAS_EXPIRED", "its certificate is not trusted: whatever"],
  ])("gives up after three tries when there is no connection (%s), and says why", async (code, reason) => {
    const none = new TypeError("fetch failed", { cause: Object.assign(new Error("whatever"), { code }) });
    const { answer, left } = await sent([none, none, none, 200]);
    expect((await failureOf(() => answer)).message).toBe(`Cannot reach it: ${reason}`);
    expect(left).toEqual([200]);
    expect(await (await sent([none, none, 200])).answer).toMatchObject({ status: 200, isUncertain: false });
    const broken = new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) });
    expect(await (await sent([broken, broken, none, 200])).answer.catch(() => "given up")).toBe("given up");
    expect(await (await sent([broken, broken, broken, 200])).answer).toMatchObject({ status: 200, isUncertain: true });
  });

  it("gives up after so many tries, with the last reason, and at once when asked to wait too long", async () => {
    const { answer, left } = await sent([500, 500, 500, 503, 200]);
    expect(await failureOf(() => answer)).toMatchObject({
      code: "storage-unavailable",
      message: "Cannot reach it: it answered 503",
    });
    expect(left).toEqual([200]);
    const asked = await sent([[429, "3600"], 200]);
    expect((await failureOf(() => asked.answer)).message).toContain("asks to wait 3600 s");
    expect(asked.pauses).toEqual([]);
  });

  it("ends a try that gets no answer in time", async () => {
    const never = (signal: AbortSignal) =>
      new Promise<Response>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const patience: Patience = {
      tries: 2,
      timeoutMs: 20,
      pauseMs: 1,
      longestPauseMs: 1,
      longestAskedMs: 1,
      random: () => 0,
      sleep: async () => undefined,
    };
    expect((await failureOf(() => sendPatiently("reach it", never, patience))).message).toBe(
      "Cannot reach it: it did not answer in time",
    );
  });
});
