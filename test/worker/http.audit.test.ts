import { describe, expect, it, vi } from "vitest";
import { childOf } from "../../src/http/trace.ts";
import { digestOf } from "../../src/model/digest.ts";
import { AUDIT_EVENTS } from "../../src/tenancy/audit-events.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { bundleOf, deployBundle, post, type Send } from "./support/uploader.ts";

let edges = 0;

async function scene(settings = {}, more = {}) {
  const edge = new PrivateEdge(
    `audit-${edges++}`,
    { approval: { run_skill_script: "never" }, audit: true, ...settings },
    more,
  );
  await edge.deploy("platform", [
    {
      name: "sums",
      files: ["a.md", "scripts/run.py"].map((path) => ({ path, content: "SECRET-TEXT\n" })),
      scripts: ["scripts/run.py"],
    },
  ]);
  const { id, token } = await edge.token("acme", ["admin"]);
  const lines: Record<string, unknown>[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  const call = (tool: string, args: object) =>
    edge.ask(token, `/v1/tools/${tool}`, {
      method: "POST",
      body: JSON.stringify(args),
      headers: { "X-Skills-Agent": "a1", traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
    });
  return { edge, id, token, lines, call, end: () => log.mockRestore() };
}

describe("audit", () => {
  it("writes one line for each use, with who, what and how it ended, and nothing of what was said", async () => {
    const { edge, id, token, lines, call, end } = await scene();
    const response = await call("load_skill", { skill_name: "sums" });
    await call("load_skill", { skill_name: "nothing" });
    await call("search_skills", { query: "sums" });
    await call("read_skill_resource", { skill_name: "sums", resource_name: "a.md" });
    await call("run_skill_script", {
      skill_name: "sums",
      script_name: "run.py",
      arguments: { password: "SECRET-ARGUMENT" },
    });
    await edge.ask(token, "/v1/skills/sums/files/a.md");
    const files = [{ path: "SKILL.md", content: "---\nname: mine\ndescription: SECRET-TEXT\n---\n" }];
    await edge.ask(token, "/v1/runtime/skills/mine", { method: "PUT", body: JSON.stringify({ files }) });
    await edge.ask(token, "/v1/runtime/skills/nothing", { method: "DELETE" });
    end();
    expect(lines.map(({ event, skill, item, outcome, exit_code }) => [event, skill, item, outcome, exit_code])).toEqual(
      [
        ["load", "sums", null, "ok", null],
        ["load", null, null, "skill-not-found", null],
        ["search", null, null, "ok", null],
        ["read", "sums", "a.md", "ok", null],
        ["run", "sums", "scripts/run.py", "ok", 0],
        ["read", "sums", "a.md", "ok", null],
        ["put", "mine", null, "ok", null],
        ["delete", "nothing", null, "skill-not-found", null],
      ],
    );
    expect(lines[0]).toEqual({
      level: "info",
      message: "audit",
      event: "load",
      tenant: "acme",
      for_tenant: null,
      token: id,
      agent: "a1",
      session: null,
      skill: "sums",
      digest: expect.stringMatching(/^sha256:/),
      item: null,
      outcome: "ok",
      exit_code: null,
      duration_ms: expect.any(Number),
      request_id: response.headers.get("X-Request-Id"),
      trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    });
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`SECRET|${token}`));
    expect(response.headers.get("Server-Timing")).toMatch(/^edge;dur=\d+$/);
  });

  it("writes down who was asked and who decided", async () => {
    const { edge, lines, call, end } = await scene({ approval: { run_skill_script: "ask" } });
    const asked = await call("run_skill_script", { skill_name: "sums", script_name: "run.py" });
    const { approval } = (await asked.json()) as { approval: { id: string } };
    const decider = await edge.token("acme", ["approve"]);
    const body = JSON.stringify({ decision: "deny" });
    await edge.ask(decider.token, `/v1/approvals/${approval.id}`, { method: "POST", body });
    end();
    expect(
      lines
        .filter(({ event }) => String(event).startsWith("approval"))
        .map((line) => [line.event, line.item, line.outcome]),
    ).toEqual([
      ["approval.pending", approval.id, "pending"],
      ["approval.decided", approval.id, "denied"],
    ]);
    expect(lines.at(-1)?.token).toBe(decider.id);
  });

  it("writes down each change that the operator makes for a tenant, also one that was refused", async () => {
    const { edge, lines, end } = await scene({}, { EDGE_SKILLS_KEY: btoa("k".repeat(32)) });
    const { id: by, token } = await edge.token("platform", ["admin"]);
    const ask = (method: string, path: string, body?: unknown) =>
      edge.ask(token, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    await ask("POST", "/v1/tenants", { name: "globex" });
    await ask("POST", "/v1/tenants", { name: "globex" });
    const made: { id: string } = await (await ask("POST", "/v1/tokens?tenant=globex", { scopes: ["read"] })).json();
    await ask("DELETE", `/v1/tokens/${made.id}?tenant=globex`);
    await ask("DELETE", `/v1/tokens/${made.id}?tenant=globex`);
    await ask("PUT", "/v1/secrets/github?tenant=globex", { value: "SECRET-VALUE" });
    await ask("DELETE", "/v1/secrets/github?tenant=globex");
    await ask("DELETE", "/v1/secrets/github");
    const recalled = await digestOf("bad");
    await ask("POST", "/v1/blocks", { digest: recalled, reason: "SECRET-REASON" });
    await ask("DELETE", `/v1/blocks/${recalled}`);
    const { token: deployer } = await edge.token("globex", ["deploy"]);
    const send: Send = (path, init) => edge.ask(deployer, path, init);
    const [first, second] = [await bundleOf([{ name: "one" }]), await bundleOf([{ name: "two" }])];
    await deployBundle(send, first);
    await deployBundle(send, second);
    const { version } = (await (await send("/v1/deploys?channel=live")).json()) as { version: string };
    const back = { channel: "live", expected: version, bundle: first.bundle, reason: "rollback" };
    await ask("POST", "/v1/deploys?tenant=globex", back);
    await post(send, "/v1/deploys", { channel: "preview", expected: null, bundle: second.bundle });
    await post(send, "/v1/deploys", back);
    await ask("POST", "/v1/tenants/globex/suspend");
    await ask("POST", "/v1/tenants/globex/resume");
    await ask("POST", "/v1/tenants/nobody/suspend");
    await ask("DELETE", "/v1/tenants/globex");
    end();
    const told = lines.map(({ event, tenant, for_tenant, item, outcome }) => [
      event,
      tenant,
      for_tenant,
      item,
      outcome,
    ]);
    expect(told).toEqual([
      ["tenant.create", "platform", null, "globex", "ok"],
      ["tenant.create", "platform", null, "globex", "tenant-exists"],
      ["token.create", "platform", "globex", made.id, "ok"],
      ["token.revoke", "platform", "globex", made.id, "ok"],
      ["token.revoke", "platform", "globex", made.id, "token-unknown"],
      ["secret.put", "platform", "globex", "github", "ok"],
      ["secret.remove", "platform", "globex", "github", "ok"],
      ["secret.remove", "platform", null, "github", "secret-unknown"],
      ["block", "platform", null, recalled, "ok"],
      ["block.lift", "platform", null, recalled, "ok"],
      ["deploy", "globex", null, first.bundle, "ok"],
      ["deploy", "globex", null, second.bundle, "ok"],
      ["rollback", "platform", "globex", first.bundle, "ok"],
      ["promote", "globex", null, second.bundle, "ok"],
      ["rollback", "globex", null, first.bundle, "deploy-conflict"],
      ["tenant.suspend", "platform", null, "globex", "ok"],
      ["tenant.resume", "platform", null, "globex", "ok"],
      ["tenant.suspend", "platform", null, "nobody", "tenant-unknown"],
      ["tenant.delete", "platform", null, "globex", "ok"],
    ]);
    expect(lines[0]?.token).toBe(by);
    expect(JSON.stringify(lines)).not.toMatch(/SECRET/);
    // Those of the tests above, which use skills and approvals, are the rest.
    const used = ["load", "search", "read", "run", "put", "delete", "approval.pending", "approval.decided"];
    expect([...new Set([...used, ...told.map(([event]) => event)])].sort()).toEqual([...AUDIT_EVENTS].sort());
  });

  it("writes down what MCP clients read as resources", async () => {
    const { edge, token, lines, end } = await scene();
    const read = async (uri: string) => {
      const request = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } };
      const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
      return (await edge.ask(token, "/mcp", { method: "POST", headers, body: JSON.stringify(request) })).text();
    };
    expect(await read("skill://sums/a.md")).toContain("SECRET-TEXT");
    await read("skill://sums/nothing.md");
    end();
    expect(lines.map(({ event, tenant, skill, item, outcome }) => [event, tenant, skill, item, outcome])).toEqual([
      ["read", "acme", "sums", "a.md", "ok"],
    ]);
  });

  it("gives each line to the dataset too, and is silent where it is switched off", async () => {
    const points: unknown[] = [];
    const loud = await scene({}, { AUDIT: { writeDataPoint: (point: unknown) => points.push(point) } });
    await loud.call("load_skill", { skill_name: "sums" });
    loud.end();
    expect(points).toEqual([
      {
        indexes: ["acme"],
        blobs: ["load", "acme", "sums", expect.stringMatching(/^sha256:/), null, "ok", null],
        doubles: [expect.any(Number), -1],
      },
    ]);
    const silent = await scene({ audit: false });
    await silent.call("load_skill", { skill_name: "sums" });
    silent.end();
    expect(silent.lines).toEqual([]);
  });
});

