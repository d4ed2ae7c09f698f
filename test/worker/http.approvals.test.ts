import { describe, expect, it } from "vitest";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

const RUN = { skill_name: "sums", script_name: "scripts/count.py", arguments: { a: 1 } };

let scenes = 0;

/** A tenant whose scripts need a person: a token that asks, one that decides, one of another tenant. */
async function scene() {
  const edge = new PrivateEdge(`approvals-${scenes++}`, { approval: { run_skill_script: "ask" } });
  await edge.deploy("platform", [
    {
      name: "sums",
      body: `Scene ${scenes}.\n`,
      files: ["scripts/count.py", "scripts/busy.py"].map((path) => ({ path, content: "print(1)\n" })),
      scripts: ["scripts/count.py", "scripts/busy.py"],
    },
  ]);
  const asker = await edge.token("acme", ["read", "run"]);
  const decider = await edge.token("acme", ["read", "run", "approve"]);
  const other = await edge.token("globex", ["read", "run", "approve"]);
  const send = async (token: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    edge.ask(token, path, { method: "POST", body: JSON.stringify(body), headers });
  const run = async (more: object = {}, headers = {}, token = asker.token): Promise<Answer> =>
    (await send(token, "/v1/tools/run_skill_script", { ...RUN, ...more }, headers)).json();
  const decide = (id: string, body: object = { decision: "approve" }, token = decider.token) =>
    send(token, `/v1/approvals/${id}`, body);
  return { edge, asker, decider, other, send, run, decide };
}

interface Answer {
  readonly is_error: boolean;
  readonly content: string;
  readonly approval?: { id: string; status: string; url: string; expires_at: string };
  readonly run?: { stdout: string };
  readonly error?: { code: string };
}

function idOf({ approval }: Answer): string {
  expect(approval?.status).toBe("pending");
  return approval?.id ?? "";
}

describe("a call that needs a person", () => {
  it("does not run, and tells where a person decides and until when", async () => {
    const { run } = await scene();
    const answer = await run();
    expect(answer).toEqual({
      is_error: false,
      content: expect.stringContaining("A person has to approve this call"),
      skill: { name: "sums", digest: expect.any(String) },
      approval: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: "pending",
        url: `https://edge.test/v1/approvals/${answer.approval?.id}`,
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      bundle: expect.any(String),
    });
    expect(idOf(await run())).toBe(idOf(answer));
  });

  it("tells the console's page in its place where there is a console", async () => {
    const { edge, run } = await scene();
    edge.env = { ...edge.env, ASSETS: { fetch: async () => new Response("the page") } };
    edge.forget();
    const { approval } = await run();
    expect(approval?.url).toBe(`https://edge.test/console/approvals/${approval?.id}?tenant=acme`);
    const page = await edge.ask(null, new URL(approval?.url ?? "").pathname);
    expect([page.status, await page.text(), page.headers.get("Content-Security-Policy")]).toEqual([
      200,
      "the page",
      expect.stringContaining("default-src 'none'; script-src 'self'"),
    ]);
  });

  it("runs once it is approved, once; a repeat gets that run's answer, the next call asks anew", async () => {
    const { run, decide } = await scene();
    const id = idOf(await run());
    expect((await decide(id)).status).toBe(200);
    const first = await run({ approval_id: id });
    expect(first).toMatchObject({ is_error: false, run: { exit_code: 0 } });
    expect(await run({ approval_id: id })).toEqual(first);
    expect(idOf(await run())).not.toBe(id);
  });

  it("runs without the id too, once it is approved", async () => {
    const { run, decide } = await scene();
    await decide(idOf(await run()));
    expect(await run()).toMatchObject({ run: { exit_code: 0 } });
    expect(await run()).toMatchObject({ approval: { status: "pending" } });
  });

  it("is refused for good once it is denied", async () => {
    const { run, decide } = await scene();
    const id = idOf(await run());
    await decide(id, { decision: "deny" });
    expect(await run({ approval_id: id })).toMatchObject({ is_error: true, error: { code: "approval-denied" } });
  });

  it.each([
    ["other arguments", { arguments: { a: 2 } }],
    ["other input", { stdin: "x" }],
    ["another file", { files: [{ path: "a.txt", content: "x" }] }],
    ["other limits", { limits: { timeout_ms: 1_000 } }],
  ])("is another call with %s", async (_, change) => {
    const { run, decide } = await scene();
    const id = idOf(await run());
    await decide(id);
    expect(await run({ ...change, approval_id: id })).toMatchObject({
      is_error: true,
      error: { code: "approval-invalid" },
    });
    expect(idOf(await run(change))).not.toBe(id);
  });

  it("asks again once the skill has changed", async () => {
    const { edge, run, decide } = await scene();
    const id = idOf(await run());
    await decide(id);
    await edge.deploy("acme", [
      {
        name: "sums",
        body: "Changed.\n",
        files: [{ path: "scripts/count.py", content: "print(1)\n" }],
        scripts: ["scripts/count.py"],
      },
    ]);
    const again = new PrivateEdge(`approvals-${scenes - 1}`, { approval: { run_skill_script: "ask" }, limits: {} });
    const { token } = await again.token("acme", ["read", "run"]);
    const body = JSON.stringify({ ...RUN, approval_id: id });
    const response = await again.ask(token, "/v1/tools/run_skill_script", { method: "POST", body });
    expect(await response.json()).toMatchObject({ is_error: true, error: { code: "approval-invalid" } });
  });

  it("asks again once the rules of the network have changed", async () => {
    const { run, decide } = await scene();
    const id = idOf(await run());
    await decide(id);
    const settings = { approval: { run_skill_script: "ask" }, egress: { allow: [{ origin: "https://api.example" }] } };
    const changed = new PrivateEdge(`approvals-${scenes - 1}`, settings);
    const { token } = await changed.token("acme", ["read", "run"]);
    const body = JSON.stringify({ ...RUN, approval_id: id });
    const response = await changed.ask(token, "/v1/tools/run_skill_script", { method: "POST", body });
    expect(await response.json()).toMatchObject({ is_error: true, error: { code: "approval-invalid" } });
  });

  it("runs once under 1,000 repeats at a time, all with the same answer", async () => {
    const { run, decide } = await scene();
    const id = idOf(await run());
    await decide(id);
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => run({ approval_id: id })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ run: { exit_code: 0, stdout: "1" } });
  }, 60_000);

  it("can be used again when nothing ran", async () => {
    const { run, decide } = await scene();
    const busy = { script_name: "scripts/busy.py" };
    const id = idOf(await run(busy));
    await decide(id);
    for (let i = 0; i < 2; i++) {
      expect(await run({ ...busy, approval_id: id })).toMatchObject({ error: { code: "runner-busy" } });
    }
  });

  it("is answered in each provider's format, and made again with its approval", async () => {
    const { send, asker, decide } = await scene();
    const calls = [{ type: "tool_use", id: "t1", name: "run_skill_script", input: RUN }];
    const path = "/v1/tool-calls?format=";
    const [pending] = (await (await send(asker.token, `${path}anthropic`, calls)).json()) as [{ content: string }];
    expect(pending).toMatchObject({
      tool_use_id: "t1",
      is_error: false,
      content: expect.stringContaining("A person has to approve"),
    });
    const own = [{ id: "j1", name: "run_skill_script", arguments: RUN }];
    const [{ approval }] = (await (await send(asker.token, `${path}json-schema`, own)).json()) as [
      { approval: { id: string } },
    ];
    await decide(approval.id);
    const again = await send(asker.token, `${path}json-schema`, { calls: own, approvals: { j1: approval.id } });
    expect(await again.json()).toMatchObject([{ id: "j1", run: { exit_code: 0 } }]);
  });
});

