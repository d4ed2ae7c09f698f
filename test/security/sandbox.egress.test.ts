/** Owns attacks on the network of runs: what a script may try to reach, and what it may try to say there. */
import { describe, expect, test } from "vitest";
import { isRuleOrigin } from "../../src/model/egress.ts";
import { createEgress } from "../../src/runners/egress.ts";
import { isPrivateHost } from "../../src/runners/egress-address.ts";
import { ownHostOf } from "../../src/runners/egress-rules.ts";
import { API, isRefused, LIMITS, outside, reasonFor } from "./egress-outside.ts";

describe("what is reached", () => {
  test("nothing, without a rule", async () => {
    expect(await reasonFor(outside([]), `${API}/`)).toBe("no rule allows it");
  });

  test.each([
    ["another scheme", "http://api.example.com/"],
    ["another port", "https://api.example.com:8443/"],
    ["a name below", "https://x.api.example.com/"],
    ["a longer name", "https://api.example.com.evil.test/"],
    ["a name that ends the same", "https://evilapi.example.com/"],
    ["the allowed name as a user", "https://api.example.com@evil.test/"],
    ["the allowed name as a user with a password", "https://api.example.com:443@evil.test/"],
    ["the allowed name in the fragment", "https://evil.test/#@api.example.com/"],
    ["the allowed name behind a backslash", "https://evil.test\\@api.example.com/"],
    ["a dot at the end", "https://api.example.com./"],
    ["look-alike letters", "https://\u0430pi.example.com/"],
  ])("a rule for one origin does not allow %s", async (_what, url) => {
    const request = { url, method: "GET", headers: new Headers(), body: null } as unknown as Request;
    const world = outside([{ origin: API }]);
    const network = createEgress({
      rules: [{ origin: API }],
      own: new Set(),
      secretOf: async () => null,
      send: () => Promise.reject(new Error("it went out")),
      onRefused: (facts) => world.refused.push(facts),
    })({ skill: "rates", tenant: "acme" }, LIMITS);
    expect(isRefused(await network.fetch(request))).toBe(true);
    expect(world.refused.map((facts) => facts.reason)).toEqual(["no rule allows it"]);
  });

  test.each([
    ["ftp://api.example.com/"],
    ["file:///etc/passwd"],
    ["data:text/plain,x"],
    ["blob:https://api.example.com/1"],
  ])("%s is no network", async (url) => {
    const world = outside([{ origin: "*" }]);
    expect(await reasonFor(world, url)).toBe("only http and https lead out");
  });

  test.each([
    ["GET", "/v1/rates", null],
    ["GET", "/v1", null],
    ["GET", "/v1/../admin", "no rule allows it"],
    ["GET", "/v1/%2e%2e/admin", "no rule allows it"],
    ["GET", "/v1/..%2fadmin", "no rule allows it"],
    ["GET", "/v1/%2E%2E%5Cadmin", "no rule allows it"],
    ["GET", "/v1/..;/admin", "no rule allows it"],
    ["GET", "/v1/..;x=1/admin", "no rule allows it"],
    ["GET", "/v1/.;/admin", "no rule allows it"],
    ["GET", "/v1/%252e%252e/admin", "no rule allows it"],
    ["GET", "/v1/..%25252fadmin", "no rule allows it"],
    ["GET", "/v1/%c0%ae%c0%ae/admin", "no rule allows it"],
    ["GET", "/v1/..%c0%afadmin", "no rule allows it"],
    ["GET", "/v1/%e0%80%ae%e0%80%ae/admin", "no rule allows it"],
    ["GET", "/v1/%f0%80%80%ae/admin", "no rule allows it"],
    ["GET", "/v1/\uff0e\uff0e\uff0fadmin", "no rule allows it"],
    ["GET", "/v1/..\\admin", "no rule allows it"],
    ["GET", "/v1/a;b/c.d;e", null],
    ["GET", "/v1/100%25/caf%C3%A9", null],
    ["GET", "/v10", "no rule allows it"],
    ["GET", "//v1/rates", "no rule allows it"],
    ["GET", "/V1/rates", "no rule allows it"],
    ["DELETE", "/v1/rates", "no rule allows it"],
    ["POST", "/v1/rates", "no rule allows it"],
  ])("methods and paths: %s %s", async (method, path, reason) => {
    const world = outside([{ origin: API, methods: ["GET"], paths: ["/v1"] }]);
    expect(await reasonFor(world, API + path, { method })).toBe(reason);
  });

  test("a rule of another skill or tenant allows nothing", async () => {
    const rules = [
      { origin: API, skill: "other" },
      { origin: API, tenant: "globex" },
    ];
    expect(await reasonFor(outside(rules), `${API}/`)).toBe("no rule allows it");
    expect(await reasonFor(outside([{ origin: API, skill: "ra*", tenant: "acme" }]), `${API}/`)).toBeNull();
  });

  test("a wildcard holds the names below, not the name itself nor one that only ends like it", async () => {
    const reasons = [
      "https://a.b.example.com/",
      "https://example.com/",
      "https://badexample.com/",
      "http://a.example.com/",
    ];
    const answers = await Promise.all(
      reasons.map((url) => reasonFor(outside([{ origin: "https://*.example.com" }]), url)),
    );
    expect(answers).toEqual([null, "no rule allows it", "no rule allows it", "no rule allows it"]);
  });

  test("an origin in a rule has one spelling", () => {
    const texts = [
      API,
      "*",
      "https://*.example.com",
      "http://127.0.0.1:9000",
      `${API}/`,
      `${API}:443`,
      "HTTPS://api.example.com",
    ];
    const others = ["https://u@api.example.com", "ftp://x", "https://*", "*.example.com", "https://a.*.com", ""];
    expect([...texts, ...others].filter(isRuleOrigin)).toEqual(texts.slice(0, 4));
  });
});

