/** Owns scripts that a running edge sends to a function: which ones, and what its caller and the log are told when it fails. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { type LocalPlatform, startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { hashToken, newToken } from "../../src/model/token.ts";
import { type FunctionServer, startFunctionServer } from "../../src/node/function-server.ts";
import { layersOf } from "../../src/pack/layers.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { writeFiles } from "../helpers/cli.ts";

const KEY = "k3y-of-this-test-only";

const SKILLS = {
  "sums/SKILL.md": "---\nname: sums\ndescription: Adds up.\n---\nRun sum.awk.\n",
  "sums/scripts/sum.awk":
    '#!/usr/bin/awk -f\nBEGIN { while ((getline line < "data/numbers.txt") > 0) sum += line; print sum + ARGV[1] }\n',
  "sums/data/numbers.txt": "1\n2\n",
  "sums/scripts/write.sh": 'mkdir out; cat > out/input.txt; echo "$(uname) $1"\n',
  "plain/SKILL.md": "---\nname: plain\ndescription: Is in the sandbox.\n---\nRun where.sh.\n",
  "plain/scripts/where.sh": "cat /etc/hostname\n",
  "plain/scripts/reach.sh": 'curl -sS -X POST "$1" || echo "curl ended with $?"\n',
  "off/SKILL.md": "---\nname: off\ndescription: Does not run here.\n---\nRun x.sh.\n",
  "off/scripts/x.sh": "echo x\n",
  "broken/SKILL.md": "---\nname: broken\ndescription: Its function fails.\n---\nRun x.sh.\n",
  "broken/scripts/x.sh": "echo x\n",
};

const place = mkdtempSync(join(tmpdir(), "functions-"));
const logged: string[] = [];
/** What the function of "broken" answers. */
let breaking: { status: number; headers?: Record<string, string>; body: string; ms?: number };
let far: FunctionServer;
let broken: Server;
let runner: RunnerProcess;
let platform: LocalPlatform;
let target: DeployTarget;
let token: string;
let admin: string;

