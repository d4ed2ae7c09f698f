import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { channelKey } from "../../src/bundle/keys.ts";
import { encodePointer } from "../../src/bundle/pointer-format.ts";
import { packSkills, pointerTo } from "../helpers/pack-skills.ts";
import { PrivateEdge } from "./support/private-edge.ts";

/** What storage does in place of answering: real stores cannot be made to. */
type Kind = "fails" | "stalls" | "is damaged" | "is missing";

interface Fault {
  readonly kind: Kind;
  /** What it concerns: keys that begin so. */
  readonly where: "channel" | "index" | "blob";
}

/** After so long a pointer is read again, and storage that failed is asked again. */
const FRESH_MS = 5_000;
/** No store is waited for longer. */
const DEADLINE_MS = 10_000;

const LONG = "0123456789".repeat(2_000);
const DAMAGED = new TextEncoder().encode('{"format":1}');

let fault: Fault | null = null;

/** What a store answers under a fault; `damaged` in the form of the store. */
async function under<T>(key: string, read: () => Promise<T | null>, damaged: T): Promise<T | null> {
  switch (fault !== null && key.startsWith(`${fault.where}/`) ? fault.kind : null) {
    case "fails":
      throw new Error(`secret words of the store about ${key}`);
    case "stalls":
      return new Promise<never>(() => undefined);
    case "is damaged":
      return damaged;
    case "is missing":
      return null;
    case null:
      return read();
  }
}

const edge = new PrivateEdge("faults", { public: ["platform"], approval: { run_skill_script: "never" } });
const bucket = edge.env.SKILLS_R2;
let token = "";

beforeAll(async () => {
  const { entries, bundle } = await packSkills([
    {
      name: "one",
      manifest: "---\nname: one\ndescription: Skill one.\n---\nBody.\n",
      files: [
        { path: "data/long.txt", content: LONG },
        { path: "scripts/echo.py", content: "print(1)\n" },
      ],
      scripts: ["scripts/echo.py"],
    },
  ]);
  await Promise.all([...entries].map(([key, bytes]) => env.SKILLS_KV.put(`faults/${key}`, bytes)));
  await bucket?.put(channelKey("platform", "live"), encodePointer(pointerTo(bundle)));
  ({ token } = await edge.token("platform", ["read", "run"]));
  edge.env = {
    ...edge.env,
    SKILLS_R2: {
      get: (key: string) =>
        under(key, async () => (await bucket?.get(key)) ?? null, {
          arrayBuffer: async () => DAMAGED.buffer,
        } as R2ObjectBody),
    } as unknown as R2Bucket,
    SKILLS_KV: {
      get: (key: string) =>
        under(key, () => env.SKILLS_KV.get(`faults/${key}`, { type: "arrayBuffer" }), DAMAGED.buffer),
    } as unknown as KVNamespace,
  };
});

beforeEach(() => {
  fault = null;
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  edge.forget();
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}): [string, RequestInit] => [
  path,
  { method: "POST", body: JSON.stringify(body), headers },
];

const MCP = { Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25" };

/** A route of each kind, and the farthest thing that it reads. */
const ROUTES: Readonly<Record<string, { readonly ask: [string, RequestInit]; readonly reads: "index" | "blob" }>> = {
  context: { ask: ["/v1/context", {}], reads: "index" },
  list: { ask: ["/v1/skills", {}], reads: "index" },
  search: { ask: ["/v1/skills?query=one", {}], reads: "index" },
  skill: { ask: ["/v1/skills/one", {}], reads: "blob" },
  file: { ask: ["/v1/skills/one/files/data/long.txt", {}], reads: "blob" },
  archive: { ask: ["/v1/skills/one/archive.zip", {}], reads: "blob" },
  discovery: { ask: ["/.well-known/agent-skills/index.json", {}], reads: "blob" },
  load_skill: { ask: post("/v1/tools/load_skill", { skill_name: "one" }), reads: "blob" },
  read_skill_resource: {
    ask: post("/v1/tools/read_skill_resource", { skill_name: "one", resource_name: "data/long.txt" }),
    reads: "blob",
  },
  "tool-calls": {
    ask: post("/v1/tool-calls", [{ id: "a", name: "load_skill", arguments: { skill_name: "one" } }]),
    reads: "blob",
  },
  run_skill_script: {
    ask: post("/v1/tools/run_skill_script", { skill_name: "one", script_name: "scripts/echo.py" }),
    reads: "blob",
  },
  mcp: {
    ask: post(
      "/mcp",
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "load_skill", arguments: { skill_name: "one" } } },
      { ...MCP, "Content-Type": "application/json" },
    ),
    reads: "blob",
  },
};

interface Told {
  readonly status: number;
  readonly text: string;
  readonly stale: string | null;
  /** Milliseconds of the test's own time that went by. */
  readonly waited: number;
}

/** Asks, and lets time go by for as long as nothing answers. */
async function ask(name: string): Promise<Told> {
  const [path, init] = ROUTES[name]?.ask ?? ["", {}];
  const begun = Date.now();
  let told: Told | null = null;
  const asking = (async () => {
    const response = await edge.ask(token, path, init);
    // Each request has an id of its own.
    const text = new TextDecoder()
      .decode(await response.arrayBuffer())
      .replace(/"request_id":"[^"]*"/, '"request_id":""');
    const stale = response.headers.get("X-Skills-Stale");
    told = { status: response.status, text, stale, waited: Date.now() - begun };
    return told;
  })();
  for (let turns = 0; told === null && Date.now() - begun <= 3 * DEADLINE_MS; turns++) {
    await scheduler.wait(1);
    // Real stores answer within some turns of the loop; who waits longer waits for the deadline.
    await vi.advanceTimersByTimeAsync(fault?.kind === "stalls" && turns > 60 ? DEADLINE_MS / 4 : 1);
  }
  return asking;
}

