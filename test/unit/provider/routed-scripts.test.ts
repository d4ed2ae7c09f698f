import { describe, expect, it } from "vitest";
import { createHttpFunctionRunner } from "../../../src/runners/http-function-runner.ts";
import { createRoutingRunner, type RunnerRoutes } from "../../../src/runners/routing-runner.ts";
import { CALLER, NotingRunner, providerOver } from "../../helpers/provider.ts";

const SANDBOX = new NotingRunner();
const FUNCTION = createHttpFunctionRunner({ url: "https://functions.example.com/", secret: "of-this-test-only" });

const files = ["scripts/plain.py", "scripts/numpy.py", "scripts/report.rb"].map((path) => ({ path, content: "1\n" }));
const scripts = [
  "scripts/plain.py",
  { path: "scripts/numpy.py", runnable: false, reason: "numpy is not there" },
  { path: "scripts/report.rb", runnable: false, runtime: null, reason: "ruby is not there" },
] as const;

/** Why the scripts of a skill are not offered, whether any is, and what is told of how many. */
async function offered(routes: RunnerRoutes, which: readonly (typeof scripts)[number][] = scripts) {
  const provider = await providerOver([{ name: "tools", files, scripts: which }], {
    runner: createRoutingRunner(routes),
  });
  const skill = (await provider.getCatalogue(CALLER)).find("tools");
  const { tools } = await provider.getContext(CALLER);
  return {
    reasons: (await skill.listScripts())?.map(({ reason }) => reason),
    count: skill.counts.runnable,
    tool: tools.some(({ name }) => name === "run_skill_script"),
  };
}

describe("the scripts of a packed skill are offered", () => {
  it("as the pack step found, where they go to the sandbox", async () => {
    const reasons = [null, "numpy is not there", "ruby is not there"];
    expect(await offered({ otherwise: SANDBOX })).toEqual({ reasons, count: 1, tool: true });
  });

  it("all of them, where the skill is routed to a function", async () => {
    const routes = { skills: { tools: FUNCTION }, otherwise: SANDBOX };
    expect(await offered(routes)).toEqual({ reasons: [null, null, null], count: 3, tool: true });
    expect(await offered({ otherwise: FUNCTION }, [scripts[2]])).toEqual({ reasons: [null], count: 1, tool: true });
  });

  it("by their runtime, where that is routed", async () => {
    const routes = { runtimes: { python: FUNCTION }, otherwise: SANDBOX };
    const reasons = [null, null, "ruby is not there"];
    expect(await offered(routes)).toEqual({ reasons, count: null, tool: true });
  });

  it("none, and no tool for them, where no runner serves them", async () => {
    const reasons = Array(3).fill("no runner serves it here");
    expect(await offered({ skills: { tools: null }, otherwise: SANDBOX })).toEqual({ reasons, count: 0, tool: false });
  });

  it("and run, whatever the sandbox lacks", async () => {
    const runner = new NotingRunner();
    const elsewhere = { run: (job: Parameters<NotingRunner["run"]>[0]) => runner.run(job), reasonAgainst: () => null };
    const provider = await providerOver([{ name: "tools", files, scripts }], { runner: elsewhere });
    const call = { skill_name: "tools", script_name: "report.rb" };
    expect(await provider.callTool("run_skill_script", call, CALLER)).toMatchObject({ is_error: false });
    expect(runner.jobs.map(({ script }) => script.path)).toEqual(["scripts/report.rb"]);
  });
});
