import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalEdge, runCli, startEdge } from "../../scripts/local-edge.ts";
import { decodeIndex } from "../../src/bundle/index-format.ts";
import { blobKey, channelKey, indexKey } from "../../src/bundle/keys.ts";
import { encodePointer, movePointer } from "../../src/bundle/pointer-format.ts";
import { decodeRecord } from "../../src/bundle/record-format.ts";
import { issueToken } from "../../src/cli/issue-token.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import type { DeployTarget } from "../../src/deploy/target.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { skillMd, writeFiles } from "../helpers/cli.ts";

/** Too large to travel inside a record. */
const LARGE = "x".repeat(40_000);
const DAMAGED = ["altered-file", "missing-file", "altered-record", "missing-record"] as const;

/** Of nothing that is stored. */
const GONE = `sha256:${"0".repeat(64)}` as Digest;

let folder = "";
let edge: LocalEdge;
/** Another hand on the edge's state: it harms what is stored. */
let target: DeployTarget;
let harm: Awaited<ReturnType<typeof openState>>;

async function openState(state: string) {
  const platform = await startLocalPlatform({ state });
  return { kv: await platform.kv(), r2: await platform.r2(), target: await createLocalTarget(platform, state) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  const skills = ["good", ...DAMAGED].map((name) => [
    [`skills/platform/${name}/SKILL.md`, skillMd(name)],
    [`skills/platform/${name}/references/large.md`, `${name} ${LARGE}`],
  ]);
  writeFiles(folder, {
    ...Object.fromEntries(skills.flat()),
    "skills/platform/good/scripts/hello.sh": "echo hello\n",
    "skills/tenants/acme/own/SKILL.md": skillMd("own"),
  });
  const state = join(folder, "state");
  edge = await startEdge([join(folder, "skills"), "--state", state, "--port", "0"]);
  harm = await openState(state);
  target = harm.target;
});
afterAll(async () => {
  await target.close();
  await edge.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly request_id: string;
}

async function problemOf(response: Response): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(response.headers.get("X-Request-Id")).toBe(problem.request_id);
  expect(problem).toMatchObject({
    status: response.status,
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/./),
  });
  return problem;
}

const ask = (path: string, token = edge.token): Promise<Response> =>
  fetch(edge.url + path, { headers: { Authorization: `Bearer ${token}` } });