/** What is told of a failure over HTTP and over MCP. */
function codeOf({ status, text }: Told): unknown {
  const { code, error } = JSON.parse(text.replace(/^event: message\ndata: /, "")) as {
    code?: string;
    error?: { message: string };
  };
  return [status, code ?? error?.message];
}

const KINDS: readonly Kind[] = ["fails", "stalls", "is damaged", "is missing"];
const cases = Object.keys(ROUTES).flatMap((name) =>
  (["channel", "index", "blob"] as const).flatMap((where) => KINDS.map((kind) => ({ name, where, kind }))),
);

describe("an isolate that knows nothing, while what it reads of storage is faulty", () => {
  it.each(cases)("$name says so and heals by itself: $where $kind", async ({ name, where, kind }) => {
    const good = await ask(name);
    expect(good.status).toBe(200);
    edge.forget();
    fault = { where, kind };
    const told = await ask(name);
    const isTouched = where !== "blob" || ROUTES[name]?.reads === "blob";
    const isFound = !(where === "channel" && kind === "is missing");
    if (isTouched && isFound) {
      const isAway = kind === "fails" || kind === "stalls";
      const overHttp = isAway ? [503, "storage-unavailable"] : [500, "bundle-damaged"];
      const words = isAway ? "Storage is not available" : "Stored bundle is damaged";
      // A session of MCP begins when the skills are known; what fails later is an answer of the protocol.
      expect(codeOf(told)).toEqual(name === "mcp" && where === "blob" ? [200, words] : overHttp);
      expect(told.text).not.toMatch(/secret|blob\/|index\/|channel\//);
    } else {
      expect(told.status).toBeLessThan(500);
    }
    expect(told.waited).toBeLessThan(3 * DEADLINE_MS);
    fault = null;
    vi.setSystemTime(Date.now() + FRESH_MS);
    expect({ ...(await ask(name)), waited: 0 }).toEqual({ ...good, waited: 0 });
  });
});

describe("an isolate that has answered before", () => {
  it.each(cases.filter(({ where }) => where !== "channel"))(
    "does not notice: $name, $where $kind",
    async ({ name, where, kind }) => {
      const good = await ask(name);
      fault = { where, kind };
      expect({ ...(await ask(name)), waited: 0 }).toEqual({ ...good, waited: 0 });
    },
  );

  it.each(cases.filter(({ where, kind }) => where === "channel" && kind !== "is missing"))(
    "answers what it knows, waits for storage once in 5 s, and learns what moved when it heals: $name, $where $kind",
    async ({ name, kind }) => {
      const good = await ask(name);
      fault = { where: "channel", kind };
      vi.setSystemTime(Date.now() + FRESH_MS);
      const [first, second] = [await ask(name), await ask(name)];
      expect([first.status, first.text, first.stale]).toEqual([200, good.text, "true"]);
      expect([second.status, second.text, second.stale]).toEqual([200, good.text, "true"]);
      expect(first.waited >= DEADLINE_MS).toBe(kind === "stalls");
      expect(second.waited).toBeLessThan(DEADLINE_MS / 4);
      fault = null;
      vi.setSystemTime(Date.now() + FRESH_MS);
      expect([(await ask(name)).stale, (await ask(name)).text]).toEqual([null, good.text]);
    },
  );

  it("answers of one whole bundle while storage is behind, and of the newest once it is not", async () => {
    const behind = new PrivateEdge("faults-behind", {});
    const { token: reader } = await behind.token("platform", ["read"]);
    const pointer = channelKey("platform", "live");
    const bundles = ["old", "new"].map((name) => ({ name, files: [{ path: "a.md", content: `${name}\n` }] }));
    const pointers: ArrayBuffer[] = [];
    for (const skill of bundles) {
      await behind.deploy("platform", [skill]);
      pointers.push((await (await behind.env.SKILLS_R2?.get(pointer))?.arrayBuffer()) ?? new ArrayBuffer());
    }
    const seen = async (stored: ArrayBuffer | undefined) => {
      await behind.env.SKILLS_R2?.put(pointer, stored ?? null);
      vi.setSystemTime(Date.now() + FRESH_MS);
      const { skills }: { skills: { name: string }[] } = await (await behind.ask(reader, "/v1/skills")).json();
      const [name] = skills.map((skill) => skill.name);
      return [skills.length, name, await (await behind.ask(reader, `/v1/skills/${name}/files/a.md`)).text()];
    };
    const [older, newest] = pointers;
    expect([await seen(newest), await seen(older), await seen(newest)]).toEqual([
      [1, "new", "new\n"],
      [1, "old", "old\n"],
      [1, "new", "new\n"],
    ]);
  });

  it("says that nobody can tell, not that it is gone, when a pinned bundle is not among those it knows", async () => {
    await ask("list");
    fault = { where: "channel", kind: "fails" };
    const pinned = await edge.ask(token, "/v1/skills", {
      headers: { "X-Skills-Bundle": `v1.${"0".repeat(32)}.none` },
    });
    expect(pinned.status).toBe(503);
    fault = null;
    const again = await edge.ask(token, "/v1/skills", { headers: { "X-Skills-Bundle": `v1.${"0".repeat(32)}.none` } });
    expect(again.status).toBe(409);
  });
});
