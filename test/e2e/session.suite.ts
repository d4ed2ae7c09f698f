/** What a hosted agent's session is at every edge, as one suite: a local one, and Workers as production builds them. */
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

export const SKILLS = fileURLToPath(new URL("../../skills-bundle", import.meta.url).href);

/** An edge that serves skills-bundle/, and the operator's hand on it. */
export interface SessionEdge {
  readonly url: string;
  readonly token: string;
  readonly tenants: Readonly<Record<string, string>>;
  /** Deploys a directory to `live`. */
  deploy(directory: string): Promise<void>;
  /** Moves the platform's `live` back. */
  rollback(): Promise<void>;
  stop(): Promise<unknown>;
}

interface RunFacts {
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

interface ToolAnswer {
  readonly is_error: boolean;
  readonly content: string;
  readonly bundle: string;
  readonly skill?: { readonly name: string };
  readonly run?: RunFacts;
  readonly error?: { readonly code: string; readonly candidates: readonly string[] };
}

/** A hosted agent: an address and a token, no disk and no shell. */
class Agent {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = { Authorization: `Bearer ${token}`, ...headers };
  }

  async get<Answer>(path: string): Promise<Answer> {
    const response = await fetch(this.#url + path, { headers: this.#headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  }

  async call(tool: string, args: object): Promise<ToolAnswer> {
    const init = { method: "POST", headers: this.#headers, body: JSON.stringify(args) };
    const response = await fetch(`${this.#url}/v1/tools/${tool}`, init);
    expect(response.status).toBe(200);
    return (await response.json()) as ToolAnswer;
  }

  load(skill: string): Promise<ToolAnswer> {
    return this.call("load_skill", { skill_name: skill });
  }

  async run(skill: string, script: string, args: unknown): Promise<RunFacts> {
    const answer = await this.call("run_skill_script", { skill_name: skill, script_name: script, arguments: args });
    expect(answer.error).toBeUndefined();
    return answer.run ?? { exit_code: Number.NaN, stdout: "", stderr: "", files: [] };
  }
}

/** Runs the session at an edge. */
export function describeSession(name: string, start: () => Promise<SessionEdge>): void {
  describe(`a hosted agent's session at ${name}`, () => {
    let edge: SessionEdge;
    let agent: Agent;
    /** A copy of the skills that a deploy may change. */
    let changed = "";

    const as = (tenant: string): Agent => new Agent(edge.url, edge.tenants[tenant] ?? "");
    const change = (text: string): void =>
      appendFileSync(join(changed, "platform/code-review/SKILL.md"), `\n${text}\n`);
    const waitForLoad = (text: string, isThere: "there" | "gone"): Promise<void> =>
      vi.waitFor(
        async () => expect((await agent.load("code-review")).content.includes(text)).toBe(isThere === "there"),
        { timeout: 20_000, interval: 50 },
      );

    beforeAll(async () => {
      edge = await start();
      agent = new Agent(edge.url, edge.token);
      changed = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
      cpSync(SKILLS, changed, { recursive: true });
    });
    afterAll(async () => {
      rmSync(changed, { recursive: true, force: true });
      await edge.stop();
    });

    it("begins with the context: every skill with its description, and the three tools", async () => {
      const { instructions, tools } = await agent.get<{ instructions: string; tools: { name: string }[] }>(
        "/v1/context",
      );
      expect(tools.map((tool) => tool.name)).toEqual(["load_skill", "read_skill_resource", "run_skill_script"]);
      expect([...instructions.matchAll(/<name>(.*)<\/name>/g)].map((match) => match[1])).toEqual([
        "code-review",
        "csv-report",
        "customer-risk-control",
        "customer-service-baseline",
        "refund",
        "unit-converter",
      ]);
      expect(instructions.match(/<description>[^<]{40,}<\/description>/g)).toHaveLength(6);
    });

    it("loads a skill, reads a file that it names, and runs a script that it lists", async () => {
      const loaded = await agent.load("unit-converter");
      expect(loaded.content).toMatch(/^<skill_content name="unit-converter">\n# Unit converter\n/);
      expect(loaded.content).toContain("scripts/convert.py");
      const table = await agent.call("read_skill_resource", {
        skill_name: "unit-converter",
        resource_name: "references/conversion-table.csv",
      });
      expect(table.content).toMatch(/^quantity,unit,/);
      const args = { value: 26.2, from: "miles", to: "kilometers" };
      expect(await agent.run("unit-converter", "scripts/convert.py", args)).toMatchObject({
        exit_code: 0,
        stdout: "26.2 miles = 42.1648128 kilometers\n",
        stderr: "",
        files: [],
      });
    });

    it("runs a shell script that finds something, and so exits with 1", async () => {
      const args = { name: "cart.py", code: "def add(x, items=[]):\n    return items\n" };
      expect(await agent.run("code-review", "scripts/lint-check.sh", args)).toMatchObject({
        exit_code: 1,
        stdout: "cart.py:1: B201 mutable default argument is shared between calls\n",
      });
    });

    it("runs TypeScript of two modules, and gets a file back", async () => {
      const args = ["--input", "references/sample.csv", "--by", "region", "--value", "amount"];
      const run = await agent.run("csv-report", "scripts/report.ts", args);
      expect([run.exit_code, run.stderr]).toEqual([0, ""]);
      expect(run.files.map(({ path }) => path)).toEqual(["out/report.md"]);
      expect(run.files[0]?.content).toMatch(/^# /);
    });

    it("answers a slip with candidates, for skills, resources and scripts", async () => {
      const slips = [
        await agent.load("unit-convertor"),
        await agent.call("read_skill_resource", {
          skill_name: "unit-converter",
          resource_name: "conversion-tabel.csv",
        }),
        await agent.call("run_skill_script", { skill_name: "unit-converter", script_name: "konvert.py" }),
      ];
      expect(slips.map(({ is_error, error }) => [is_error, error?.code, error?.candidates[0]])).toEqual([
        [true, "skill-not-found", "unit-converter"],
        [true, "resource-not-found", "references/conversion-table.csv"],
        [true, "script-not-found", "scripts/convert.py"],
      ]);
    });

    it("shows each tenant the platform's skills and its own, the nearer one winning by name", async () => {
      const lists = ["tenant-a", "tenant-b"].map((tenant) =>
        as(tenant).get<{ skills: { name: string; layer: string }[] }>("/v1/skills"),
      );
      const [a, b] = (await Promise.all(lists)).map(({ skills }) =>
        skills.map(({ name, layer }) => `${layer}/${name}`),
      );
      const common = ["code-review", "csv-report", "customer-risk-control", "customer-service-baseline"];
      const platform = common.map((skill) => `platform/${skill}`);
      expect(a?.toSorted()).toEqual(
        [
          ...platform,
          "platform/unit-converter",
          "tenant-a/refund",
          "tenant-a/tenant-a-logistics",
          "tenant-a/tenant-a-order-service",
        ].toSorted(),
      );
      expect(b?.toSorted()).toEqual(
        [
          ...platform,
          "platform/refund",
          "platform/unit-converter",
          "tenant-b/tenant-b-logistics",
          "tenant-b/tenant-b-order-service",
          "tenant-b/tenant-b-refund-service",
        ].toSorted(),
      );
      const [ours, theirs] = await Promise.all(["tenant-a", "tenant-b"].map((tenant) => as(tenant).load("refund")));
      expect(ours?.content).toContain("# Refund (Fjord & Thread)");
      expect(theirs?.content).not.toContain("Fjord");
      const foreign = await as("tenant-b").load("tenant-a-order-service");
      expect(foreign.error?.code).toBe("skill-not-found");
      expect(JSON.stringify(foreign.error)).not.toMatch(/tenant-a-logistics|Fjord/);
    });

    it("answers a shop's customer: why has order A-1042 not shipped, and what if it does not ship today?", async () => {
      const shop = as("tenant-a");
      const { instructions } = await shop.get<{ instructions: string }>("/v1/context");
      expect(instructions).toContain("<name>tenant-a-order-service</name>");
      const order = await shop.load("tenant-a-order-service");
      expect(order.content).toContain("scripts/query-order-status.py");
      const today = "2026-11-30";
      const status = await shop.run("tenant-a-order-service", "scripts/query-order-status.py", {
        order: "A-1042",
        today,
      });
      expect([status.exit_code, status.stdout]).toEqual([
        0,
        "A-1042: awaiting-stock, placed 2026-11-27 15:10, total 79.00 EUR\n" +
          "item: 1 x Linen dress, sage, M (dresses), 79.00 EUR\n" +
          "ship by: 2026-11-30, due today, days late 0\n" +
          "note: last piece failed inspection; replacement stock arrives 2026-12-01\n",
      ]);
      expect((await shop.load("refund")).content).toContain("scripts/check-refund-eligibility.py");
      const late = { reason: "late-shipment", days_late: 1, amount: "79.00" };
      const refund = await shop.run("refund", "scripts/check-refund-eligibility.py", late);
      expect([refund.exit_code, refund.stdout]).toEqual([
        0,
        "eligible: voucher of 7.90 EUR (A9: 1 day late, 10 % up to 15.00)\n",
      ]);
    });

    it("gives whole answers of one bundle or the other while a deploy and a rollback go on", async () => {
      const seen = new Map<string, Set<string>>();
      let goOn = true;
      const calling = async (): Promise<void> => {
        while (goOn) {
          const { content, bundle, is_error } = await agent.load("code-review");
          expect(is_error).toBe(false);
          seen.set(bundle, (seen.get(bundle) ?? new Set()).add(content));
        }
      };
      const callers = Promise.all([calling(), calling(), calling()]);
      change("CHANGED ONCE");
      await edge.deploy(changed);
      await waitForLoad("CHANGED ONCE", "there");
      await edge.rollback();
      await waitForLoad("CHANGED ONCE", "gone");
      goOn = false;
      await callers;
      expect([...seen.values()].map((contents) => contents.size)).toEqual([1, 1]);
      const texts = [...seen.values()].flatMap((contents) => [...contents]);
      expect(texts.filter((text) => text.includes("CHANGED ONCE"))).toHaveLength(1);
      expect(texts.map((text) => text.trimEnd().slice(-"</skill_scripts>".length))).toEqual([
        "</skill_scripts>",
        "</skill_scripts>",
      ]);
    });

    it("keeps who sends X-Skills-Bundle on the bundle it began with, over a deploy", async () => {
      const begun = await agent.load("code-review");
      const staying = new Agent(edge.url, edge.token, { "X-Skills-Bundle": begun.bundle });
      change("CHANGED AGAIN");
      await edge.deploy(changed);
      await waitForLoad("CHANGED AGAIN", "there");
      expect(await staying.load("code-review")).toEqual(begun);
      const args = { value: 1, from: "miles", to: "kilometers" };
      expect((await staying.run("unit-converter", "scripts/convert.py", args)).exit_code).toBe(0);
    });
  });
}
