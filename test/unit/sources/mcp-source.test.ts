import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { memorySkillFiles, SkillsExtension, skillEntry } from "@modelcontextprotocol/server/ext/skills";
import { describe, expect, it } from "vitest";
import { tarArchive, zipArchive } from "../../../src/bundle/skill-archive.ts";
import { digestOf } from "../../../src/model/digest.ts";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { AgentSkillsProvider, ANY_CALLER } from "../../../src/provider/provider.ts";
import { AgentMcpSkillsSource, type McpSourceOptions } from "../../../src/sources/mcp-source.ts";
import { NotingLogger, namesOf } from "../../helpers/plain-skills.ts";

const MANIFEST = "---\nname: rules\ndescription: The rules.\nallowed-tools: Bash\n---\nFollow them.\n";
const FILES = {
  "rules/SKILL.md": MANIFEST,
  "rules/references/a.md": "About a.\n",
  "rules/scripts/x.py": "print(1)\n",
  "rules/logo.png": Uint8Array.of(0, 255),
};

async function connected(server: McpServer, options: McpSourceOptions = {}) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return new AgentMcpSkillsSource(client, options);
}

/** A server of today: `skills/list`. */
async function skillServer(files: Record<string, string | Uint8Array>): Promise<McpServer> {
  const server = new McpServer({ name: "Acme Docs", version: "1.0.0" }, { capabilities: { resources: {} } });
  const extension = await SkillsExtension.load(memorySkillFiles(files));
  extension.attach(server);
  return server;
}

/** A server of before: `skill://index.json` and resources. */
function indexServer(resources: Readonly<Record<string, string | Uint8Array>>): McpServer {
  const server = new McpServer({ name: "old", version: "1.0.0" });
  for (const [uri, content] of Object.entries(resources)) {
    const body = typeof content === "string" ? { text: content } : { blob: Buffer.from(content).toString("base64") };
    server.registerResource(uri, uri, {}, async () => ({ contents: [{ uri, ...body }] }));
  }
  return server;
}

const index = (...skills: unknown[]) => JSON.stringify({ skills });
const ENTRY = { name: "rules", type: "skill-md", description: "The rules.", url: "skill://rules/SKILL.md" };

describe("AgentMcpSkillsSource over skills/list", () => {
  it("offers a server's skills behind the server's name, and the same array while nothing changed", async () => {
    const source = await connected(await skillServer(FILES));
    const skills = await source.getSkills(NO_CONTEXT);
    expect(skills.map(({ name, aliases, description, counts }) => ({ name, aliases, description, counts }))).toEqual([
      {
        name: "acme-docs-rules",
        aliases: ["rules"],
        description: "The rules.",
        counts: { resources: 3, scripts: 0, runnable: 0 },
      },
    ]);
    expect(await source.getSkills(NO_CONTEXT)).toBe(skills);
  });

  it.each([
    ["metadata:\n  audience: field\n", { audience: "field" }, false],
    ['metadata:\n  internal: "true"\n', { internal: "true" }, true],
    ["disable-model-invocation: true\n", {}, true],
  ])("filters by what the frontmatter says: %j", async (more, metadata, hidden) => {
    const text = MANIFEST.replace("allowed-tools: Bash\n", more);
    const [skill] = await (await connected(await skillServer({ "rules/SKILL.md": text }))).getSkills(NO_CONTEXT);
    expect([skill?.metadata, skill?.hidden]).toEqual([metadata, hidden]);
  });

  it("gives the digest that the same files have anywhere", async () => {
    const [one] = await (await connected(await skillServer(FILES))).getSkills(NO_CONTEXT);
    const [other] = await (
      await connected(await skillServer({ ...FILES, "rules/references/a.md": "Other.\n" }))
    ).getSkills(NO_CONTEXT);
    expect(one?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(other?.digest).not.toBe(one?.digest);
  });

  it("is loaded and read through a provider; its scripts are files, and what it says of tools grants nothing", async () => {
    const source = await connected(await skillServer(FILES), { namespace: null });
    const provider = new AgentSkillsProvider(source);
    const loaded = await provider.callTool("load_skill", { skill_name: "rules" }, ANY_CALLER);
    expect(loaded.content).toContain("Follow them.");
    const read = (resource_name: string) =>
      provider.callTool("read_skill_resource", { skill_name: "rules", resource_name }, ANY_CALLER);
    const [text, binary, script] = [await read("a.md"), await read("logo.png"), await read("scripts/x.py")];
    expect([text.content, text.resource?.media_type, binary.content, script.content]).toEqual([
      "About a.\n",
      "text/markdown",
      "AP8=",
      "print(1)\n",
    ]);
    expect((await provider.getContext(ANY_CALLER)).tools.map(({ name }) => name)).toEqual([
      "load_skill",
      "read_skill_resource",
    ]);
    const [skill] = await source.getSkills(NO_CONTEXT);
    expect((await skill?.getContent())?.allowedTools).toEqual([]);
  });

  it("refuses a file whose bytes are not those that were promised", async () => {
    const entry = await skillEntry("rules", { "SKILL.md": MANIFEST, "a.md": "About a.\n" });
    const server = new McpServer({ name: "liar", version: "1.0.0" }, { capabilities: { resources: {} } });
    const read = async (uri: string) => ({ text: uri.endsWith("a.md") ? "About b.\n" : MANIFEST });
    new SkillsExtension({ source: { list: async () => ({ skills: [entry] }), get: async () => entry, read } }).attach(
      server,
    );
    const [skill] = await (await connected(server)).getSkills(NO_CONTEXT);
    const [resource] = (await skill?.listResources()) ?? [];
    await expect(resource?.read()).rejects.toMatchObject({ code: "bundle-damaged" });
  });

  it("asks for its client each time, so that one that was connected anew is used", async () => {
    const servers = [
      await skillServer(FILES),
      await skillServer({ "next/SKILL.md": "---\nname: next\ndescription: Next.\n---\n" }),
    ];
    const clients = await Promise.all(
      servers.map(async (server) => {
        const [here, there] = InMemoryTransport.createLinkedPair();
        const client = new Client({ name: "test", version: "1.0.0" });
        await Promise.all([server.connect(there), client.connect(here)]);
        return client;
      }),
    );
    let at = 0;
    const source = new AgentMcpSkillsSource(() => clients[at] ?? new Client({ name: "none", version: "1" }), {
      namespace: null,
    });
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["rules"]);
    at = 1;
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["next"]);
  });
});

