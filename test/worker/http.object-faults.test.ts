/** Owns what every kind of route does while the tenants' Durable Objects are faulty: the sibling of http.faults.test.ts, which has storage. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Env } from "../../src/worker.ts";
import { PrivateEdge } from "./support/private-edge.ts";

/**
 * What an object does in place of answering: it cannot be reached at all, throws, never answers, or does what it was asked and the answer is lost.
 * Real objects cannot be made to.
 */
type Kind = "is not reached" | "throws" | "stalls" | "loses answers";
const KINDS: readonly Kind[] = ["is not reached", "throws", "stalls", "loses answers"];

/** No object is waited for longer. */
const DEADLINE_MS = 10_000;
/** A twin under a key is waited for 25 s, beside that. */
const MOST_MS = 4 * DEADLINE_MS;
/** After so long a token is looked up again. */
const FRESH_MS = 5_000;

let fault: Kind | null = null;
const logged: string[] = [];

const edge = new PrivateEdge(
  "object-faults",
  { approval: { run_skill_script: "never" }, tenants: { asked: { approval: { run_skill_script: "ask" } } } },
  { EDGE_SKILLS_KEY: btoa("k".repeat(32)) },
);
const { TENANTS: objects } = edge.env;

/** A stub whose calls go wrong. */
function faulty(stub: object): object {
  return new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (fault === null || typeof method !== "function") {
        return method;
      }
      return async (...args: readonly unknown[]) => {
        if (fault === "loses answers") {
          await Reflect.apply(method, target, args);
        }
        return fault === "stalls" ? new Promise<never>(() => undefined) : Promise.reject(new Error("secret words"));
      };
    },
  });
}

const tokens = { operator: "", acme: "", asked: "" };
let pending = "";

beforeAll(async () => {
  const scripts = ["scripts/count.py"];
  await edge.deploy("platform", [
    { name: "sums", files: [{ path: "scripts/count.py", content: "print(1)\n" }], scripts },
  ]);
  for (const [name, tenant] of [
    ["operator", "platform"],
    ["acme", "acme"],
    ["asked", "asked"],
  ] as const) {
    tokens[name] = (await edge.token(tenant, ["admin"])).token;
  }
  const asked = await edge.ask(tokens.asked, ...run());
  pending = ((await asked.json()) as { approval: { id: string } }).approval.id;
  edge.env = {
    ...edge.env,
    TENANTS: {
      idFromName: (name: string) => objects.idFromName(name),
      get: (id: DurableObjectId) => {
        if (fault === "is not reached") {
          throw new Error("secret words");
        }
        return faulty(objects.get(id));
      },
    } as unknown as Env["TENANTS"],
  };
});

beforeEach(() => {
  fault = null;
  logged.length = 0;
  vi.spyOn(console, "error").mockImplementation((line) => logged.push(String(line)));
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  edge.forget();
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
});

let calls = 0;

const sent = (method: string, path: string, body: unknown = {}, headers = {}): [string, RequestInit] => [
  path,
  { method, headers, ...(method === "GET" ? {} : { body: JSON.stringify(body) }) },
];

/** A call that counts its own runs: no other has its words. */
function run(headers: Record<string, string> = {}, word = `call-${calls++}`): [string, RequestInit] {
  const call = { skill_name: "sums", script_name: "scripts/count.py", arguments: [word] };
  return sent("POST", "/v1/tools/run_skill_script", call, headers);
}

const manifest = (name: string): string => `---\nname: ${name}\ndescription: Put.\n---\n`;
const put = (name: string): [string, RequestInit] =>
  sent("PUT", `/v1/runtime/skills/${name}`, { files: [{ path: "SKILL.md", content: manifest(name) }] });

interface Route {
  readonly as?: keyof typeof tokens;
  readonly ask: () => [string, RequestInit];
  /** What is asked of an object beside the token: then it is touched in an isolate that remembers the token, too. */
  readonly needs: "token" | "more";
}

