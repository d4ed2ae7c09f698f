/** Owns attacks on the operator's secrets and on the budgets of a run's network. */
import { describe, expect, test } from "vitest";
import { API, isRefused, outside, reasonFor, SECRET } from "./egress-outside.ts";

describe("secrets", () => {
  const rule = { origin: API, secret: { name: "api", header: "x-api-key", prefix: "Key " } };

  test("take the place of the script's own credentials", async () => {
    const world = outside([rule]);
    const given = {
      authorization: "Bearer own",
      cookie: "a=b",
      "x-api-key": "own",
      "x-auth-token": "own",
      accept: "a/b",
    };
    await world.ask(`${API}/`, { headers: { ...given, range: "bytes=0-3" } });
    expect(Object.fromEntries(world.sent[0]?.headers ?? [])).toEqual({ accept: "a/b", "x-api-key": `Key ${SECRET}` });
  });

  test("go to the origin of their rule only", async () => {
    const world = outside([rule, { origin: "https://other.example.com" }]);
    await world.ask("https://other.example.com/", { headers: { authorization: "Bearer own" } });
    expect(Object.fromEntries(world.sent[0]?.headers ?? [])).toEqual({ authorization: "Bearer own" });
  });

  test("are not sent without TLS, except to a machine the rule names", async () => {
    const secret = { name: "api" };
    expect(await reasonFor(outside([{ origin: "http://api.example.com", secret }]), "http://api.example.com/")).toBe(
      "a secret is not sent without TLS",
    );
    expect(await reasonFor(outside([{ origin: "http://10.0.0.5:3000", secret }]), "http://10.0.0.5:3000/")).toBeNull();
  });

  test("that are not there are not done without", async () => {
    const world = outside([{ origin: API, secret: { name: "gone" } }]);
    expect(await reasonFor(world, `${API}/`)).toBe('the secret "gone" is not there');
  });

  test("a changed one is used by the next request of the same run", async () => {
    const values = ["old-value-1", "new-value-2"];
    const world = outside([{ origin: API, secret: { name: "api" } }], undefined, {
      secretOf: async () => values.shift() ?? null,
    });
    await world.ask(`${API}/1`);
    await world.ask(`${API}/2`);
    expect(world.sent.map((request) => request.headers.get("authorization"))).toEqual(["old-value-1", "new-value-2"]);
  });

  const bytes = Buffer.from(SECRET);
  test.each([
    ["as it is", SECRET],
    ["in JSON", JSON.stringify({ key: SECRET })],
    ["in an address", encodeURIComponent(SECRET)],
    ["in an address, small letters", encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ["in a form", encodeURIComponent(SECRET).replaceAll("%20", "+")],
    ["in HTML", "s3cr3t/+ &amp;&quot;token-0123456789"],
    ["in hexadecimal", bytes.toString("hex")],
    ["in base64", bytes.toString("base64")],
    ["in base64, behind one byte", Buffer.from(`x${SECRET}`).toString("base64")],
    ["in base64, behind two bytes and before some", Buffer.from(`xy${SECRET}zz`).toString("base64")],
    ["in base64 for addresses", bytes.toString("base64url")],
    ["many times", SECRET.repeat(3)],
  ])("an answer that echoes one %s is blanked", async (_how, text) => {
    const world = outside([rule], () => new Response(`<${text}>`, { headers: { echo: SECRET } }));
    const answer = await world.ask(`${API}/`);
    const body = await answer.text();
    const seen = [body, answer.headers.get("echo") ?? ""];
    expect(body).toMatch(/^<.*\*{8,}.*>$/);
    for (const part of [text.slice(4, -4), "token-0123456789", bytes.toString("hex").slice(8, 24)]) {
      expect(seen.some((one) => one.includes(part))).toBe(false);
    }
  });

  test("cookies of a session that a secret opened stay here", async () => {
    const world = outside([rule], () => new Response("x", { headers: { "set-cookie": "session=1" } }));
    const answer = await world.ask(`${API}/`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  test("an answer that cannot be looked through is not given", async () => {
    const world = outside([rule], () => new Response("x", { headers: { "content-encoding": "zstd" } }));
    expect(isRefused(await world.ask(`${API}/`))).toBe(true);
    expect(world.refused.map((facts) => facts.reason)).toEqual([
      'an answer in the encoding "zstd" cannot be looked through',
    ]);
  });

  test("what went wrong is told without one", async () => {
    const world = outside([rule], () => Promise.reject(new Error(`cannot send ${SECRET}`)));
    await expect(world.ask(`${API}/`)).rejects.toThrow(new RegExp(`^Cannot reach ${API}$`));
  });

  test("that cannot be opened are not done without, and the log says why", async () => {
    const secretOf = () => Promise.reject(new Error("Cannot open it"));
    const world = outside([rule], undefined, { secretOf });
    expect(await reasonFor(world, `${API}/`)).toBe('the secret "api" cannot be used: Cannot open it');
  });
});

describe("floods", () => {
  const limits = { network_calls: 3, network_bytes: 2_500 };

  test("calls of a run end at their number", async () => {
    const world = outside([{ origin: API }], undefined, {}, limits);
    const answers = [];
    for (let i = 0; i < 5; i++) {
      answers.push(isRefused(await world.ask(`${API}/${i}`)));
    }
    expect([answers, world.sent.length]).toEqual([[false, false, false, true, true], 3]);
  });

  test("an endless answer is given up, and what sends it is told", async () => {
    let cancelled = false;
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(300)),
        cancel: () => {
          cancelled = true;
        },
      });
    const world = outside([{ origin: API }], () => new Response(endless()), {}, limits);
    expect([isRefused(await world.ask(`${API}/`)), cancelled]).toEqual([true, true]);
  });

  test("bytes are counted over all requests and answers", async () => {
    const world = outside([{ origin: API }], () => new Response("x".repeat(900)), {}, limits);
    const post = { method: "POST", body: "y".repeat(900) };
    const answers = [isRefused(await world.ask(`${API}/`, post)), isRefused(await world.ask(`${API}/`, post))];
    expect([answers, world.sent.length]).toEqual([[false, true], 1]);
  });
});
