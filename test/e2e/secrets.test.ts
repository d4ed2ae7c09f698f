/** Owns secrets over a running edge: put over HTTP and by the command line, sent by a script's request, seen nowhere else. */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
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
import { hashToken, newToken, type Scope } from "../../src/model/token.ts";
import { layersOf } from "../../src/pack/layers.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { writeFiles } from "../helpers/cli.ts";
import { REPOSITORY } from "../repo/support/source-files.ts";

const FIRST = "f1rst-s3cret-of-this-test";
const SECOND = "s3cond-s3cret-of-this-test";
const OTHERS = "0thers-s3cret-of-this-test";

/** Fetches an address and prints all it got, and all it finds around itself. In the box of its tenant, which stays warm. */
const FETCH = `
curl -sS -i "$1" || echo "curl ended with $?"
env
echo "$0" "$@"
find / -type f -not -path '/usr/*' -not -path '/dev/*' -exec cat {} ';'
`;

interface Echo {
  readonly origin: string;
  /** The header of each request that came. */
  readonly seen: (string | undefined)[];
  readonly server: Server;
}

/** A server that answers what it was told. */
async function startEcho(): Promise<Echo> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(200, { "X-Echo": request.headers.authorization ?? "none" });
    response.end(JSON.stringify(request.headers));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

const place = mkdtempSync(join(tmpdir(), "secrets-"));
const state = join(place, "state");
const logged: string[] = [];
const printed: string[] = [];
let echo: Echo;
let other: Echo;
let runner: RunnerProcess;
let platform: LocalPlatform;
let target: DeployTarget;
const tokens = new Map<string, string>();

beforeAll(async () => {
  await buildSandbox();
  [echo, other] = [await startEcho(), await startEcho()];
  runner = await startRunnerProcess({ onLog: (line) => logged.push(line) });
  const rule = { origin: echo.origin, secret: { name: "api", prefix: "Bearer " } };
  platform = await startLocalPlatform({
    state,
    runner,
    config: JSON.stringify({ egress: { allow: [rule, other.origin] }, audit: true }),
    onLog: (line) => logged.push(line),
  });
  target = await createLocalTarget(platform, state);
  writeFiles(join(place, "skills"), {
    "rates/SKILL.md": "---\nname: rates\ndescription: Fetches rates.\n---\nRun fetch.sh.\n",
    "rates/scripts/fetch.sh": FETCH,
  });
  const { layers } = await packSkills({ layers: layersOf([join(place, "skills")]) });
  await deploy(target, layers, { channel: "live", by: "test", now: () => new Date() });
  for (const [tenant, scopes] of [
    ["acme", ["run"]],
    ["globex", ["run"]],
    ["platform", ["admin"]],
  ] as const) {
    tokens.set(tenant, await tokenOf(tenant, scopes));
  }
});

afterAll(async () => {
  await target?.close();
  await runner?.stop();
  for (const { server } of [echo, other]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(place, { recursive: true });
});

async function tokenOf(tenant: string, scopes: readonly Scope[]): Promise<string> {
  const token = newToken(tenant);
  const record = { id: crypto.randomUUID(), hash: await hashToken(token), scopes, channel: "live" };
  await (await target.tokensOf(tenant)).addToken({ ...record, created_at: new Date().toISOString() });
  return token;
}

async function ask(tenant: string, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { Authorization: `Bearer ${tokens.get(tenant)}` };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  return fetch(new URL(path, platform.url), init);
}

async function put(value: string, query = "?tenant=acme"): Promise<number> {
  return (await ask("platform", "PUT", `/v1/secrets/api${query}`, { value })).status;
}

/** What a tenant's run prints after it asked an address. */
async function run(tenant: string, url: string): Promise<string> {
  const call = { skill_name: "rates", script_name: "fetch.sh", arguments: [url] };
  const text = await (await ask(tenant, "POST", "/v1/tools/run_skill_script", call)).text();
  printed.push(text);
  const { run: result } = JSON.parse(text) as { run?: { stdout: string; stderr: string } };
  return result === undefined ? text : result.stdout + result.stderr;
}

/** Runs the command line as a process, with something on its standard input. */
async function cli(words: readonly string[], input: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(REPOSITORY, "src/cli.ts"), ...words], {
    cwd: state,
    env: { PATH: process.env.PATH, HOME: state, ...env },
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => {
    texts.stdout += piece;
  });
  child.stderr.on("data", (piece) => {
    texts.stderr += piece;
  });
  child.stdin.end(input);
  const status = await new Promise<number | null>((resolve) => child.once("close", resolve));
  printed.push(texts.stdout, texts.stderr);
  return { status, ...texts };
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A secret in the spellings in which it could be stored or written down. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString("base64").slice(0, -4),
  Buffer.from(secret).toString("hex"),
];