const call = (tool: string, body: BodyInit, token = edge.token): Promise<Response> =>
  fetch(`${edge.url}/v1/tools/${tool}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body });

/** That the edge still answers who asks rightly. */
async function expectGoodAnswer(): Promise<void> {
  const response = await call("load_skill", JSON.stringify({ skill_name: "good" }));
  expect([response.status, await response.json()]).toMatchObject([200, { is_error: false, skill: { name: "good" } }]);
}

/** The digests of a skill's record and of its large file, in what is live. */
async function digestsOf(skill: string): Promise<{ record: Digest; file: Digest }> {
  const { pointer } = await target.readPointer("platform", "live");
  const index = decodeIndex((await target.get(indexKey(pointer?.bundle ?? GONE))) ?? new Uint8Array());
  const record = index.skills.find(({ name }) => name === skill)?.record ?? GONE;
  const { files } = decodeRecord((await target.get(blobKey(record))) ?? new Uint8Array()).record;
  return { record, file: files.find(({ path }) => path === "references/large.md")?.digest ?? GONE };
}

describe("a state directory that dev has", () => {
  it("is refused to another dev, and other commands work beside it", async () => {
    const here = ["--state", join(folder, "state"), "--json"];
    const { status, stdout, stderr } = await runCli(["dev", join(folder, "skills"), ...here]);
    expect([status, JSON.parse(stdout)]).toMatchObject([3, { error: { code: "state-in-use" } }]);
    expect(stderr).toContain(`"edge-skills dev" (process ${edge.process.pid}) has it (state-in-use)`);
    expect(stderr).toContain(`--target ${edge.url}`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect((await runCli(["status", ...here])).status).toBe(0);
    expect((await runCli(["token", "create", ...here])).status).toBe(0);
    const asked = await runCli(["token", "create", "--target", edge.url], {
      env: { ...process.env, EDGE_SKILLS_TOKEN: edge.operator_token },
    });
    expect([asked.status, asked.stdout]).toEqual([0, expect.stringMatching(/^es_platform_/)]);
  });
});

describe("the edge over damaged storage", () => {
  it("answers 500 bundle-damaged for what is altered or missing, never a 404, and everything else as before", async () => {
    for (const skill of DAMAGED) {
      const { record, file } = await digestsOf(skill);
      const key = blobKey(skill.endsWith("record") ? record : file);
      await (skill.startsWith("altered") ? harm.kv.put(key, "altered") : harm.kv.delete(key));
    }
    for (const skill of DAMAGED) {
      const document = await ask(`/v1/skills/${skill}`);
      const file = await ask(`/v1/skills/${skill}/files/references/large.md`);
      const read = JSON.stringify({ skill_name: skill, resource_name: "references/large.md" });
      const resource = await call("read_skill_resource", read);
      const broken = skill.endsWith("record") ? [document, file, resource] : [file, resource];
      for (const response of broken) {
        const { code, detail } = await problemOf(response);
        expect([skill, response.status, code]).toEqual([skill, 500, "bundle-damaged"]);
        // A stranger learns no key and no digest.
        expect(detail).not.toMatch(/[0-9a-f]{16}/);
      }
      expect(document.status).toBe(skill.endsWith("record") ? 500 : 200);
    }
    expect(((await (await ask("/v1/skills")).json()) as { skills: unknown[] }).skills).toHaveLength(5);
    await expectGoodAnswer();
  });

  it("is mended by deploying the same skills again: what is missing by itself, what is altered with --again", async () => {
    const roots = (layer: string) => [join(folder, "skills", layer)];
    const { layers } = await packSkills({
      layers: [
        { name: "platform", roots: roots("platform") },
        { name: "acme", roots: roots("tenants/acme") },
      ],
    });
    const deployAgain = (upload: "all" | "missing") =>
      deploy(target, layers, { channel: "live", upload, by: "test", now: () => new Date() });
    const statuses = async (): Promise<number[]> => {
      const paths = DAMAGED.map((skill) => `/v1/skills/${skill}/files/references/large.md`);
      return (await Promise.all(paths.map((path) => ask(path)))).map(({ status }) => status);
    };
    await deployAgain("missing");
    expect(await statuses()).toEqual([500, 200, 500, 200]);
    await deployAgain("all");
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });

  const OTHER_FORMAT = new TextEncoder().encode('{"format":99,"skills":[]}\n');

  it.each([
    ["an index of another format", "format-tenant", async () => digestOf(OTHER_FORMAT), "bundle-format-unknown"],
    ["an index that is not there", "lost-tenant", async () => GONE, "bundle-damaged"],
  ])("answers 500 for %s, to its own tenant only", async (_, tenant, bundleOf, code) => {
    await harm.kv.put(indexKey(await digestOf(OTHER_FORMAT)), OTHER_FORMAT);
    const move = { bundle: await bundleOf(), at: "2026-11-30T00:00:00.000Z", by: "test", reason: "deploy" } as const;
    await harm.r2.put(channelKey(tenant, "live"), encodePointer(movePointer(null, move)));
    const { token } = await issueToken(target, tenant, { scopes: ["read"], channel: "live", now: () => new Date() });
    const response = await ask("/v1/context", token);
    expect([response.status, (await problemOf(response)).code]).toEqual([500, code]);
    await expectGoodAnswer();
  });

  it.each([
    ["a pointer of another format", "odd-tenant", '{"format":99}', "bundle-format-unknown"],
    ["a pointer that is not JSON", "torn-tenant", '{"format":1,"bun', "bundle-damaged"],
  ])("answers 500 for %s, to its own tenant only", async (_, tenant, text, code) => {
    await harm.r2.put(channelKey(tenant, "live"), text);
    const { token } = await issueToken(target, tenant, { scopes: ["read"], channel: "live", now: () => new Date() });
    const response = await ask("/v1/skills", token);
    expect([response.status, (await problemOf(response)).code]).toEqual([500, code]);
    await expectGoodAnswer();
  });
});

describe("the edge for bad requests", () => {
  const tenMegabytes = (): string => JSON.stringify({ skill_name: "good", padding: "x".repeat(10 * 1024 * 1024) });

  it.each<[string, () => Promise<Response>, number, string]>([
    ["no token", () => fetch(`${edge.url}/v1/context`), 401, "token-missing"],
    ["a token that is none", () => ask("/v1/context", "secret"), 401, "token-invalid"],
    ["a token nobody made", () => ask("/v1/context", `es_platform_${"A".repeat(43)}`), 401, "token-invalid"],
    ["a token of a made-up tenant", () => ask("/v1/context", `es_nobody_${"A".repeat(43)}`), 401, "token-invalid"],
    [
      "another tenant's name in a token",
      () => ask("/v1/skills", edge.token.replace("platform", "acme")),
      401,
      "token-invalid",
    ],
    ["JSON that is none", () => call("load_skill", "{"), 400, "json-invalid"],
    ["bytes that are not UTF-8", () => call("load_skill", Uint8Array.of(0x22, 0xff, 0x22)), 400, "json-invalid"],
    ["no body", () => call("load_skill", ""), 400, "json-invalid"],
    ["JSON that is no object", () => call("load_skill", "[]"), 400, "request-invalid"],
    ["a body of 10 MB", () => call("load_skill", tenMegabytes()), 413, "body-too-large"],
    ["a tool that is not there", () => call("delete_skill", "{}"), 404, "route-not-found"],
    ["a route that is not there", () => ask("/v1/secret"), 404, "route-not-found"],
    ["a skill that climbs", () => ask("/v1/skills/..%2F..%2Fetc%2Fpasswd"), 404, "skill-not-found"],
    ["a file that climbs", () => ask("/v1/skills/good/files/..%2Faltered-file%2FSKILL.md"), 404, "resource-not-found"],
    ["another tenant's skill", () => ask("/v1/skills/own"), 404, "skill-not-found"],
    ["a page that is none", () => ask("/v1/skills?limit=0"), 400, "request-invalid"],
    ["a format that is none", () => ask("/v1/context?format=word"), 400, "format-unknown"],
  ])("answers %s as documented, and the next good one", async (_, send, status, code) => {
    const response = await send();
    expect([response.status, (await problemOf(response)).code]).toEqual([status, code]);
    expect(response.headers.has("WWW-Authenticate")).toBe(status === 401);
    await expectGoodAnswer();
  });

  it.each([
    ["GET", "/v1/tools/load_skill", "POST"],
    ["DELETE", "/v1/skills/good", "GET, HEAD"],
    ["PUT", "/v1/context", "GET, HEAD"],
  ])("answers %s %s with 405 and what is allowed", async (method, path, allowed) => {
    const response = await fetch(edge.url + path, { method, headers: { Authorization: `Bearer ${edge.token}` } });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, allowed]);
    expect((await problemOf(response)).code).toBe("method-not-allowed");
    await expectGoodAnswer();
  });

  it.each([
    ["load_skill", { skill_name: "../../../etc/passwd" }, "skill-not-found"],
    ["load_skill", { skill_name: "good\u0000" }, "skill-not-found"],
    ["load_skill", {}, "arguments-invalid"],
    ["load_skill", { skill_name: 7 }, "arguments-invalid"],
    ["read_skill_resource", { skill_name: "good", resource_name: "../own/SKILL.md" }, "resource-not-found"],
    ["read_skill_resource", { skill_name: "good", resource_name: "/etc/passwd" }, "resource-not-found"],
    ["run_skill_script", { skill_name: "good", script_name: "../../bin/sh" }, "script-not-found"],
  ])("%s with %j is the model's to put right: 200 with is_error", async (tool, args, code) => {
    const response = await call(tool, JSON.stringify(args));
    expect([response.status, await response.json()]).toMatchObject([200, { is_error: true, error: { code } }]);
    await expectGoodAnswer();
  });
});

describe("dev's guard against foreign pages", () => {
  /** Sends headers that fetch does not let anyone set. */
  function send(headers: Record<string, string>): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const all = { Authorization: `Bearer ${edge.token}`, ...headers };
      const sent = request(`${edge.url}/v1/context`, { headers: all }, async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) {
          text += chunk;
        }
        resolve({ status: response.statusCode ?? 0, text });
      });
      sent.on("error", reject).end();
    });
  }

  it.each([
    { Host: "evil.example" },
    { Host: "localhost.evil.example:80" },
    { Origin: "https://evil.example" },
    { Origin: "null" },
  ])("refuses %j although the token is right", async (headers) => {
    const { status, text } = await send(headers);
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: "request-invalid" }]);
    expect(text).not.toContain("available_skills");
  });

  it("takes the names of this machine", async () => {
    const { port } = new URL(edge.url);
    const headers = [{}, { Host: `localhost:${port}` }, { Origin: edge.url }, { Origin: `http://localhost:${port}` }];
    const answers = await Promise.all(headers.map(send));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