beforeAll(async () => {
  await buildSandbox();
  far = await startFunctionServer({ secret: KEY });
  broken = createServer((_request, response) => {
    const { status, headers = {}, body, ms = 0 } = breaking;
    setTimeout(() => response.writeHead(status, headers).end(body), ms);
  });
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  runner = await startRunnerProcess();
  const brokenUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/run?code=query-k3y`;
  platform = await startLocalPlatform({
    state: null,
    runner,
    config: JSON.stringify({
      runners: {
        functions: {
          far: { url: far.url.href, secret: "FAR_KEY" },
          broken: { url: brokenUrl, secret: "FAR_KEY" },
        },
        skills: { sums: "far", off: "none", broken: "broken" },
      },
      egress: { allow: [far.url.origin] },
    }),
    onLog: (line) => logged.push(line),
  });
  target = await createLocalTarget(platform, "memory");
  writeFiles(join(place, "skills"), SKILLS);
  const { layers } = await packSkills({ layers: layersOf([join(place, "skills")]) });
  await deploy(target, layers, { channel: "live", by: "test", now: () => new Date() });
  [token, admin] = [await tokenOf("acme"), await tokenOf("platform")];
});

afterAll(async () => {
  await target?.close();
  await runner?.stop();
  await far?.stop();
  broken?.closeAllConnections();
  broken?.close();
  rmSync(place, { recursive: true });
});

async function tokenOf(tenant: string): Promise<string> {
  const made = newToken(tenant);
  const record = { id: crypto.randomUUID(), hash: await hashToken(made), scopes: ["admin"], channel: "live" } as const;
  await (await target.tokensOf(tenant)).addToken({ ...record, created_at: new Date().toISOString() });
  return made;
}

async function ask(as: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { Authorization: `Bearer ${as}` };
  return fetch(new URL(path, platform.url), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Answer {
  readonly is_error: boolean;
  readonly run?: object;
  readonly error?: { readonly code: string };
}

async function run(skill: string, script: string, more: object = {}): Promise<{ answer: Answer; text: string }> {
  const call = { skill_name: skill, script_name: script, ...more };
  const text = await (await ask(token, "POST", "/v1/tools/run_skill_script", call)).text();
  return { answer: JSON.parse(text), text };
}

const putKey = (value: string) => ask(admin, "PUT", "/v1/secrets/FAR_KEY", { value });

describe("a skill that is routed to a function", () => {
  test("does not run without the platform's secret; a tenant's own of that name does not count", async () => {
    await ask(token, "PUT", "/v1/secrets/FAR_KEY", { value: KEY });
    const { answer, text } = await run("sums", "sum.awk");
    expect(answer.error?.code).toBe("runner-failed");
    expect(text).not.toContain("FAR_KEY");
    expect(logged.filter((line) => line.includes("its secret is not there"))).toHaveLength(1);
  });

  test("runs there what the sandbox has no language for, with its files, arguments and input", async () => {
    expect((await putKey(KEY)).status).toBe(204);
    const { answer } = await run("sums", "sum.awk", { arguments: ["4"] });
    expect(answer).toMatchObject({ is_error: false, run: { exit_code: 0, stdout: "7\n", stderr: "" } });
    const given = { arguments: ["monday"], stdin: "input", files: [{ path: "data/numbers.txt", content: "9" }] };
    const written = await run("sums", "write.sh", given);
    expect(written.answer.run).toMatchObject({
      stdout: "Linux monday\n",
      files: [{ path: "out/input.txt", size: 5, media_type: "text/plain", encoding: "utf-8", content: "input" }],
    });
  });

  test("lists its scripts as runnable; others as the sandbox or the settings have it", async () => {
    const scriptsOf = async (skill: string) => {
      const { scripts } = (await (await ask(token, "GET", `/v1/skills/${skill}`)).json()) as {
        scripts: { name: string; runnable: boolean; reason: string | null }[];
      };
      return scripts.map(({ name, runnable, reason }) => [name, runnable, reason]);
    };
    expect(await scriptsOf("sums")).toEqual([
      ["scripts/sum.awk", true, null],
      ["scripts/write.sh", true, null],
    ]);
    expect(await scriptsOf("off")).toEqual([["scripts/x.sh", false, "no runner serves it here"]]);
    expect((await run("off", "x.sh")).answer.error?.code).toBe("script-not-runnable");
  });

  test("leaves the others in the sandbox, from where no function is reached", async () => {
    expect((await run("plain", "where.sh")).answer.run).toMatchObject({ stdout: "sandbox\n" });
    logged.length = 0;
    const { answer } = await run("plain", "reach.sh", { arguments: [far.url.href] });
    expect(answer.run).toMatchObject({ stdout: "curl ended with 7\n" });
    expect(logged.filter((line) => line.includes("it is the service itself"))).toHaveLength(1);
  });

  test.each<[string, typeof breaking, string]>([
    ["redirects", { status: 307, headers: { Location: "http://127.0.0.1:9/" }, body: "" }, "it answered 307"],
    ["fails", { status: 500, body: `no ${KEY}` }, "it answered 500"],
    ["answers no JSON", { status: 200, body: `<p>${KEY}` }, "its answer is not JSON"],
    ["answers no run", { status: 200, body: `{"exit_code":"${KEY}"}` }, "its answer is no run"],
    ["answers too much", { status: 200, body: "x".repeat(33 * 1024 * 1024) }, "its answer is over"],
    ["answers too late", { status: 200, body: "{}", ms: 13_000 }, "aborted due to timeout"],
  ])(
    "whose function %s is answered runner-failed, with no secret or address; the log has them",
    async (_what, how, why) => {
      breaking = how;
      logged.length = 0;
      const { answer, text } = await run("broken", "x.sh", { limits: { timeout_ms: 1_000 } });
      expect(answer).toEqual({
        is_error: true,
        content: "Error: Runner failed",
        bundle: expect.any(String),
        error: { code: "runner-failed", message: "Runner failed", candidates: [] },
      });
      expect(text).not.toMatch(/127\.0\.0\.1|k3y/);
      const lines = logged.filter((line) => line.includes("runner-failed"));
      expect(lines).toEqual([expect.stringContaining(why)]);
      expect(lines[0]).toMatch(/"request_id":"[0-9a-f-]{36}".*http:\/\/127\.0\.0\.1:\d+\/run: /);
      expect(lines[0]).not.toMatch(/k3y/);
    },
  );

  test("uses a new key with the next run, and runs nothing when the two sides have different ones", async () => {
    await putKey("another-k3y");
    expect((await run("sums", "sum.awk")).answer.error?.code).toBe("runner-failed");
    await putKey(KEY);
    expect((await run("sums", "sum.awk")).answer.run).toMatchObject({ stdout: "3\n" });
  });

  test("whose function is gone is answered runner-failed", async () => {
    await far.stop();
    const { answer, text } = await run("sums", "sum.awk");
    expect(answer.error?.code).toBe("runner-failed");
    expect(text).not.toContain("127.0.0.1");
  });
});