describe("AgentMcpSkillsSource over the older index", () => {
  it("offers entries of type skill-md, reads their files by name, and nothing beside them", async () => {
    const server = indexServer({
      "skill://index.json": index(ENTRY),
      "skill://rules/SKILL.md": MANIFEST,
      "skill://rules/references/a.md": "About a.\n",
      "skill://rules/logo.png": Uint8Array.of(0, 255),
    });
    const provider = new AgentSkillsProvider(await connected(server, { namespace: null }));
    const read = (resource_name: string) =>
      provider.callTool("read_skill_resource", { skill_name: "rules", resource_name }, ANY_CALLER);
    expect((await provider.callTool("load_skill", { skill_name: "rules" }, ANY_CALLER)).content).toContain(
      "Follow them.",
    );
    expect([(await read("references/a.md")).content, (await read("logo.png")).content]).toEqual(["About a.\n", "AP8="]);
    for (const name of ["none.md", "../rules/SKILL.md", "/etc/passwd", "references/../../x"]) {
      expect((await read(name)).error?.code, name).toBe("resource-not-found");
    }
  });

  it("tells of entries that it leaves out", async () => {
    const logger = new NotingLogger();
    const entries = [
      { ...ENTRY, name: "Bad Name" },
      { ...ENTRY, type: "archive" },
      { ...ENTRY, type: "mcp-resource-template" },
      { name: "x" },
      ENTRY,
    ];
    const source = await connected(indexServer({ "skill://index.json": index(...entries) }), {
      namespace: null,
      logger,
    });
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["rules"]);
    expect(logger.messages).toEqual([
      "An entry of an MCP server's skill index is left out: it is not valid",
      "An entry of an MCP server's skill index is left out: it is an archive without a digest",
      'An entry of an MCP server\'s skill index is left out: its type "mcp-resource-template" is not read',
      "An entry of an MCP server's skill index is left out: it is not valid",
    ]);
  });

  it.each(["rules.tar.gz", "rules.zip"])("reads the files of an archive: %s", async (name) => {
    const files = [
      { path: "SKILL.md", bytes: new TextEncoder().encode(MANIFEST) },
      { path: "references/a.md", bytes: new TextEncoder().encode("About a.\n") },
      { path: "logo.png", bytes: Uint8Array.of(0, 255) },
    ];
    const archive = name.endsWith(".zip") ? zipArchive(files) : tarArchive(files);
    const url = `skill://${name}`;
    const entry = { ...ENTRY, type: "archive", url, digest: await digestOf(archive) };
    const source = await connected(indexServer({ "skill://index.json": index(entry), [url]: archive }));
    const provider = new AgentSkillsProvider(source);
    const loaded = await provider.callTool("load_skill", { skill_name: "old-rules" }, ANY_CALLER);
    expect(loaded.content).toContain("Follow them.");
    const read = async (resource_name: string) =>
      (await provider.callTool("read_skill_resource", { skill_name: "rules", resource_name }, ANY_CALLER)).content;
    expect([await read("references/a.md"), await read("logo.png")]).toEqual(["About a.\n", "AP8="]);
    expect(await source.getSkills(NO_CONTEXT)).toBe(await source.getSkills(NO_CONTEXT));
  });

  it("unpacks nothing of an archive that is not the one that was meant, or is not there", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const entries = ["skill://rules.zip", "skill://none.zip"].map((url) => ({
      ...ENTRY,
      type: "archive",
      url,
      digest,
    }));
    const archive = zipArchive([{ path: "SKILL.md", bytes: new TextEncoder().encode(MANIFEST) }]);
    const source = await connected(
      indexServer({ "skill://index.json": index(...entries), "skill://rules.zip": archive }),
    );
    const [forged, none] = await source.getSkills(NO_CONTEXT);
    await expect(forged?.getContent()).rejects.toMatchObject({ code: "bundle-damaged" });
    await expect(none?.listResources()).rejects.toMatchObject({ code: "storage-unavailable" });
  });

  it("checks the digest of a SKILL.md that has one", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const server = indexServer({
      "skill://index.json": index({ ...ENTRY, digest }),
      "skill://rules/SKILL.md": MANIFEST,
    });
    const [skill] = await (await connected(server)).getSkills(NO_CONTEXT);
    await expect(skill?.getContent()).rejects.toMatchObject({ code: "bundle-damaged" });
  });

  it.each([
    { name: "without an index", resources: { "skill://other": "x" } },
    { name: "with an index that is not JSON", resources: { "skill://index.json": "{" } },
    { name: "with an index without skills", resources: { "skill://index.json": "{}" } },
  ])("has no skills of a server $name", async ({ resources }) => {
    expect(
      await (await connected(indexServer(resources as unknown as Record<string, string>))).getSkills(NO_CONTEXT),
    ).toEqual([]);
  });
});
