import { describe, expect, it, vi } from "vitest";
import { traceIdOf } from "../../src/tenancy/audit.ts";
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

describe("traceIdOf()", () => {
  it("takes what the standard allows and nothing else", () => {
    const id = "4bf92f3577b34da6a3ce929d0e0e4736";
    const given = [
      `00-${id}-00f067aa0ba902b7-01`,
      `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
      "x",
      null,
    ];
    expect(given.map(traceIdOf)).toEqual([id, null, null, null, null]);
  });
});
