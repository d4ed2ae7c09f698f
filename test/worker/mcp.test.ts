import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { beforeAll, describe, expect, it } from "vitest";
import { ask, createToken, deploySkills } from "./support/edge.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let token = "";
let reader = "";

const GUIDES =
  "---\nname: guides\ndescription: Skill guides.\nmetadata:\n  author: acme\nversion: 1.10\nbeta: true\n---\nRead on.\n";

beforeAll(async () => {
  await deploySkills("platform", [
    {
      name: "guides",
      body: "Read on.\n",
      manifest: GUIDES,
      files: [
        { path: "references/größe.md", content: "# Größe\n", mediaType: "text/markdown" },
        { path: "assets/a.bin", content: Uint8Array.of(0, 1, 2) },
        { path: "scripts/run.py", content: "print(1)\n" },
      ],
      scripts: ["scripts/run.py"],
    },
    { name: "PDF Tools", body: "Its name is none that hosts take.\n" },
    { name: "numbers", manifest: "---\nname: numbers\ndescription: X.\nmetadata:\n  version: 1.0\n---\n" },
    { name: "навык", manifest: "---\nname: навык\ndescription: X.\n---\n" },
  ]);
  await deploySkills("acme", [{ name: "own", manifest: "---\nname: own\ndescription: Skill own.\n---\nOwn.\n" }]);
  await deploySkills("beta", [{ name: "theirs", manifest: "---\nname: theirs\ndescription: X.\n---\nMARK-BETA\n" }]);
  token = await createToken("acme");
  reader = await createToken("acme", ["read"]);
});

/** A client of the current revision, or of those before it. */
async function connect(as: string, mode: "legacy" | { pin: string } = { pin: "2026-07-28" }): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    ask(as, new URL(url).pathname, {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
    });
  await client.connect(new StreamableHTTPClientTransport(new URL("https://edge.test/mcp"), { fetch }));
  return client;
}

function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "answered",
    (error: { code?: unknown }) => error.code,
  );
}

describe.each([
  ["2026-07-28", { pin: "2026-07-28" }],
  ["2025-11-25", "legacy"],
] as const)("/mcp with the official client, revision %s", (version, mode) => {
  it("lists and calls the tools that the token may use", async () => {
    const client = await connect(token, mode);
    const names = async (of: Client) => (await of.listTools()).tools.map((tool) => tool.name);
    expect([
      client.getNegotiatedProtocolVersion(),
      await names(client),
      await names(await connect(reader, mode)),
    ]).toEqual([
      version,
      ["load_skill", "read_skill_resource", "run_skill_script"],
      ["load_skill", "read_skill_resource"],
    ]);
    expect(client.getInstructions()).toContain("<name>guides</name>");
    expect(await client.callTool({ name: "load_skill", arguments: { skill_name: "own" } })).toMatchObject({
      isError: false,
      content: [{ type: "text", text: expect.stringContaining('<skill_content name="own">') }],
      structuredContent: { bundle: expect.stringMatching(/^v1\./), skill: { name: "own" } },
    });
    expect(await client.callTool({ name: "load_skill", arguments: { skill_name: "theirs" } })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "skill-not-found" } },
    });
    const run = { skill_name: "guides", script_name: "scripts/run.py" };
    expect(await client.callTool({ name: "run_skill_script", arguments: run })).toMatchObject({
      isError: false,
      structuredContent: { run: { exit_code: 0 } },
    });
  });

  it("lists, gets, reads and verifies the tenant's skills that hosts take", async () => {
    const skills = new SkillsClient(await connect(token, mode));
    const { skills: entries, invalid } = await skills.list();
    expect([entries.map((entry) => entry.uri), invalid]).toEqual([
      ["skill://guides/SKILL.md", "skill://own/SKILL.md"],
      [],
    ]);
    const { skill } = await skills.get("skill://guides/SKILL.md");
    expect(skill.frontmatter).toEqual({
      name: "guides",
      description: "Skill guides.",
      metadata: { author: "acme" },
      version: 1.1,
      beta: true,
    });
    expect((await skills.read(skill)).text).toBe(GUIDES);
    expect(await skills.read(skill, "references/größe.md")).toMatchObject({ text: "# Größe\n", verified: true });
    expect((await skills.read(skill, "assets/a.bin")).bytes).toEqual(Uint8Array.of(0, 1, 2));
    const children = async (uri: string) =>
      (await skills.readDirectory(uri)).resources.map(({ name, mimeType }) => `${name} ${mimeType}`);
    expect(await children("skill://guides")).toEqual([
      "SKILL.md text/markdown",
      "assets inode/directory",
      "references inode/directory",
      "scripts inode/directory",
    ]);
    expect(await children("skill://guides/references")).toEqual(["größe.md text/markdown"]);
  });

  it("answers -32602 for what is not there, a foreign skill the same way", async () => {
    const client = await connect(token, mode);
    const skills = new SkillsClient(client);
    for (const name of ["theirs", "nothing", "numbers", "..%2Fbeta%2Ftheirs"]) {
      expect(await codeOf(skills.get(`skill://${name}/SKILL.md`))).toBe(-32602);
    }
    expect(await codeOf(skills.readDirectory("skill://theirs"))).toBe(-32602);
    expect(await codeOf(skills.list({ cursor: "*" }))).toBe(-32602);
    const missing = ["skill://theirs/SKILL.md", "skill://nothing/SKILL.md", "skill://guides/../own/SKILL.md"];
    const codes = await Promise.all(missing.map((uri) => codeOf(client.readResource({ uri }))));
    expect(new Set(codes)).toEqual(new Set([-32602]));
  });

  it("lists resources, and gives the older index", async () => {
    const client = await connect(token, mode);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => `${uri} ${mimeType}`)).toEqual([
      "skill://index.json application/json",
      "skill://guides/SKILL.md text/markdown",
      "skill://own/SKILL.md text/markdown",
    ]);
    const { contents } = await client.readResource({ uri: "skill://index.json" });
    expect(JSON.parse(String((contents[0] as { text: string }).text))).toEqual({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: ["guides", "own"].map((name) => ({
        name,
        type: "skill-md",
        description: `Skill ${name}.`,
        url: `skill://${name}/SKILL.md`,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      })),
    });
  });
});

