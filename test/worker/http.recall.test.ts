import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { encodeBlockList } from "../../src/bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../../src/bundle/keys.ts";
import { decodePointer, encodePointer, withBlockList } from "../../src/bundle/pointer-format.ts";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";
import { begin, bundleOf, deployBundle, planOf, post, type Send, sendFrames } from "./support/uploader.ts";

const REASON = "tells a wrong dose";
const LONG = "MARK-FILE ".repeat(3_000);
const SCRIPT = 'print("MARK-SCRIPT")\n';
const MANIFEST = "---\nname: dose\ndescription: MARK-TEXT\n---\nMARK-BODY\n";

let edges = 0;

/** An edge with a skill that will be recalled in part or as a whole, and one that stays. */
async function scene(settings: object = {}) {
  const edge = new PrivateEdge(`recall-${edges++}`, {
    approval: { run_skill_script: "never" },
    public: ["platform"],
    ...settings,
  });
  await edge.deploy("platform", [
    {
      name: "dose",
      description: "MARK-TEXT",
      body: "MARK-BODY\n",
      manifest: MANIFEST,
      files: [
        { path: "table.txt", content: LONG },
        { path: "small.txt", content: "MARK-SMALL\n" },
        { path: "scripts/echo.py", content: SCRIPT },
        { path: "scripts/count.py", content: "print(1)\n" },
        { path: "scripts/lib.js", content: "export const x = 1;\n" },
      ],
      scripts: [
        "scripts/echo.py",
        "scripts/count.py",
        { path: "scripts/lib.js", runtime: "javascript", compiled: await digestOf("MARK-COMPILED") },
      ],
    },
    {
      name: "other",
      manifest: "---\nname: other\ndescription: Skill other.\n---\nStays.\n",
      files: [{ path: "small.txt", content: "MARK-SMALL\n" }],
    },
  ]);
  const { token } = await edge.token("acme", ["read", "run", "write"]);
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) =>
    edge.ask(token, path, { method: "POST", body: JSON.stringify(body), headers });
  const call = async (tool: string, args: object, headers = {}): Promise<Answer> =>
    (await post(`/v1/tools/${tool}`, { skill_name: "dose", ...args }, headers)).json();
  return { edge, token, post, call, block: (...digests: Digest[]) => blockIn(edge, digests) };
}

interface Answer {
  readonly is_error: boolean;
  readonly content: string;
  readonly run?: { readonly stdout: string };
  readonly error?: { readonly code: string; readonly message: string };
  readonly approval?: { readonly id: string };
}

/** What `edge-skills block` leaves in storage; the next request finds an isolate that knows nothing. */
async function blockIn(edge: PrivateEdge, digests: readonly Digest[], layers = ["platform"]): Promise<void> {
  const blocks = digests.map((digest) => ({ digest, reason: REASON, at: "2026-11-30T12:00:00.000Z", by: "eve" }));
  const list = { seq: 1, blocks };
  const bucket = edge.env.SKILLS_R2;
  await bucket?.put(BLOCK_LIST_KEY, encodeBlockList(list));
  for (const layer of layers) {
    const key = channelKey(layer, "live");
    const bytes = await (await bucket?.get(key))?.arrayBuffer();
    const pointer = decodePointer(new Uint8Array(bytes ?? new ArrayBuffer(0)));
    await bucket?.put(key, encodePointer(withBlockList(pointer, list)));
  }
  edge.forget();
}

async function skillDigest(edge: PrivateEdge, token: string): Promise<Digest> {
  const { digest } = (await (await edge.ask(token, "/v1/skills/dose")).json()) as { digest: Digest };
  return digest;
}

const recalled = (what: string) => `Cannot use ${what}: it was recalled. Reason: ${REASON}`;
const SKILL_GONE = problem(410, "skill-blocked", "Skill was recalled", recalled('skill "dose"'));
const fileGone = (path: string) =>
  problem(410, "file-blocked", "File was recalled", recalled(`"${path}" of skill "dose"`));
const refused = (code: string, message: string) => ({
  is_error: true,
  content: `Error: ${message}`,
  error: { code, message, candidates: [] },
  bundle: expect.any(String),
});