describe("/v1/approvals", () => {
  it("shows what waits, with all that a person needs, and who decided", async () => {
    const { edge, asker, decider, run, decide } = await scene();
    const id = idOf(await run({}, { "X-Skills-Session": "s1" }));
    const list = await (await edge.ask(decider.token, "/v1/approvals")).json();
    expect(list).toEqual({
      approvals: [
        expect.objectContaining({
          id,
          status: "pending",
          tool: "run_skill_script",
          skill: { name: "sums", digest: expect.any(String) },
          item: "scripts/count.py",
          arguments: { a: 1 },
          session: "s1",
          asked_by: asker.id,
          decided_by: null,
        }),
      ],
    });
    await decide(id);
    const decided = await (await edge.ask(decider.token, `/v1/approvals/${id}`)).json();
    expect(decided).toMatchObject({ status: "approved", decided_by: decider.id, decided_at: expect.any(String) });
    expect(await (await edge.ask(decider.token, "/v1/approvals")).json()).toEqual({ approvals: [] });
  });

  it("shows the beginning of a long input, names and sizes of files, limits and origins, and no secret", async () => {
    const allow = [
      { origin: "https://api.example.com", skill: "su*", secret: { name: "github" } },
      { origin: "https://api.example.com", skill: "sums", methods: ["GET"] },
      { origin: "https://other.example.com", skill: "other" },
      { origin: "https://globex.example.com", tenant: "globex" },
      { origin: "*", tenant: "acme" },
    ];
    const edge = new PrivateEdge(`approvals-${scenes++}`, { approval: { run_skill_script: "ask" }, egress: { allow } });
    const files = [{ path: "scripts/count.py", content: "print(1)\n" }];
    await edge.deploy("platform", [{ name: "sums", files, scripts: ["scripts/count.py"] }]);
    const { token } = await edge.token("acme", ["run", "read"]);
    const ask = async (more: object) => {
      const body = JSON.stringify({ ...RUN, ...more });
      const asked = await edge.ask(token, "/v1/tools/run_skill_script", { method: "POST", body });
      return (await edge.ask(token, `/v1/approvals/${idOf(await asked.json())}`)).json();
    };
    const sent = Array.from({ length: 120 }, (_, n) => ({ path: `in/${n}.txt`, content: "SECRET" }));
    const long = await ask({ stdin: "ä".repeat(3_000), files: sent, limits: { timeout_ms: 2_000 } });
    expect(long).toMatchObject({
      network: ["https://api.example.com", "*"],
      actor: null,
      input: {
        stdin: "ä".repeat(2_048),
        stdin_bytes: 6_000,
        files: sent.slice(0, 100).map(({ path }) => ({ path, size: 6 })),
        file_count: 120,
        limits: { timeout_ms: 2_000, output_bytes: expect.any(Number) },
      },
    });
    expect(JSON.stringify(long)).not.toMatch(/SECRET|github/);
    const { input } = (await ask({})) as { input: object };
    expect(input).toMatchObject({ stdin: "", stdin_bytes: 0, files: [], file_count: 0 });
  });

  it("is never decided by the token that asked, nor without the scope, nor by another tenant, nor twice", async () => {
    const { asker, decider, other, run, decide } = await scene();
    const own = idOf(await run({}, {}, decider.token));
    expect((await problemOf(await decide(own))).body).toMatchObject({ status: 403, code: "approval-own" });
    expect((await problemOf(await decide(own, undefined, asker.token))).body).toMatchObject({ code: "scope-missing" });
    const unknown = problem(
      404,
      "approval-unknown",
      "Approval is not known",
      "Cannot find this approval: there is none of this id",
    );
    expect(await problemOf(await decide(own, undefined, other.token))).toEqual(unknown);
    expect(await problemOf(await decide("nothing"))).toEqual(unknown);
    const theirs = idOf(await run({ stdin: "x" }));
    expect((await decide(theirs)).status).toBe(200);
    expect((await problemOf(await decide(theirs, { decision: "deny" }))).body).toMatchObject({
      code: "approval-invalid",
    });
    expect((await problemOf(await decide(theirs, { decision: "maybe" }))).body).toMatchObject({
      code: "request-invalid",
    });
  });

  it("tells those who wait as soon as it is decided, and only them", async () => {
    const { edge, asker, other, run, decide } = await scene();
    const id = idOf(await run());
    const begun = performance.now();
    const waiting = edge.ask(asker.token, `/v1/approvals/${id}?wait=30`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await decide(id);
    expect(await (await waiting).json()).toMatchObject({ id, status: "approved" });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect((await edge.ask(asker.token, `/v1/approvals/${id}?wait=x`)).status).toBe(400);
    expect((await edge.ask(asker.token, `/v1/approvals/${id}?wait=1e9`)).status).toBe(400);
    expect((await edge.ask(other.token, `/v1/approvals/${id}`)).status).toBe(404);
    const stranger = await edge.token("acme", ["read"]);
    expect((await edge.ask(stranger.token, `/v1/approvals/${id}`)).status).toBe(404);
  });

  it("can be given for good: for the same call, or for the script whatever its arguments", async () => {
    const { run, decide } = await scene();
    await decide(idOf(await run()), { decision: "approve", remember: "call" });
    expect([await run(), await run()]).toMatchObject([{ run: { exit_code: 0 } }, { run: { exit_code: 0 } }]);
    const other = { arguments: { a: 2 } };
    await decide(idOf(await run(other)), { decision: "approve", remember: "script" });
    expect(await run({ arguments: { a: 3 } })).toMatchObject({ run: { exit_code: 0 } });
  });

  it("lets the platform's operator look after a tenant's queue, and no tenant after another's", async () => {
    const { edge, other, run, decide } = await scene();
    const id = idOf(await run());
    const operator = await edge.token("platform", ["admin"]);
    const listed = async (token: string) =>
      (await (await edge.ask(token, "/v1/approvals?tenant=acme")).text()).includes(id);
    expect([await listed(operator.token), await listed(other.token)]).toEqual([true, false]);
    expect((await decide(`${id}?tenant=acme`, undefined, other.token)).status).toBe(403);
    expect((await decide(`${id}?tenant=acme`, undefined, operator.token)).status).toBe(200);
  });
});

describe("Idempotency-Key", () => {
  it("gives a repeat the first answer, twins at the same time one run, and another token its own", async () => {
    const { edge, run, decide } = await scene();
    await decide(idOf(await run()), { decision: "approve", remember: "script" });
    const key = { "Idempotency-Key": "k1" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => run({}, key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ run: { stdout: "1" } });
    const another = await edge.ask((await edge.token("acme", ["run"])).token, "/v1/tools/run_skill_script", {
      method: "POST",
      body: JSON.stringify(RUN),
      headers: key,
    });
    expect(await another.json()).toMatchObject({ run: { stdout: "2" } });
  });

  it("refuses another call under the same key", async () => {
    const { send, asker, run, decide } = await scene();
    await decide(idOf(await run()), { decision: "approve", remember: "script" });
    const key = { "Idempotency-Key": "k1" };
    await run({}, key);
    const other = await send(asker.token, "/v1/tools/run_skill_script", { ...RUN, stdin: "x" }, key);
    expect(await problemOf(other)).toEqual(
      problem(
        409,
        "idempotency-conflict",
        "Key belongs to another call",
        "Cannot use this Idempotency-Key: it belongs to another call",
      ),
    );
    expect(await run({ stdin: "x" }, { ...key, "X-Skills-Session": "another" })).toMatchObject({
      run: { exit_code: 0 },
    });
  });

  it("lets a call that waited for a person be made again under its key", async () => {
    const { run, decide } = await scene();
    const key = { "Idempotency-Key": "k1" };
    const id = idOf(await run({}, key));
    await decide(id);
    expect(await run({ approval_id: id }, key)).toMatchObject({ run: { exit_code: 0 } });
  });
});