describe("a request that is part of a trace", () => {
  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  const SENT = `00-${TRACE}-00f067aa0ba902b7-01`;

  it("has a span of its own, which is answered and goes on to the runner", async () => {
    const edge = new PrivateEdge("trace", { approval: { run_skill_script: "never" } });
    const files = [{ path: "scripts/run.py", content: "print(1)\n" }];
    await edge.deploy("platform", [{ name: "sums", files, scripts: ["scripts/run.py"] }]);
    const { token } = await edge.token("acme", ["read", "run"]);
    const body = JSON.stringify({ skill_name: "sums", script_name: "run.py" });
    const run = async (headers: Record<string, string>) => {
      const response = await edge.ask(token, "/v1/tools/run_skill_script", { method: "POST", body, headers });
      const answer: { run: { stdout: string } } = await response.json();
      const { traceparent } = JSON.parse(answer.run.stdout) as { traceparent?: string };
      return { told: response.headers.get("traceresponse"), sent: traceparent ?? null };
    };
    const [first, second] = [await run({ traceparent: SENT }), await run({ traceparent: SENT })];
    expect(first.told).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect([first.sent, second.sent]).toEqual([first.told, second.told]);
    expect(second.told).not.toBe(first.told);
    expect(await run({})).toEqual({ told: null, sent: null });
    const refused = await edge.ask(null, "/v1/skills", { headers: { traceparent: SENT } });
    expect(refused.headers.get("traceresponse")).toMatch(`00-${TRACE}-`);
  });

  it("is one when its header is as the standard says", () => {
    const given = [
      SENT,
      `${SENT}-later`,
      `01-${TRACE}-00f067aa0ba902b7-01-later`,
      `ff-${TRACE}-00f067aa0ba902b7-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
      "x",
    ];
    const own = `00-${TRACE}-0102030405060708-01`;
    const span = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    expect(given.map((text) => childOf(text, span))).toEqual([own, null, own, null, null, null, null, null]);
  });
});