const LISTS = [
  "/v1/context",
  "/v1/skills",
  "/v1/skills?query=MARK-TEXT",
  "/.well-known/agent-skills/index.json",
  "/.well-known/skills/index.json",
  "/llms.txt",
];

describe("a recalled skill", () => {
  it("is in no list, and whoever asks for it by name is told why, at every door", async () => {
    const { edge, token, call, post, block } = await scene();
    const before = await Promise.all(LISTS.map(async (path) => (await edge.ask(token, path)).text()));
    expect(before.map((text) => text.includes("MARK-TEXT") || text.includes('"dose"'))).toEqual(LISTS.map(() => true));
    const pinned = (await edge.ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
    await block(await skillDigest(edge, token));

    for (const headers of [{}, { "X-Skills-Bundle": pinned }]) {
      for (const path of LISTS) {
        const text = await (await edge.ask(token, path, { headers })).text();
        expect([path, text.includes("dose"), text.includes("other")]).toEqual([path, false, !path.includes("query")]);
      }
      for (const path of ["", "/files/small.txt", "/files/SKILL.md", "/archive.tar.gz", "/archive.zip"]) {
        expect(await problemOf(await edge.ask(token, `/v1/skills/dose${path}`, { headers }))).toEqual(SKILL_GONE);
      }
      const gone = refused("skill-blocked", recalled('skill "dose"'));
      expect(await call("load_skill", {}, headers)).toEqual(gone);
      expect(await call("load_skill", { skill_name: "./DOSE" }, headers)).toEqual(gone);
      expect(await call("read_skill_resource", { resource_name: "small.txt" }, headers)).toEqual(gone);
      expect(await call("run_skill_script", { script_name: "scripts/echo.py" }, headers)).toEqual(gone);
      const searched = await post("/v1/tools/search_skills", { query: "MARK-TEXT" }, headers);
      expect(JSON.stringify(await searched.json())).not.toContain("dose");
      const calls = [{ id: "1", name: "load_skill", arguments: { skill_name: "dose" } }];
      expect(await (await post("/v1/tool-calls", calls, headers)).json()).toEqual([{ id: "1", ...gone }]);
    }
    for (const path of ["dose/SKILL.md", "dose.tar.gz"]) {
      expect((await edge.ask(null, `/.well-known/agent-skills/${path}`)).status).toBe(404);
    }
    expect((await edge.ask(null, "/.well-known/skills/dose/small.txt")).status).toBe(404);
    expect(await (await edge.ask(null, "/.well-known/agent-skills/index.json")).text()).not.toContain("dose");
  });

  it("is gone for MCP clients too", async () => {
    const { edge, token, block } = await scene();
    await block(await skillDigest(edge, token));
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const fetch = (url: string | URL, init: RequestInit = {}) => edge.ask(token, new URL(url).pathname, init);
    await client.connect(new StreamableHTTPClientTransport(new URL("https://edge.test/mcp"), { fetch }));
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["skill://index.json", "skill://other/SKILL.md"]);
    expect(JSON.stringify(await client.readResource({ uri: "skill://index.json" }))).not.toContain("dose");
    await expect(client.readResource({ uri: "skill://dose/small.txt" })).rejects.toThrow();
    const loaded = await client.callTool({ name: "load_skill", arguments: { skill_name: "dose" } });
    expect(loaded).toMatchObject({
      isError: true,
      content: [{ text: `Error: ${recalled('skill "dose"')}` }],
    });
    await client.close();
  });

  it("that is filtered is told of as what does not exist", async () => {
    const { edge, token, call, block } = await scene({ filters: [{ tenant: "acme", deny: [{ name: "dose" }] }] });
    const platform = await edge.token("platform", ["read"]);
    await block(await skillDigest(edge, platform.token));
    expect((await edge.ask(token, "/v1/skills/dose")).status).toBe(404);
    expect((await call("load_skill", {})).error?.code).toBe("skill-not-found");
  });

  it("by its SKILL.md gives nothing of itself", async () => {
    const { edge, token, call, block } = await scene();
    await block(await digestOf(MANIFEST));
    expect(await call("load_skill", {})).toEqual(refused("skill-blocked", recalled('skill "dose"')));
    expect(await problemOf(await edge.ask(token, "/v1/skills/dose/files/SKILL.md"))).toEqual(SKILL_GONE);
    expect(await problemOf(await edge.ask(token, "/v1/skills/dose"))).toEqual(SKILL_GONE);
    for (const path of ["/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"]) {
      const text = await (await edge.ask(token, path)).text();
      expect([text.includes("dose"), text.includes("other")]).toEqual([false, true]);
    }
  });
});

