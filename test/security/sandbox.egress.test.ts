/** Owns attacks on the network of runs: what a script may try to reach, to smuggle out, to learn of a secret. Nothing leaves the process. */
import { describe, expect, test } from "vitest";
import { type EgressRule, isRuleOrigin } from "../../src/model/egress.ts";
import { createEgress, type EgressParts, type EgressRefusal } from "../../src/runners/egress.ts";
import { isPrivateHost } from "../../src/runners/egress-address.ts";
import { ownHostOf } from "../../src/runners/egress-rules.ts";
import { secretsOf } from "../../src/runners/secrets.ts";

const SECRET = 's3cr3t/+ &"token-0123456789';
const API = "https://api.example.com";

interface Outside {
  readonly sent: Request[];
  readonly refused: EgressRefusal[];
  ask(url: string, init?: RequestInit): Promise<Response>;
}

/** A run's network whose outside is a function of this test. */
function outside(
  rules: readonly EgressRule[],
  answer: (request: Request) => Response | Promise<Response> = () => new Response("fine"),
  more: Partial<EgressParts> = {},
): Outside {
  const sent: Request[] = [];
  const refused: EgressRefusal[] = [];
  const network = createEgress({
    rules,
    own: new Set(["skills.example.com", "loopback:8787"]),
    secretOf: async (_tenant, name) => (name === "api" ? SECRET : null),
    send: async (request) => {
      sent.push(request.clone());
      return answer(request);
    },
    onRefused: (facts) => refused.push(facts),
    ...more,
  })({ skill: "rates", tenant: "acme" }, 10_000);
  return { sent, refused, ask: (url, init) => network.fetch(new Request(url, init)) };
}

const isRefused = (response: Response) => response.status === 403 && response.headers.get("x-egress") === "refused";

/** Asks, and says why it was refused, or null when it went out. */
async function reasonFor(world: Outside, url: string, init?: RequestInit): Promise<string | null> {
  const response = await world.ask(url, init);
  expect(isRefused(response)).toBe(world.sent.length === 0);
  return world.refused[0]?.reason ?? null;
}

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
    })({ skill: "rates", tenant: "acme" }, 1_000);
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
    })({ skill: "rates", tenant: "acme" }, 1_000);
    await network.fetch(request);
    expect(world.sent.map((sent) => sent.url)).toEqual([`${API}/x?q=1`]);
  });
});

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

  test("are the tenant's own, else those of all tenants", async () => {
    const secretOf = secretsOf(JSON.stringify({ acme: { api: "own" }, "*": { api: "common", other: "o" } }));
    const found = [
      secretOf("acme", "api"),
      secretOf("globex", "api"),
      secretOf("acme", "other"),
      secretOf("acme", "toString"),
    ];
    expect(await Promise.all(found)).toEqual(["own", "common", "o", null]);
    expect(() => secretsOf(`{"acme": "${SECRET}`)).toThrow(/^EDGE_SKILLS_SECRETS is not JSON$/);
  });
});

describe("floods", () => {
  const limits = { calls: 3, body_bytes: 1_000, total_bytes: 2_500 };

  test("calls of a run end at their number", async () => {
    const world = outside([{ origin: API }], undefined, { limits });
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
    const world = outside([{ origin: API }], () => new Response(endless()), { limits });
    expect([isRefused(await world.ask(`${API}/`)), cancelled]).toEqual([true, true]);
  });

  test("bytes are counted over all requests and answers", async () => {
    const world = outside([{ origin: API }], () => new Response("x".repeat(900)), { limits });
    const post = { method: "POST", body: "y".repeat(900) };
    const answers = [isRefused(await world.ask(`${API}/`, post)), isRefused(await world.ask(`${API}/`, post))];
    expect([answers, world.sent.length]).toEqual([[false, true], 1]);
  });
});
