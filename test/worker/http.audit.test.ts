import { describe, expect, it, vi } from "vitest";
import { childOf } from "../../src/http/trace.ts";
import { PrivateEdge } from "./support/private-edge.ts";

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
    await call("read_skill_resource", { skill_name: "sums", resource_name: "a.md" });
    await call("run_skill_script", {
      skill_name: "sums",
      script_name: "run.py",
      arguments: { password: "SECRET-ARGUMENT" },
    });
    await edge.ask(token, "/v1/skills/sums/files/a.md");
    await edge.ask(token, "/v1/runtime/skills/nothing", { method: "DELETE" });
    end();
    expect(lines.map(({ event, skill, item, outcome, exit_code }) => [event, skill, item, outcome, exit_code])).toEqual(
      [
        ["load", "sums", null, "ok", null],
        ["load", null, null, "skill-not-found", null],
        ["read", "sums", "a.md", "ok", null],
        ["run", "sums", "scripts/run.py", "ok", 0],
        ["read", "sums", "a.md", "ok", null],
        ["delete", "nothing", null, "skill-not-found", null],
      ],
    );
    expect(lines[0]).toEqual({
      level: "info",
      message: "audit",
      event: "load",
      tenant: "acme",
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

  it("gives each line to the dataset too, and is silent where it is switched off", async () => {
    const points: unknown[] = [];
    const loud = await scene({}, { AUDIT: { writeDataPoint: (point: unknown) => points.push(point) } });
    await loud.call("load_skill", { skill_name: "sums" });
    loud.end();
    expect(points).toEqual([
      {
        indexes: ["acme"],
        blobs: ["load", "acme", "sums", expect.stringMatching(/^sha256:/), null, "ok"],
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