describe("a recalled file", () => {
  it.each([
    ["table.txt", LONG],
    ["small.txt", "MARK-SMALL\n"],
  ])("is not read and in no archive, while the skill's other files are: %s", async (path, content) => {
    const { edge, token, call, block } = await scene();
    for (const kind of ["tar.gz", "zip"]) {
      expect((await edge.ask(token, `/v1/skills/dose/archive.${kind}`)).status).toBe(200);
    }
    await block(await digestOf(content));
    expect(await problemOf(await edge.ask(token, `/v1/skills/dose/files/${path}`))).toEqual(fileGone(path));
    expect(await call("read_skill_resource", { resource_name: path })).toEqual(
      refused("file-blocked", recalled(`"${path}" of skill "dose"`)),
    );
    for (const kind of ["tar.gz", "zip"]) {
      expect(await problemOf(await edge.ask(token, `/v1/skills/dose/archive.${kind}`))).toEqual(fileGone(path));
      expect((await edge.ask(token, `/.well-known/agent-skills/dose.${kind}`)).status).toBe(410);
    }
    expect(await (await edge.ask(token, "/.well-known/agent-skills/index.json")).text()).not.toContain("dose");
    expect((await call("load_skill", {})).content).toContain("MARK-BODY");
    expect(await (await edge.ask(token, "/v1/skills/dose/files/scripts/echo.py")).text()).toBe(SCRIPT);
  });

  it("is not given to a run of the skill's other scripts", async () => {
    const { call, block } = await scene();
    const files = async () => {
      const { run } = await call("run_skill_script", { script_name: "scripts/echo.py" });
      const { skill_files, contents } = JSON.parse(run?.stdout ?? "{}");
      return [skill_files.map(({ path }: { path: string }) => path), contents.join("").includes("MARK-FILE")];
    };
    const all = ["SKILL.md", "scripts/count.py", "scripts/echo.py", "scripts/lib.js", "small.txt", "table.txt"];
    expect(await files()).toEqual([all, true]);
    await block(await digestOf(LONG));
    expect(await files()).toEqual([all.slice(0, -1), false]);
  });

  it("that is a script does not run, nor does JavaScript that may have it inside", async () => {
    const { call, block, edge, token } = await scene();
    await block(await digestOf(SCRIPT));
    for (const path of ["scripts/echo.py", "scripts/lib.js"]) {
      expect(await call("run_skill_script", { script_name: path })).toEqual(
        refused("file-blocked", recalled(`"${path}" of skill "dose"`)),
      );
    }
    expect((await call("run_skill_script", { script_name: "scripts/count.py" })).is_error).toBe(false);
    const { scripts } = (await (await edge.ask(token, "/v1/skills/dose")).json()) as { scripts: object[] };
    expect(scripts).toMatchObject([
      { name: "scripts/echo.py", runnable: false, reason: `it was recalled: ${REASON}` },
      { name: "scripts/count.py", runnable: true },
      { name: "scripts/lib.js", runnable: false },
    ]);
  });

  it("that a script was compiled to does not run", async () => {
    const { call, block } = await scene();
    await block(await digestOf("MARK-COMPILED"));
    expect((await call("run_skill_script", { script_name: "scripts/lib.js" })).error?.code).toBe("file-blocked");
    expect((await call("run_skill_script", { script_name: "scripts/echo.py" })).is_error).toBe(false);
  });
});

