/** Owns attacks on the operator's secrets and on the budgets of a run's network. */
import fc from "fast-check";
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
    ["in an address, as some leave slashes", encodeURIComponent(SECRET).replace("%2F", "/")],
    ["in an address, twice", encodeURIComponent(encodeURIComponent(SECRET))],
    ["in JSON of PHP", JSON.stringify(SECRET).replace("/", "\\/")],
    ["in JSON of Go", JSON.stringify(SECRET).replace("&", "\\u0026")],
    ["in JSON within JSON", JSON.stringify(JSON.stringify(SECRET))],
    ["in HTML", "s3cr3t/+ &amp;&quot;token-0123456789"],
    ["in HTML by numbers", "s3cr3t&#x2F;&#43; &#38;&#034;token-0123456789"],
    ["in two ways at once", "s3cr3t%2f\\u002B+&amp;%22token-0123456789"],
    ["in letters of two bytes", Buffer.from(SECRET, "utf16le").toString("latin1")],
    ["in base64, in JSON of PHP", JSON.stringify(bytes.toString("base64")).replaceAll("/", "\\/")],
    ["in base64, in an address", encodeURIComponent(bytes.toString("base64"))],
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

  const echoes: readonly ((secret: string) => string)[] = [
    (secret) => secret,
    (secret) => JSON.stringify(secret).slice(1, -1),
    encodeURIComponent,
    (secret) => Buffer.from(secret).toString("hex"),
  ];

  test("an answer that echoes one is blanked, whatever characters it is of", async () => {
    const words = fc.array(fc.constantFrom("\\", '"', "%", "25", "&", "amp;", "/", "u002f", " ", "a", "é"), {
      minLength: 4,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(words, fc.constantFrom(...echoes), async (parts, echo) => {
        const secret = `>${parts.join("")}<`;
        const world = outside([rule], () => new Response(`: ${echo(secret)} :`), { secretOf: async () => secret });
        expect(await (await world.ask(`${API}/`)).text()).toMatch(/^: \*+ :$/);
      }),
    );
  });

  test("what the credentials of Basic stand for is blanked as well", async () => {
    const basic = { origin: API, secret: { name: "api", prefix: "Basic " } };
    const echo = () => new Response('{"user":"someone","password":"pa:ss/w0rd!","both":"someone:pa:ss\\/w0rd!"}');
    const world = outside([basic], echo, { secretOf: async () => btoa("someone:pa:ss/w0rd!") });
    const blanked = '{"user":"someone","password":"***********","both":"********************"}';
    expect(await (await world.ask(`${API}/`)).text()).toBe(blanked);
  });

  test("cookies of a session that a secret opened stay here", async () => {
    const world = outside([rule], () => new Response("x", { headers: { "set-cookie": "session=1" } }));
    const answer = await world.ask(`${API}/`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  // The platform leaves all of these as they are: it decodes gzip and br, in small letters.
  test.each(["zstd", "deflate", "GZIP", "Br", "x-gzip", "gzip, gzip"])(
    "an answer in %s cannot be looked through, and is not given",
    async (encoding) => {
      const world = outside([rule], () => new Response("x", { headers: { "content-encoding": encoding } }));
      expect(isRefused(await world.ask(`${API}/`))).toBe(true);
      expect(world.refused.map((facts) => facts.reason)).toEqual([
        `an answer in the encoding "${encoding}" cannot be looked through`,
      ]);
    },
  );

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

  test("bytes are counted over all that is under way at once", async () => {
    const world = outside([{ origin: API }], () => new Response("x".repeat(900)), {}, limits);
    const answers = await Promise.all([1, 2, 3].map((i) => world.ask(`${API}/${i}`)));
    expect(answers.map(isRefused)).toEqual([false, false, true]);
  });

  test("of refusals fill no log", async () => {
    const world = outside([]);
    for (let i = 0; i < 1_000; i++) {
      expect(isRefused(await world.ask(`https://${"a".repeat(5_000)}.example.com/`))).toBe(true);
    }
    expect(world.refused).toHaveLength(20);
    expect(world.refused[0]?.origin).toBe(`https://${"a".repeat(292)}`);
    expect(world.refused.at(-1)?.reason).toBe("no rule allows it; what else is refused to this run is not told");
  });
});