describe("the service itself and the private network", () => {
  test.each([
    "https://skills.example.com/v1/skills",
    "http://skills.example.com/",
    "https://SKILLS.example.com/",
    "http://127.0.0.1:8787/",
    "http://localhost:8787/",
    "http://[::1]:8787/",
    "http://0.0.0.0:8787/",
    "http://127.9.9.9:8787/",
    "http://2130706433:8787/",
    "http://x.localhost:8787/",
    "https://skills.example.com:8443/",
    "http://skills.example.com:2052/",
    "https://skills.example.com./",
    "https://skills.example.com../",
    "http://[::ffff:127.0.0.1]:8787/",
    "http://0x7f.1:8787/",
    "http://\u2460\u2461\u2466.1:8787/",
  ])("%s is refused even when a rule names it", async (url) => {
    const world = outside([{ origin: new URL(url).origin }, { origin: "*" }]);
    expect(await reasonFor(world, url)).toMatch(/^it is the service itself$|^only/);
  });

  test("the host a Worker was asked at is remembered whatever name of this machine it was", () => {
    expect(
      ["http://127.0.0.1:1/", "http://localhost:1/x", "https://Skills.Example.com/v1"].map((url) =>
        ownHostOf(new URL(url)),
      ),
    ).toEqual(["loopback:1", "loopback:1", "skills.example.com"]);
  });

  test.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://0x7f.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://a.localhost/",
    "http://10.1.2.3/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/",
    "http://metadata/",
    "http://redis:6379/",
    "http://printer.local/",
    "http://router.lan/",
    "http://127.0.0.1.nip.io/",
    "http://localtest.me/",
    "http://0.0.0.0/",
    "http://255.255.255.255/",
    "http://224.0.0.1/",
    "http://\u2460\u2461\u2466.0.0.1/",
    "http://127\u30020\u30020\u30021/",
  ])("%s is not meant by a rule for everything", async (url) => {
    const world = outside([{ origin: "*" }]);
    expect(await reasonFor(world, url)).toBe("it is a private address, and no rule names it");
  });

  test("a private address is reached when a rule names it", async () => {
    const world = outside([{ origin: "http://10.0.0.5:3000" }]);
    expect(await reasonFor(world, "http://10.0.0.5:3000/x")).toBeNull();
  });

  test("public hosts are no private ones", () => {
    const hosts = [
      "example.com",
      "8.8.8.8",
      "172.32.0.1",
      "11.0.0.1",
      "[2606:4700::1111]",
      "[2a00:1450:4001::1]",
      "local.example.com",
      // Looked at in one go, however many dots a script sets.
      `a${".".repeat(300_000)}example.com`,
    ];
    expect(hosts.filter(isPrivateHost)).toEqual([]);
  });
});

describe("redirects", () => {
  test("are not followed here: the script's client asks for each hop, and each is judged", async () => {
    const world = outside([{ origin: API }], (request) =>
      request.redirect === "manual"
        ? new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } })
        : new Response("followed"),
    );
    const first = await world.ask(`${API}/`);
    const second = await world.ask(first.headers.get("location") ?? "");
    expect([first.status, isRefused(second), world.sent.length]).toEqual([302, true, 1]);
  });
});

describe("headers", () => {
  test("of the connection and of machines on the way do not go out", async () => {
    const world = outside([{ origin: API }]);
    const given = {
      connection: "upgrade",
      upgrade: "websocket",
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      forwarded: "for=127.0.0.1",
      "cf-connecting-ip": "127.0.0.1",
      "cf-worker": "x",
      "proxy-authorization": "x",
      "accept-encoding": "zstd",
      te: "trailers",
      accept: "application/json",
      authorization: "Bearer own",
    };
    await world.ask(`${API}/`, { headers: given });
    expect(Object.fromEntries(world.sent[0]?.headers ?? [])).toEqual({
      accept: "application/json",
      authorization: "Bearer own",
    });
  });

  test("that stand for another method or path than the one that was judged do not go out", async () => {
    const world = outside([{ origin: API, methods: ["POST"], paths: ["/v1"] }]);
    const headers = {
      "x-http-method-override": "DELETE",
      "x-http-method": "DELETE",
      "x-method-override": "DELETE",
      "x-original-url": "/admin",
      "x-rewrite-url": "/admin",
      accept: "a/b",
    };
    await world.ask(`${API}/v1`, { method: "POST", headers });
    expect(Object.fromEntries(world.sent[0]?.headers ?? [])).toEqual({ accept: "a/b" });
  });

  test("an answer cannot pass for a refusal, nor speak of its connection", async () => {
    const headers = {
      "x-egress": "refused",
      "content-encoding": "gzip",
      "content-length": "3",
      connection: "close",
      a: "b",
    };
    const world = outside([{ origin: API }], () => new Response("abc", { status: 403, headers }));
    const answer = await world.ask(`${API}/`);
    expect([answer.status, await answer.text(), [...answer.headers.keys()].sort()]).toEqual([
      403,
      "abc",
      ["a", "content-type"],
    ]);
  });

  test("user, password and fragment of an address do not go out", async () => {
    const world = outside([{ origin: API }]);
    const url = `https://user:pass@api.example.com/x?q=1#part`;
    const request = { url, method: "GET", headers: new Headers(), body: null } as unknown as Request;
    const network = createEgress({
      rules: [{ origin: API }],
      own: new Set(),
      secretOf: async () => null,
      send: async (sent) => {
        world.sent.push(sent);
        return new Response("fine");
      },
    })({ skill: "rates", tenant: "acme" }, LIMITS);
    await network.fetch(request);
    expect(world.sent.map((sent) => sent.url)).toEqual([`${API}/x?q=1`]);
  });
});