const ROUTES: Readonly<Record<string, Route>> = {
  context: { ask: () => sent("GET", "/v1/context"), needs: "token" },
  list: { ask: () => sent("GET", "/v1/skills"), needs: "token" },
  load_skill: { ask: () => sent("POST", "/v1/tools/load_skill", { skill_name: "sums" }), needs: "token" },
  run: { ask: () => run(), needs: "token" },
  "run under a key": { ask: () => run({ "Idempotency-Key": `key-${calls++}` }), needs: "more" },
  "run that asks": { as: "asked", ask: () => run(), needs: "more" },
  approvals: { ask: () => sent("GET", "/v1/approvals"), needs: "more" },
  approval: { as: "asked", ask: () => sent("GET", `/v1/approvals/${pending}`), needs: "more" },
  "tokens, listed": { ask: () => sent("GET", "/v1/tokens"), needs: "more" },
  "tokens, made": { ask: () => sent("POST", "/v1/tokens", { scopes: ["read"] }), needs: "more" },
  "secrets, listed": { ask: () => sent("GET", "/v1/secrets"), needs: "more" },
  "secrets, put": { ask: () => sent("PUT", "/v1/secrets/api", { value: "x" }), needs: "more" },
  tenants: { as: "operator", ask: () => sent("GET", "/v1/tenants"), needs: "more" },
  "tenants, made": { as: "operator", ask: () => sent("POST", "/v1/tenants", { name: `t-${calls++}` }), needs: "more" },
  "skill put": { ask: () => put(`put-${calls++}`), needs: "more" },
};

interface Told {
  readonly status: number;
  readonly code: unknown;
  readonly text: string;
  readonly waited: number;
}

/** Asks, and lets time go by for as long as nothing answers. */
async function ask(token: string, [path, init]: [string, RequestInit]): Promise<Told> {
  const begun = Date.now();
  let isDone = false;
  const asking = (async () => {
    const response = await edge.ask(token, path, init);
    const text = await response.text();
    isDone = true;
    const { code = null } = text === "" ? {} : (JSON.parse(text) as { code?: string });
    return { status: response.status, code, text, waited: Date.now() - begun };
  })();
  for (let turns = 0; !isDone && Date.now() - begun <= 2 * MOST_MS; turns++) {
    await scheduler.wait(1);
    // Real objects answer within some turns of the loop; who waits longer waits for the deadline.
    await vi.advanceTimersByTimeAsync(fault === "stalls" && turns > 60 ? DEADLINE_MS / 4 : 1);
  }
  return asking;
}

const cases = Object.keys(ROUTES).flatMap((name) => KINDS.map((kind) => ({ name, kind })));
const route = (name: string): Required<Route> => ({ as: "acme", ...(ROUTES[name] as Route) });
const isGood = ({ status }: Told): boolean => status >= 200 && status < 300;

describe("while a tenant's object is faulty", () => {
  it.each(cases)(
    "an isolate that knows nothing says so to $name, and heals by itself: it $kind",
    async ({ name, kind }) => {
      const { as, ask: asked } = route(name);
      fault = kind;
      const told = await ask(tokens[as], asked());
      expect([told.status, told.code]).toEqual([503, "storage-unavailable"]);
      expect(told.text).not.toContain("secret words");
      expect(told.waited).toBeLessThan(MOST_MS);
      fault = null;
      expect(isGood(await ask(tokens[as], asked()))).toBe(true);
    },
  );

  it.each(cases)(
    "an isolate that remembers the token answers $name as far as it can: it $kind",
    async ({ name, kind }) => {
      const { as, ask: asked, needs } = route(name);
      expect(isGood(await ask(tokens[as], asked()))).toBe(true);
      fault = kind;
      const told = await ask(tokens[as], asked());
      expect([isGood(told), told.code]).toEqual(needs === "token" ? [true, null] : [false, "storage-unavailable"]);
      expect(told.text).not.toContain("secret words");
      expect(told.waited).toBeLessThan(MOST_MS);
      fault = null;
      vi.setSystemTime(Date.now() + FRESH_MS);
      expect(isGood(await ask(tokens[as], asked()))).toBe(true);
    },
  );
});

describe("a run whose outcome cannot be kept", () => {
  it.each(KINDS)("is answered all the same, and the log is told: the object %s once it has begun", async (kind) => {
    const call = run({ "Idempotency-Key": `kept-${calls++}` });
    const { RUNNER: runner } = edge.env;
    const breaking = {
      run: (...args: Parameters<NonNullable<typeof runner>["run"]>) => {
        fault = kind;
        return runner?.run(...args);
      },
    } as unknown as NonNullable<typeof runner>;
    edge.env = { ...edge.env, RUNNER: breaking };
    edge.forget();
    const told = await ask(tokens.acme, call);
    edge.env = { ...edge.env, ...(runner === undefined ? {} : { RUNNER: runner }) };
    expect([told.status, JSON.parse(told.text)]).toMatchObject([200, { run: { stdout: "1" } }]);
    expect(logged.join("\n")).toContain("Cannot keep what a call answered");
  });
});