describe("a call over MCP that needs a person", () => {
  const RUN = { name: "run_skill_script", arguments: { skill_name: "sums", script_name: "scripts/run.py" } };

  async function scene(name: string, capabilities: object) {
    const edge = new PrivateEdge(name, { approval: { run_skill_script: "ask" } });
    const files = [{ path: "scripts/run.py", content: "print(1)\n" }];
    await edge.deploy("platform", [{ name: "sums", files, scripts: ["scripts/run.py"] }]);
    const { token: asker } = await edge.token("platform", ["read", "run"]);
    const { token: decider } = await edge.token("platform", ["approve"]);
    const client = new Client(
      { name: "test", version: "1" },
      { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    const fetch = (url: string | URL, init: RequestInit = {}) => edge.ask(asker, new URL(url).pathname, init);
    await client.connect(new StreamableHTTPClientTransport(new URL("https://edge.test/mcp"), { fetch }));
    const decide = (address: string) => {
      const body = JSON.stringify({ decision: "approve" });
      return edge.ask(decider, new URL(address).pathname, { method: "POST", body });
    };
    return { client, decide };
  }

  it("points the person to the approval's address where the client can, and runs once another token decided", async () => {
    const { client, decide } = await scene("mcp-elicitation", { elicitation: { url: {} } });
    const asked: unknown[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params);
      await decide((params as { url: string }).url);
      return { action: "accept" };
    });
    expect(await client.callTool(RUN)).toMatchObject({ structuredContent: { run: { exit_code: 0 } } });
    expect(asked).toEqual([
      expect.objectContaining({ mode: "url", url: expect.stringMatching(/^https:\/\/edge\.test\/v1\/approvals\//) }),
    ]);
  });

  it("takes no answer of the asking client for a decision", async () => {
    const { client } = await scene("mcp-elicitation-own", { elicitation: { url: {} } });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { decision: "approve" },
    }));
    expect(await client.callTool(RUN)).toMatchObject({ structuredContent: { approval: { status: "pending" } } });
  });

  it("says what to do where the client cannot", async () => {
    const { client } = await scene("mcp-elicitation-none", {});
    expect(await client.callTool(RUN)).toMatchObject({
      isError: false,
      content: [{ text: expect.stringContaining("A person has to approve this call") }],
      structuredContent: { approval: { status: "pending" } },
    });
  });
});

describe("/mcp over HTTP", () => {
  const DISCOVER = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const HEADERS = {
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "server/discover",
  };

  it("needs a token", async () => {
    const { status, body } = await problemOf(
      await ask(null, "/mcp", { method: "POST", headers: HEADERS, body: DISCOVER }),
    );
    expect([status, body]).toEqual([401, expect.objectContaining({ code: "token-missing" })]);
  });

  it("tells of the extension, and keeps the answer out of shared caches", async () => {
    const response = await ask(token, "/mcp", { method: "POST", headers: HEADERS, body: DISCOVER });
    expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "private, no-store"]);
    expect(await response.json()).toMatchObject({
      result: {
        capabilities: {
          tools: {},
          resources: {},
          extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
        },
      },
    });
  });

  it.each(["GET", "DELETE"])("has no sessions: %s is not allowed", async (method) => {
    expect((await ask(token, "/mcp", { method, headers: { Accept: "text/event-stream" } })).status).toBe(405);
  });

  const versioned = { ...HEADERS, "MCP-Protocol-Version": "2025-11-25" };
  it.each([
    [
      "initialize",
      { protocolVersion: 5, capabilities: {}, clientInfo: { name: "c", version: "1" } },
      "protocolVersion",
    ],
    ["tools/call", { nme: "load_skill" }, "name"],
    ["resources/read", { uri: 7 }, "uri"],
  ])("answers wrong parameters of %s with one line of words", async (method, params, field) => {
    const { "Mcp-Method": _, ...headers } = versioned;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await ask(token, "/mcp", { method: "POST", headers, body });
    const [, data = "{}"] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    expect(JSON.parse(data)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32602,
        message: expect.stringMatching(
          new RegExp(`^Cannot use this request: params\\.${field}: Invalid input: expected string, received \\w+$`),
        ),
      },
    });
  });

  it("refuses pages of other origins, and takes those that the operator names", async () => {
    const edge = new PrivateEdge("mcp-origins", { origins: ["https://app.example"] });
    const { token: own } = await edge.token("platform", ["read"]);
    const from = (Origin: string) =>
      edge.ask(own, "/mcp", { method: "POST", headers: { ...HEADERS, Origin }, body: DISCOVER });
    expect(await problemOf(await from("https://evil.example"))).toEqual(
      problem(
        403,
        "origin-refused",
        "Origin is not allowed",
        "Cannot answer a page of this origin: it is not among those allowed",
      ),
    );
    const allowed = await from("https://app.example");
    expect([allowed.status, allowed.headers.get("Access-Control-Allow-Origin")]).toEqual([200, "https://app.example"]);
    expect((await from("https://edge.test")).status).toBe(200);
  });
});
