import { gunzipSync, unzipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { digestOf } from "../../src/model/digest.ts";
import { ask, createToken, deploySkills } from "./support/edge.ts";
import { PrivateEdge } from "./support/private-edge.ts";

const SKILLS = [
  { name: "alone", description: "One file.", manifest: "---\nname: alone\ndescription: One file.\n---\nA\n" },
  {
    name: "guides",
    description: "Skill guides <b>.",
    manifest: "---\nname: guides\ndescription: Skill guides <b>.\n---\nG\n",
    files: [{ path: "references/größe.md", content: "# Größe\n", mediaType: "text/markdown" }],
  },
  { name: "навык", description: "Its name is none that clients take." },
  { name: "long", description: "x".repeat(1_025) },
];

let token = "";

beforeAll(async () => {
  await deploySkills("platform", SKILLS);
  await deploySkills("acme", [{ name: "own", description: "MARK-ACME" }]);
  token = await createToken("acme");
});

interface Index {
  readonly $schema: string;
  readonly skills: readonly { name: string; type: string; description: string; url: string; digest: string }[];
}

async function publicEdge(name: string): Promise<PrivateEdge> {
  const edge = new PrivateEdge(name, { public: ["platform"], filters: [{ tenant: "*", deny: ["hidden-*"] }] });
  await edge.deploy("platform", [...SKILLS, { name: "hidden-one" }]);
  await edge.deploy("acme", [{ name: "own", description: "MARK-ACME" }]);
  return edge;
}

describe("discovery", () => {
  it("lists what a token may see, with digests of what lies at each address", async () => {
    const response = await ask(token, "/.well-known/agent-skills/index.json");
    const index: Index = await response.json();
    expect([response.status, response.headers.get("Cache-Control"), index.$schema]).toEqual([
      200,
      "private, no-cache",
      "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    ]);
    expect(index.skills.map(({ name, type, url }) => [name, type, url])).toEqual([
      ["alone", "skill-md", "/.well-known/agent-skills/alone/SKILL.md"],
      ["guides", "archive", "/.well-known/agent-skills/guides.tar.gz"],
      ["own", "skill-md", "/.well-known/agent-skills/own/SKILL.md"],
    ]);
    for (const { url, digest } of index.skills) {
      const artifact = await ask(token, url);
      expect(await digestOf(await artifact.bytes())).toBe(digest);
    }
  });

  it("needs a token where no layer is public, at every address", async () => {
    const paths = [
      "/.well-known/agent-skills/index.json",
      "/.well-known/agent-skills/alone/SKILL.md",
      "/.well-known/agent-skills/guides.tar.gz",
      "/.well-known/skills/index.json",
      "/.well-known/skills/alone/SKILL.md",
      "/llms.txt",
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await ask(null, path)).status));
    expect(statuses).toEqual(paths.map(() => 401));
  });

  it("shows everybody the public layers, filtered, and nothing of others", async () => {
    const edge = await publicEdge("discovery-public");
    const response = await edge.ask(null, "/.well-known/agent-skills/index.json");
    const index: Index = await response.json();
    expect(index.skills.map((skill) => skill.name)).toEqual(["alone", "guides"]);
    expect([response.headers.get("Cache-Control"), response.headers.get("Access-Control-Allow-Origin")]).toEqual([
      "public, max-age=5",
      "*",
    ]);
    for (const path of [
      "own/SKILL.md",
      "own.tar.gz",
      "hidden-one/SKILL.md",
      "../acme/own/SKILL.md",
      "ALONE/SKILL.md",
    ]) {
      const answer = await edge.ask(null, `/.well-known/agent-skills/${path}`);
      expect([path, answer.status, (await answer.text()).includes("MARK-ACME")]).toEqual([path, 404, false]);
    }
    expect((await edge.ask(null, "/v1/skills")).status).toBe(401);
  });

  it("answers conditional and HEAD requests", async () => {
    const edge = await publicEdge("discovery-conditional");
    for (const path of ["/.well-known/agent-skills/index.json", "/.well-known/agent-skills/guides.tar.gz"]) {
      const tag = (await edge.ask(null, path)).headers.get("ETag") ?? "";
      const again = await edge.ask(null, path, { headers: { "If-None-Match": tag } });
      const head = await edge.ask(null, path, { method: "HEAD" });
      expect([again.status, head.status, head.headers.get("ETag"), await head.text()]).toEqual([304, 200, tag, ""]);
    }
  });

  it("has the older index with every file, and a page of links", async () => {
    const index = await (await ask(token, "/.well-known/skills/index.json")).json();
    expect(index).toEqual({
      skills: [
        { name: "alone", description: "One file.", files: ["SKILL.md"] },
        { name: "guides", description: "Skill guides <b>.", files: ["SKILL.md", "references/größe.md"] },
        { name: "own", description: "MARK-ACME", files: ["SKILL.md"] },
      ],
    });
    const file = await ask(token, `/.well-known/skills/guides/references/${encodeURIComponent("größe.md")}`);
    expect([file.headers.get("Content-Type"), await file.text()]).toEqual([
      "text/markdown; charset=utf-8",
      "# Größe\n",
    ]);
    expect(await (await ask(token, "/llms.txt")).text()).toContain(
      "\n- [guides](/.well-known/agent-skills/guides/SKILL.md): Skill guides &lt;b&gt;.\n",
    );
  });
});

describe("GET /v1/skills/{name}/archive", () => {
  it("gives tar in gzip, and zip, with the files at the root", async () => {
    const tar = await ask(token, "/v1/skills/guides/archive.tar.gz");
    const zip = await ask(token, "/v1/skills/guides/archive.zip");
    const types = [tar, zip].map((response) => response.headers.get("Content-Type"));
    expect(types).toEqual(["application/gzip", "application/zip"]);
    expect(tar.headers.get("Content-Disposition")).toBe("attachment; filename*=UTF-8''guides.tar.gz");
    const files = unzipSync(await zip.bytes());
    expect(Object.keys(files)).toEqual(["SKILL.md", "references/größe.md"]);
    expect(new TextDecoder().decode(gunzipSync(await tar.bytes()).subarray(0, 8))).toBe("SKILL.md");
  });

  it("is the same bytes each time, and private", async () => {
    const [one, two] = [
      await ask(token, "/v1/skills/guides/archive.zip"),
      await ask(token, "/v1/skills/guides/archive.zip"),
    ];
    expect(one.headers.get("ETag")).toBe(two.headers.get("ETag"));
    expect(one.headers.get("Cache-Control")).toBe("private, no-cache");
    expect((await ask(token, "/v1/skills/nothing/archive.zip")).status).toBe(404);
  });
});
