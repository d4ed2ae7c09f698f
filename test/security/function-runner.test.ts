/** Owns attacks of a function on the runner that asks it: whatever it answers, the caller gets a run or is told nothing. */
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunLimits } from "../../src/model/run.ts";
import { createHttpFunctionRunner, type HttpFunctionOptions } from "../../src/runners/http-function-runner.ts";
import { codeOf, failureOf } from "../helpers/error-code.ts";
import { type Site, serveSite } from "../helpers/http-site.ts";
import { type JobFacts, jobOf } from "../helpers/script-job.ts";

const SECRET = "s3cret-of-the-function";
const RUN = {
  exit_code: 0,
  stdout: "fine\n",
  stderr: "",
  timed_out: false,
  truncated: false,
  limit: null,
  duration_ms: 3,
  files: [{ path: "out/a.txt", size: 2, media_type: "text/plain", encoding: "utf-8", content: "ä" }],
};

async function runAt(site: Site, facts: JobFacts = {}, options: Partial<HttpFunctionOptions> = {}) {
  const url = `${await serveSite(site)}/run?code=query-key`;
  return createHttpFunctionRunner({ url, secret: SECRET, ...options }).run(await jobOf(facts));
}

/** What the caller is told, and what the log gets beside it. */
async function failureAt(site: Site, facts: JobFacts = {}, options: Partial<HttpFunctionOptions> = {}) {
  const { code, message, cause } = await failureOf(() => runAt(site, facts, options));
  return { told: `${code}: ${message}`, log: String(cause) };
}

const TOLD = "runner-failed: Cannot run the script: the function that runs it gave no run";

