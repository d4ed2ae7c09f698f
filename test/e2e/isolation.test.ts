import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalEdge, startEdge } from "../../scripts/local-edge.ts";

/**
 * Two runs of it are under way at once: they meet before one tampers, after it has, and before it ends. What the other sees in between is its
 * output. `visits` counts the runs that its isolate has served.
 */
const SCRIPT = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [role, name, base, ...meetings] = process.argv.slice(2);
globalThis.visits = (globalThis.visits ?? 0) + 1;
writeFileSync(name + ".txt", name);
const meet = async (point) => meetings.length > 0 && (await fetch(base + "/meet/" + meetings[0] + "/" + point)).text();
const look = () => ({
  builtIn: [[1].map((x) => x + 1)[0], ({}).tampered ?? null, "a".toUpperCase()],
  global: globalThis.mark ?? null,
  own: [process.argv[3], process.env.HOME, process.title, existsSync("tamperer.txt"), readFileSync(name + ".txt", "utf8")],
});
const seen = [];
if (role === "look") seen.push(look());
await meet("began");
if (role === "tamper") {
  Array.prototype.map = () => ["tampered"];
  String.prototype.toUpperCase = () => "tampered";
  Object.defineProperty(Object.prototype, "tampered", { value: name, configurable: true, writable: true });
  globalThis.mark = name;
  process.env.HOME = process.title = name;
  process.argv[3] = "tampered";
  console.log("not heard by the other");
}
await meet("tampered");
if (role === "look") seen.push(look());
await meet("over");
const lines = { visits: globalThis.visits, seen };
process.stdout.write(JSON.stringify(lines) + "\\n");
`;

interface Seen {
  readonly builtIn: readonly unknown[];
  readonly global: string | null;
  readonly own: readonly unknown[];
}

const AUDIENCE = "edge-skills-test";

let directory: string;
let server: Server;
let base: string;
let edge: LocalEdge;
let sign: (tenant: string, subject: string) => Promise<string>;

beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" };
  const waiting = new Map<string, ServerResponse>();
  server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/.well-known/jwks.json") {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ keys: [jwk] }));
      return;
    }
    const other = waiting.get(path);
    if (other === undefined) {
      waiting.set(path, response);
    } else {
      other.end("met");
      response.end("met");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  sign = (tenant, subject) =>
    new SignJWT({ tenant, scope: "read run" })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer(base)
      .setSubject(subject)
      .setAudience(AUDIENCE)
      .setExpirationTime("5m")
      .sign(privateKey);

  directory = mkdtempSync(join(tmpdir(), "edge-skills-isolation-"));
  const skill = join(directory, "skills/probe");
  mkdirSync(join(skill, "scripts"), { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\nname: probe\ndescription: Looks around.\n---\nLook.\n");
  writeFileSync(join(skill, "scripts/probe.mjs"), SCRIPT);
  const settings = {
    jwt: [{ issuer: base, audience: AUDIENCE }],
    egress: { allow: [base] },
    tenants: { shared: { isolation: "tenant" }, actors: { isolation: "actor" } },
  };
  writeFileSync(join(directory, "edge-skills.json"), JSON.stringify(settings));
  edge = await startEdge([
    join(directory, "skills"),
    ...["--config", join(directory, "edge-skills.json"), "--state", join(directory, "state"), "--port", "0"],
  ]);
});

afterAll(async () => {
  await edge?.stop();
  server?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(token: string, role: "look" | "tamper", name: string, ...meetings: string[]) {
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({
      skill_name: "probe",
      script_name: "probe.mjs",
      arguments: [role, name, base, ...meetings],
    }),
  });
  const { run: result, content } = (await response.json()) as { run?: { stdout: string }; content: string };
  const last = result?.stdout.trimEnd().split("\n").at(-1);
  expect(last, content).toMatch(/^\{/);
  const answer = JSON.parse(last ?? "") as { visits: number; seen: Seen[] };
  return { ...answer, stdout: result?.stdout ?? "" };
}

/** One tampers while the other looks before and after. */
async function meet(tamperer: string, looker: string, point: string) {
  const [look, tamper] = await Promise.all([
    run(looker, "look", "looker", point),
    run(tamperer, "tamper", "tamperer", point),
  ]);
  return { look, tamper };
}

const OWN = ["looker", "/home/agent", "node", false, "looker"];
const CLEAN: Seen = { builtIn: [2, null, "A"], global: null, own: OWN };

describe("runs of one script, one of which tampers while the other is under way", () => {
  it("run, the default: have isolates of their own, and so has the next", async () => {
    const token = await sign("alone", "ada");
    const { look, tamper } = await meet(token, token, "run");
    expect(look.seen).toEqual([CLEAN, CLEAN]);
    expect([look.visits, tamper.visits, (await run(token, "look", "looker")).visits]).toEqual([1, 1, 1]);
  });

  it("tenant: share globals and built-in objects, never files, words, environment or output", async () => {
    const token = await sign("shared", "ada");
    const { look } = await meet(token, token, "tenant");
    expect(look.seen).toEqual([
      { ...CLEAN, global: null },
      { builtIn: ["tampered", "tamperer", "tampered"], global: "tamperer", own: OWN },
    ]);
    expect(look.stdout).not.toContain("not heard");
    // Built-in objects are put back once nobody is left who may count on them.
    const next = await run(await sign("shared", "bob"), "look", "looker");
    expect(next).toMatchObject({ visits: 3, seen: [{ builtIn: CLEAN.builtIn, own: OWN }, { own: OWN }] });
  });

  it("actor: share an isolate with runs of the same verified actor only", async () => {
    const [ada, bob] = [await sign("actors", "ada"), await sign("actors", "bob")];
    const { look, tamper } = await meet(ada, bob, "actor");
    expect(look.seen).toEqual([CLEAN, CLEAN]);
    expect([look.visits, tamper.visits]).toEqual([1, 1]);
    expect([(await run(ada, "look", "looker")).visits, (await run(bob, "look", "looker")).visits]).toEqual([2, 2]);
  });

  it("actor: without a verified actor each run has its own isolate, whatever labels it sends", async () => {
    const made = await fetch(`${edge.url}/v1/tokens?tenant=actors`, {
      method: "POST",
      headers: { Authorization: `Bearer ${edge.operator_token}` },
      body: JSON.stringify({ scopes: ["read", "run"] }),
    });
    const { token } = (await made.json()) as { token: string };
    const { look, tamper } = await meet(token, token, "nobody");
    expect(look.seen).toEqual([CLEAN, CLEAN]);
    expect([look.visits, tamper.visits, (await run(token, "look", "looker")).visits]).toEqual([1, 1, 1]);
  });
});