describe("a recall and what was agreed before", () => {
  it("lets no standing approval, no approval that was given, and no kept answer through", async () => {
    const { edge, call, block } = await scene({ approval: { run_skill_script: "ask" } });
    const { token: decider } = await edge.token("acme", ["approve"]);
    const decide = (id: string | undefined, remember: string) =>
      edge.ask(decider, `/v1/approvals/${id}`, {
        method: "POST",
        body: JSON.stringify({ decision: "approve", remember }),
      });
    const echo = { script_name: "scripts/echo.py" };
    const used = (await call("run_skill_script", echo)).approval?.id;
    await decide(used, "once");
    expect((await call("run_skill_script", { ...echo, approval_id: used })).run?.stdout).toContain("echo.py");
    const given = (await call("run_skill_script", { ...echo, arguments: ["given"] })).approval?.id;
    await decide(given, "once");
    const standing = (await call("run_skill_script", { ...echo, arguments: ["standing"] })).approval?.id;
    await decide(standing, "script");
    const keyed = { "Idempotency-Key": "k-1", "X-Skills-Session": "s" };
    const kept = await call("run_skill_script", { ...echo, arguments: ["keyed"] }, keyed);
    expect(kept.run?.stdout).toContain("keyed");
    expect(await call("run_skill_script", { ...echo, arguments: ["keyed"] }, keyed)).toEqual(kept);

    await block(await digestOf(SCRIPT));
    const gone = refused("file-blocked", recalled('"scripts/echo.py" of skill "dose"'));
    expect(await call("run_skill_script", { ...echo, approval_id: used })).toEqual(gone);
    expect(await call("run_skill_script", { ...echo, arguments: ["given"], approval_id: given })).toEqual(gone);
    expect(await call("run_skill_script", { ...echo, arguments: ["standing"] })).toEqual(gone);
    expect(await call("run_skill_script", { ...echo, arguments: ["keyed"] }, keyed)).toEqual(gone);
    // What is recalled is no reason to ask a person either.
    expect(await call("run_skill_script", { ...echo, arguments: ["new"] })).toEqual(gone);
    const other = { ...echo, script_name: "scripts/count.py" };
    expect((await call("run_skill_script", other)).approval?.id).toEqual(expect.any(String));
  });

  it("keeps the answers of what was not recalled", async () => {
    const { call, block } = await scene();
    const count = { script_name: "scripts/count.py", arguments: [`kept ${edges}`] };
    const keyed = { "Idempotency-Key": "k-2" };
    const first = await call("run_skill_script", count, keyed);
    await block(await digestOf(SCRIPT));
    expect(await call("run_skill_script", count, keyed)).toEqual(first);
  });
});