describe("createHttpFunctionRunner()", () => {
  test("says what the run is part of, and nothing where it is part of nothing", async () => {
    const seen: (string | null)[] = [];
    const site: Site = async (request) => {
      seen.push(request.headers.get("traceparent"));
      return Response.json(RUN);
    };
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const runner = createHttpFunctionRunner({ url: `${await serveSite(site)}/run`, secret: SECRET });
    await runner.run({ ...(await jobOf({})), traceparent });
    await runner.run(await jobOf({}));
    expect(seen).toEqual([traceparent, null]);
  });

  test("reads a list of wrong files no further than to the first", async () => {
    const answer = JSON.stringify({ ...RUN, files: [] }).replace("[]", `[${"0,".repeat(2_000_000)}0]`);
    const { told, log } = await failureAt(async () => new Response(answer));
    expect(told).toBe(TOLD);
    expect(log).toContain('its answer is no run: "files.0" does not fit');
  });

  test("asks by the protocol: signed, with the skill's files under those of the call", async () => {
    const seen: { signature: string; body: string; method: string }[] = [];
    const run = await runAt(
      async (request) => {
        const signature = request.headers.get("X-Skills-Signature") ?? "";
        seen.push({ signature, body: await request.text(), method: request.method });
        return Response.json(RUN);
      },
      {
        source: "echo ä\n",
        own: { "data/a.bin": Uint8Array.of(0, 255), "data/b.txt": "old" },
        files: [{ path: "data/b.txt", bytes: new TextEncoder().encode("new") }],
        arguments: { day: "monday" },
        argv: ["--day", "monday"],
        stdin: "input",
        limits: { timeout_ms: 5_000, output_bytes: 100 },
      },
    );
    expect(run).toEqual(RUN);
    const [{ signature, body, method } = { signature: "", body: "", method: "" }] = seen;
    const [, at = ""] = /^t=(\d+),/.exec(signature) ?? [];
    const hex = createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex");
    expect([method, signature]).toEqual(["POST", `t=${at},v1=${hex}`]);
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(JSON.parse(body)).toEqual({
      protocol: 1,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      skill: { name: "tools", digest },
      script: { name: "scripts/main.sh", digest, source: "echo ä\n" },
      arguments: { day: "monday" },
      argv: ["--day", "monday"],
      stdin: "input",
      files: [
        { path: "SKILL.md", encoding: "utf-8", content: "---\nname: tools\ndescription: Tools.\n---\n" },
        { path: "data/a.bin", encoding: "base64", content: "AP8=" },
        { path: "data/b.txt", encoding: "utf-8", content: "new" },
      ],
      limits: { timeout_ms: 5_000, output_bytes: 100 },
    });
  });

  test('sends no file of the skill with "call", and no id twice', async () => {
    const bodies: { id: string; actor: string; files: object[]; script: object }[] = [];
    const site: Site = async (request) => {
      bodies.push(await request.json());
      return Response.json(RUN);
    };
    const url = await serveSite(site);
    const runner = createHttpFunctionRunner({ url, secret: async () => SECRET, sends: "call" });
    const job = await jobOf({
      actor: "jwt:https://issuer.example#ada",
      own: { "data/a.txt": "own" },
      files: [{ path: "in.txt", bytes: Uint8Array.of(65) }],
    });
    await runner.run(job);
    await runner.run(job);
    const [first, second] = bodies;
    expect(first?.files).toEqual([{ path: "in.txt", encoding: "utf-8", content: "A" }]);
    expect(first?.actor).toBe("jwt:https://issuer.example#ada");
    expect(Object.keys(first?.script ?? {})).toEqual(["name", "digest"]);
    expect(first?.id).not.toBe(second?.id);
  });

  test.each<[string, Site, string]>([
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/elsewhere", 307), "it answered 307"],
    ["a failure", () => new Response(`no: ${SECRET}`, { status: 500 }), "it answered 500"],
    ["another good status", () => Response.json(RUN, { status: 201 }), "it answered 201"],
    ["what is not JSON", () => new Response(`<p>${SECRET}</p>`), "its answer is not JSON"],
    ["an empty answer", () => new Response(""), "its answer is not JSON"],
    ["JSON that is no run", () => Response.json({ [SECRET]: 1 }), 'its answer is no run: "exit_code" does not fit'],
    ["a run in another form", () => Response.json({ ...RUN, exit_code: "0" }), '"exit_code" does not fit'],
    ["more than a run", () => Response.json({ ...RUN, extra: SECRET }), "its answer is no run"],
    ["a limit there is none of", () => Response.json({ ...RUN, limit: SECRET }), '"limit" does not fit'],
    ["a file outside", () => Response.json(withFile({ path: "../../x" })), '"files.0.path" does not fit'],
    ["a file of another size", () => Response.json(withFile({ size: 3 })), '"files.0" does not fit'],
    ["a file that is not base64", () => Response.json(withFile({ encoding: "base64" })), '"files.0" does not fit'],
    ["a media type that is none", () => Response.json(withFile({ media_type: "a/b\r\nx: y" })), '"files.0.media_type"'],
    ["more than may come back", () => new Response("x".repeat(2_001)), "its answer is over 2000 bytes"],
  ])("takes %s for no run, and tells the caller nothing of it", async (_what, site, log) => {
    const failure = await failureAt(site, {}, { answerBytes: 2_000 });
    expect(failure.told).toBe(TOLD);
    expect(failure.log).toContain(log);
    expect(failure.log).toContain("/run: ");
    expect(failure.log).not.toMatch(/query-key|s3cret/);
  });

  test("does not follow a redirect", async () => {
    let asked = 0;
    const other = await serveSite(() => {
      asked++;
      return Response.json(RUN);
    });
    await failureAt(() => Response.redirect(other, 307));
    expect(asked).toBe(0);
  });

  test.each<[string, Site]>([
    ["comes too late", () => new Promise((resolve) => setTimeout(() => resolve(Response.json(RUN)), 1_500))],
    ["never comes", () => new Promise(() => undefined)],
  ])("an answer that %s is none", async (_what, site) => {
    const failure = await failureAt(site, { limits: { timeout_ms: 200 } }, { graceMs: 200 });
    expect(failure.told).toBe(TOLD);
  });

  test("an answer that drips is given up when its time is up", async () => {
    const timers: NodeJS.Timeout[] = [];
    const server = createServer((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      timers.push(setInterval(() => response.write(" "), 50));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      timers.forEach(clearInterval);
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const runner = createHttpFunctionRunner({ url, secret: SECRET, graceMs: 200 });
    expect(await codeOf(async () => runner.run(await jobOf({ limits: { timeout_ms: 200 } })))).toBe("runner-failed");
  });

  test("holds what comes back to the run's limits", async () => {
    const file = (path: string, content: string) => ({ ...RUN.files[0], path, size: content.length, content });
    const big = { ...RUN, stdout: "ä".repeat(100), files: [file("a", "12345"), file("b", "12345"), file("c", "1")] };
    const limited = (limits: Partial<RunLimits>) => runAt(() => Response.json(big), { limits });
    expect(await limited({ output_bytes: 7 })).toMatchObject({ stdout: "äää", truncated: true, limit: null });
    const few = await limited({ files: 2 });
    expect([few.files.map(({ path }) => path), few.truncated, few.limit]).toEqual([["a", "b"], true, "files"]);
    const small = await limited({ file_bytes: 9 });
    expect([small.files.map(({ path }) => path), small.truncated, small.limit]).toEqual([["a"], true, "files"]);
  });

  test("without a secret nothing is sent", async () => {
    let asked = 0;
    const site: Site = () => {
      asked++;
      return Response.json(RUN);
    };
    const failure = await failureAt(site, {}, { secret: async () => null });
    expect([failure.told, asked]).toEqual([TOLD, 0]);
    expect(failure.log).toContain("its secret is not there");
    const shut = await failureAt(site, {}, { secret: () => Promise.reject(new Error("Cannot open it")) });
    expect([shut.told, asked]).toEqual([TOLD, 0]);
    expect(shut.log).toContain("its secret cannot be used: Cannot open it");
  });

  test("sends a skill no further than it may be large, and says what to do", async () => {
    let asked = 0;
    const own = { "model.bin": new Uint8Array(17 * 1024 * 1024) };
    const failure = await failureAt(() => Response.json({ asked: asked++ }), { own });
    expect([failure.told, asked]).toEqual([TOLD, 0]);
    expect(failure.log).toContain('set "sends" to "call"');
  });

  test("tries again where nothing can have been sent, and only there", async () => {
    const tries = async (error: unknown): Promise<number> => {
      let count = 0;
      const send = () => {
        count++;
        return Promise.reject(error);
      };
      await failureAt(() => Response.json(RUN), {}, { fetch: send });
      return count;
    };
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect([
      await tries(new TypeError("fetch failed", { cause: refused })),
      await tries(new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) })),
      await tries(new Error("Network connection lost.")),
    ]).toEqual([3, 1, 1]);
  });

  test("a function that is not there yet is asked again under the same id", async () => {
    const url = await serveSite(() => Response.json(RUN));
    const closed = await closedAddress();
    const ids: string[] = [];
    let isThere = false;
    const send = async (request: Request) => {
      ids.push((JSON.parse(await request.clone().text()) as { id: string }).id);
      if (!isThere) {
        isThere = true;
        return fetch(closed);
      }
      return fetch(request);
    };
    const run = await createHttpFunctionRunner({ url, secret: SECRET, fetch: send }).run(await jobOf());
    expect([run.stdout, ids.length, new Set(ids).size]).toEqual(["fine\n", 2, 1]);
  });

  test.each([
    "http://functions.example.com/",
    "https://user:key@functions.example.com/",
    "ftp://127.0.0.1/",
    "functions.example.com",
  ])("sends no script to %s", async (url) => {
    const failure = await failureOf(() => createHttpFunctionRunner({ url, secret: SECRET }));
    expect(failure.code).toBe("config-invalid");
    expect(failure.message).not.toContain("key");
  });
});

/** An address at which nothing listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

function withFile(facts: object): object {
  return { ...RUN, files: [{ ...RUN.files[0], ...facts }] };
}
