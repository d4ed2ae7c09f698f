import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { expect, it } from "vitest";
import { frontmatterJson } from "../../src/check/frontmatter-json.ts";
import { digestOf } from "../../src/model/digest.ts";
import { PrivateEdge } from "./support/private-edge.ts";

const ODD = "---\nname: Odd Notes\ndescription: Notes.\nmetadata:\n  version: 1.0\n---\nBody.\n";
const PORTABLE = '---\nname: odd-notes\ndescription: Notes.\nmetadata:\n  version: "1.0"\n---\nBody.\n';

async function connect(edge: PrivateEdge, token: string): Promise<{ client: Client; skills: SkillsClient }> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> =>
    edge.ask(token, new URL(url).pathname, {
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
    });
  await client.connect(new StreamableHTTPClientTransport(new URL("https://edge.test/mcp"), { fetch }));
  return { client, skills: new SkillsClient(client) };
}

/** Everything that MCP shows of a skill is of one form. */
async function expectAgreement(edge: PrivateEdge, token: string): Promise<void> {
  const { client, skills } = await connect(edge, token);
  const { skills: entries, invalid } = await skills.list();
  expect([entries.map(({ uri }) => uri), invalid]).toEqual([["skill://odd-notes/SKILL.md"], []]);
  const { skill } = await skills.get("skill://odd-notes/SKILL.md");
  expect(skill.frontmatter).toMatchObject({ name: "odd-notes", description: "Notes.", metadata: { version: "1.0" } });
  const read = await skills.read(skill);
  expect(read.verified).toBe(true);
  expect(frontmatterJson(new TextEncoder().encode(read.text))).toEqual(skill.frontmatter);
  const { resources } = await skills.readDirectory("skill://odd-notes");
  expect(resources.map(({ name, size }) => [name, size])).toEqual([["SKILL.md", read.text?.length]]);
  const { contents } = await client.readResource({ uri: "skill://index.json" });
  const [index] = contents;
  const text = index !== undefined && "text" in index ? index.text : "";
  expect(JSON.parse(text)).toMatchObject({
    skills: [{ name: "odd-notes", type: "skill-md", digest: await digestOf(read.text ?? "") }],
  });
}

it("a packed skill is shown in the form that pack made for strict hosts; elsewhere it stays as it was written", async () => {
  const edge = new PrivateEdge("mcp-portable-packed", {});
  await edge.deploy("platform", [{ name: "Odd Notes", manifest: ODD, portable: PORTABLE }]);
  const { token } = await edge.token("acme", ["read"]);
  await expectAgreement(edge, token);
  const file = await edge.ask(token, "/.well-known/agent-skills/odd-notes/SKILL.md");
  expect(await file.text()).toBe(ODD);
});

it("a skill put at run time has that form, too", async () => {
  const edge = new PrivateEdge("mcp-portable-runtime", {});
  const { token } = await edge.token("acme", ["read", "run", "write"]);
  const body = JSON.stringify({ files: [{ path: "SKILL.md", content: ODD }] });
  const put = await edge.ask(token, "/v1/runtime/skills/odd-notes", { method: "PUT", body });
  expect(put.status).toBe(200);
  await expectAgreement(edge, token);
});