describe("a secret", () => {
  test("is sent to its origin for its tenant, and blanked where the answer repeats it", async () => {
    expect(await put(FIRST)).toBe(204);
    const said = await run("acme", echo.origin);
    expect(echo.seen.splice(0)).toEqual([`Bearer ${FIRST}`]);
    expect(said).toContain(`Bearer ${"*".repeat(FIRST.length)}`);
  });

  test("goes to no other origin, and to no other tenant's runs", async () => {
    await run("acme", other.origin);
    const refused = await run("globex", echo.origin);
    expect([other.seen.splice(0), echo.seen.splice(0)]).toEqual([[undefined], []]);
    expect(refused).toContain("curl ended with 7");
    expect(logged.some((line) => line.includes('the secret \\"api\\" is not there'))).toBe(true);
  });

  test("that was put again is used by the next run of a warm child", async () => {
    await run("acme", echo.origin);
    await put(SECOND);
    await run("acme", echo.origin);
    expect(echo.seen.splice(0)).toEqual([`Bearer ${FIRST}`, `Bearer ${SECOND}`]);
  });

  test("of the platform serves tenants that have none of their own", async () => {
    expect(await put(OTHERS, "")).toBe(204);
    await run("globex", echo.origin);
    await run("acme", echo.origin);
    expect(echo.seen.splice(0)).toEqual([`Bearer ${OTHERS}`, `Bearer ${SECOND}`]);
    await ask("platform", "DELETE", "/v1/secrets/api");
  });

  test("that was removed lets no request out", async () => {
    expect((await ask("platform", "DELETE", "/v1/secrets/api?tenant=acme")).status).toBe(204);
    logged.length = 0;
    expect(await run("acme", echo.origin)).toContain("curl ended with 7");
    expect(echo.seen).toEqual([]);
    expect(logged.filter((line) => line.includes("network refused"))).toEqual([
      expect.stringContaining('the secret \\"api\\" is not there'),
    ]);
  });

  test("is put by the command line from standard input, here and at an edge's address", async () => {
    const there = ["--target", platform.url.origin, "--tenant", "acme"];
    const env = { EDGE_SKILLS_TOKEN: tokens.get("platform") ?? "" };
    expect(await cli(["secret", "put", "api", ...there], `${FIRST}\n`, env)).toMatchObject({ status: 0, stdout: "" });
    await run("acme", echo.origin);
    expect(echo.seen.splice(0)).toEqual([`Bearer ${FIRST}`]);
    const here = ["--state", state, "--tenant", "globex"];
    expect(await cli(["secret", "put", "api", ...here, "--json"], OTHERS)).toMatchObject({ status: 0 });
    await run("globex", echo.origin);
    expect(echo.seen.splice(0)).toEqual([`Bearer ${OTHERS}`]);
  });

  test("is in no storage, no log and no answer in the clear; the local key is its owner's only", () => {
    const secrets = [FIRST, SECOND, OTHERS].flatMap(spellings);
    const files = filesBelow(state);
    const holding = files.filter((file) => secrets.some((secret) => readFileSync(file).includes(secret)));
    expect([files.length > 3, holding]).toEqual([true, []]);
    const told = [...logged, ...printed].filter((text) => secrets.some((secret) => text.includes(secret)));
    expect(told).toEqual([]);
    expect(statSync(join(state, "secrets.key")).mode & 0o777).toBe(0o600);
  });
});