describe("a recalled bundle", () => {
  it("leaves its layer without skills, and is 409 bundle-blocked for who is pinned to it", async () => {
    const { edge, token, call, block } = await scene();
    const keyed = { "Idempotency-Key": "k-3" };
    await call("run_skill_script", { script_name: "scripts/echo.py" }, keyed);
    const pinned = (await edge.ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
    const bytes = await (await edge.env.SKILLS_R2?.get(channelKey("platform", "live")))?.arrayBuffer();
    const { bundle } = decodePointer(new Uint8Array(bytes ?? new ArrayBuffer(0)));
    await block(bundle);
    const answer = await edge.ask(token, "/v1/skills", { headers: { "X-Skills-Bundle": pinned } });
    expect(await problemOf(answer)).toEqual(
      problem(409, "bundle-blocked", "Bundle was recalled", recalled("this bundle")),
    );
    expect(await (await edge.ask(token, "/v1/context")).json()).toMatchObject({ instructions: "", tools: [] });
    expect((await call("load_skill", {})).error?.code).toBe("skill-not-found");
    expect((await call("run_skill_script", { script_name: "scripts/echo.py" }, keyed)).error?.code).toBe(
      "skill-not-found",
    );
  });
});

describe("what is recalled of skills put at run time", () => {
  const put = (files: Record<string, string>) => ({
    method: "PUT",
    body: JSON.stringify({ files: Object.entries(files).map(([path, content]) => ({ path, content })) }),
  });
  const RUNTIME = "---\nname: fresh\ndescription: MARK-FRESH\n---\nBody.\n";

  it.each(["skill", "SKILL.md"])("is gone, also where nothing was ever deployed: %s", async (what) => {
    const edge = new PrivateEdge(`recall-runtime-${edges++}`, {});
    const { token } = await edge.token("solo", ["read", "run", "write"]);
    const put1 = await edge.ask(token, "/v1/runtime/skills/fresh", put({ "SKILL.md": RUNTIME, "a.md": "A\n" }));
    const { digest } = (await put1.json()) as { digest: Digest };
    expect(await (await edge.ask(token, "/v1/context")).text()).toContain("MARK-FRESH");
    await blockIn(edge, [what === "skill" ? digest : await digestOf(RUNTIME)], []);
    expect(await (await edge.ask(token, "/v1/context")).text()).not.toContain("MARK-FRESH");
    expect((await edge.ask(token, "/v1/skills/fresh/files/a.md")).status).toBe(410);
    const again = await edge.ask(token, "/v1/runtime/skills/fresh", put({ "SKILL.md": RUNTIME, "a.md": "A\n" }));
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([410, "skill-blocked"]);
  });

  it("refuses to take a recalled file again", async () => {
    const { edge, token, block } = await scene();
    await block(await digestOf("bad\n"));
    const answer = await edge.ask(token, "/v1/runtime/skills/fresh", put({ "SKILL.md": RUNTIME, "a.md": "bad\n" }));
    expect(await problemOf(answer)).toEqual(problem(410, "file-blocked", "File was recalled", recalled('"a.md"')));
  });
});

describe("the upload API and a recall", () => {
  const SKILLS = [{ name: "own", files: [{ path: "a.md", content: "bad\n" }] }];

  async function deployer(skills = SKILLS) {
    const edge = new PrivateEdge(`recall-upload-${edges++}`, {});
    const { token } = await edge.token("acme", ["read", "deploy"]);
    const send: Send = (path, init) => edge.ask(token, path, init);
    return { edge, send, bundle: await bundleOf(skills) };
  }

  const codeIn = async (response: Response): Promise<unknown> => {
    const { status, body } = await problemOf(response);
    return [status, (body as { code: string }).code];
  };

  it("refuses a bundle with a recalled file before anything is sent, and its bytes by themselves", async () => {
    const { edge, send, bundle } = await deployer();
    const { upload } = await begin(send, bundle);
    await blockIn(edge, [await digestOf("bad\n")], []);
    const frames = bundle.frames.filter(({ kind }) => kind === "blob");
    for (const dry_run of [false, true]) {
      expect(await codeIn(await post(send, "/v1/uploads", { ...planOf(bundle), dry_run }))).toEqual([
        410,
        "file-blocked",
      ]);
    }
    expect(await codeIn(await sendFrames(send, upload, frames))).toEqual([410, "file-blocked"]);
    expect(await edge.keys("blob/")).toEqual([]);
  });

  it.each(["bundle", "skill", "file"] as const)(
    "moves no channel to what was recalled since it was sent: %s",
    async (what) => {
      const { edge, send, bundle } = await deployer();
      const { upload } = await begin(send, bundle);
      await sendFrames(send, upload, bundle.frames);
      const skill = bundle.records[0]?.digest as Digest;
      const digests = { bundle: bundle.bundle, skill, file: await digestOf("bad\n") };
      await blockIn(edge, [digests[what]], []);
      const body = { channel: "live", expected: null, upload, index: bundle.index };
      const status = what === "bundle" ? 409 : 410;
      expect(await codeIn(await post(send, "/v1/deploys", body))).toEqual([status, `${what}-blocked`]);
      expect(await edge.keys("channel/")).toEqual([]);
    },
  );

  it("rolls back to no recalled bundle, and writes the list into every pointer it moves", async () => {
    const { edge, send, bundle } = await deployer();
    await deployBundle(send, bundle);
    const second = await bundleOf([{ name: "own" }]);
    await deployBundle(send, second);
    await blockIn(edge, [bundle.bundle], ["acme"]);
    const { version } = (await (await send("/v1/deploys?channel=live")).json()) as { version: string };
    const back = { channel: "live", expected: version, bundle: bundle.bundle, reason: "rollback" };
    expect(await codeIn(await post(send, "/v1/deploys", back))).toEqual([409, "bundle-blocked"]);
    expect((await deployBundle(send, second, "preview")).status).toBe(200);
    for (const channel of ["live", "preview"]) {
      const bytes = await (await edge.env.SKILLS_R2?.get(channelKey("acme", channel)))?.arrayBuffer();
      const { blocked } = decodePointer(new Uint8Array(bytes ?? new ArrayBuffer(0)));
      expect(blocked?.blocks.map(({ digest }) => digest)).toEqual([bundle.bundle]);
    }
  });
});
