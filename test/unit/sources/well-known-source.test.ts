import { describe, expect, it } from "vitest";
import { tarArchive, zipArchive } from "../../../src/bundle/skill-archive.ts";
import { makeArchive } from "../../../src/http/archive.ts";
import { discoveryIndex, olderIndex } from "../../../src/http/discovery.ts";
import { digestOf } from "../../../src/model/digest.ts";
import { NO_CONTEXT } from "../../../src/model/skill.ts";
import { findResource } from "../../../src/provider/find-in-skill.ts";
import { AgentSkillsProvider } from "../../../src/provider/provider.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import { createMemoryStore } from "../../../src/sources/memory-store.ts";
import { createPackedSource } from "../../../src/sources/packed-source.ts";
import { WellKnownAgentSkillsSource } from "../../../src/sources/well-known-source.ts";
import { makeTarGz } from "../../helpers/archives.ts";
import { type Site, serveSite } from "../../helpers/http-site.ts";
import { liveEntries } from "../../helpers/pack-skills.ts";
import { NotingLogger, namesOf } from "../../helpers/plain-skills.ts";
import { CALLER } from "../../helpers/provider.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const TEXT = "---\nname: rules\ndescription: The rules.\nallowed-tools: Bash\n---\nFollow them.\n";

async function wellKnown(entries: readonly object[], served = TEXT, schema: string | null = SCHEMA) {
  const url = await serveSite((request) => {
    const { pathname } = new URL(request.url);
    const index = { ...(schema === null ? {} : { $schema: schema }), skills: entries };
    return pathname === "/.well-known/agent-skills/index.json" ? Response.json(index) : new Response(served);
  });
  const logger = new NotingLogger();
  return { logger, source: new WellKnownAgentSkillsSource(url, { logger }) };
}

const ENTRY = {
  name: "rules",
  type: "skill-md",
  description: "The rules.",
  url: "rules/SKILL.md",
  digest: await digestOf(TEXT),
};

describe("WellKnownAgentSkillsSource", () => {
  it("offers a site's skills of one file, read when they are loaded", async () => {
    const { source } = await wellKnown([ENTRY]);
    const skills = await source.getSkills(NO_CONTEXT);
    expect(await source.getSkills(NO_CONTEXT)).toBe(skills);
    const loaded = await new AgentSkillsProvider(source).callTool("load_skill", { skill_name: "rules" }, CALLER);
    expect([loaded.content.includes("Follow them."), (await skills[0]?.getContent())?.allowedTools]).toEqual([
      true,
      [],
    ]);
  });

  it("refuses a document whose bytes are not those of its digest", async () => {
    const { source } = await wellKnown([ENTRY], `${TEXT}And more.\n`);
    const [skill] = await source.getSkills(NO_CONTEXT);
    await expect(skill?.getContent()).rejects.toMatchObject({ code: "bundle-damaged" });
  });

  it("leaves out what is not valid, not read here or elsewhere, and tells so", async () => {
    const { source, logger } = await wellKnown([
      { ...ENTRY, name: "Bad" },
      { ...ENTRY, type: "script" },
      { ...ENTRY, url: "https://elsewhere.example/SKILL.md" },
      { ...ENTRY, digest: "sha256:x" },
      ENTRY,
    ]);
    expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["rules"]);
    expect(logger.messages.map((message) => message.replace(/^.*left out: /, ""))).toEqual([
      "it is not valid",
      'its type "script" is not read here',
      "it lies on another origin",
      "it is not valid",
    ]);
  });

  it.each([null, "https://schemas.agentskills.io/discovery/9.9.9/schema.json"])(
    "uses nothing of an index whose $schema is %s",
    async (schema) => {
      const { source, logger } = await wellKnown([ENTRY], TEXT, schema);
      expect([await source.getSkills(NO_CONTEXT), logger.messages.length]).toEqual([[], 1]);
    },
  );
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const FILES = [
  { path: "SKILL.md", bytes: bytesOf(TEXT) },
  { path: "references/ä b.md", bytes: bytesOf("About ä.\n") },
  { path: "scripts/x.py", bytes: bytesOf("print(1)\n") },
  { path: "logo.png", bytes: Uint8Array.of(0, 255) },
];

/** A site with one archive; `seen` takes the paths that were asked for. */
async function archiveSite(archive: Uint8Array, digest?: string) {
  const seen: string[] = [];
  const entry = { ...ENTRY, type: "archive", url: "rules.bin", digest: digest ?? (await digestOf(archive)) };
  const url = await serveSite((request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    return pathname.endsWith(".json")
      ? Response.json({ $schema: SCHEMA, skills: [entry] })
      : new Response(new Uint8Array(archive));
  });
  return { seen, source: new WellKnownAgentSkillsSource(url) };
}

describe("WellKnownAgentSkillsSource with archives", () => {
  it.each([
    { kind: "tar.gz", archive: tarArchive(FILES) },
    { kind: "zip", archive: zipArchive(FILES) },
  ])("reads the files of a $kind, fetched once and only when a skill is used", async ({ archive }) => {
    const { source, seen } = await archiveSite(archive);
    const [skill] = await source.getSkills(NO_CONTEXT);
    expect([seen.length, skill?.counts]).toEqual([1, { resources: null, scripts: 0, runnable: 0 }]);
    const provider = new AgentSkillsProvider(source);
    const loaded = await provider.callTool("load_skill", { skill_name: "rules" }, CALLER);
    expect([loaded.content.includes("Follow them."), (await skill?.getContent())?.allowedTools]).toEqual([true, []]);
    const read = async (resource_name: string) =>
      (await provider.callTool("read_skill_resource", { skill_name: "rules", resource_name }, CALLER)).content;
    expect([await read("ä b.md"), await read("scripts/x.py"), await read("logo.png")]).toEqual([
      "About ä.\n",
      "print(1)\n",
      "AP8=",
    ]);
    const listed = (await skill?.listResources())?.map(({ name, mediaType, size, text }) => [
      name,
      mediaType,
      size,
      text,
    ]);
    expect(listed).toEqual([
      ["logo.png", "image/png", 2, false],
      ["references/ä b.md", "text/markdown", 10, true],
      ["scripts/x.py", "text/x-python", 9, true],
    ]);
    expect((await skill?.getManifest())?.digest).toBe(await digestOf(TEXT));
    expect(seen.filter((path) => path.endsWith("rules.bin")).length).toBe(1);
  });

  it("unpacks nothing that is not the archive of its digest", async () => {
    const { source } = await archiveSite(tarArchive(FILES), `sha256:${"0".repeat(64)}`);
    const [skill] = await source.getSkills(NO_CONTEXT);
    await expect(skill?.getContent()).rejects.toMatchObject({ code: "bundle-damaged" });
  });

  it("uses nothing of an archive with a link or a way out", async () => {
    const manifest = { name: "SKILL.md", bytes: bytesOf(TEXT) };
    for (const [entry, code] of [
      [{ name: "x", symlink: "/etc/passwd" }, "archive-link"],
      [{ name: "../x", bytes: bytesOf("x") }, "archive-unsafe-path"],
    ] as const) {
      const { source } = await archiveSite(makeTarGz([manifest, entry]));
      const [skill] = await source.getSkills(NO_CONTEXT);
      await expect(skill?.getContent()).rejects.toMatchObject({ code });
      await expect(skill?.listResources()).rejects.toMatchObject({ code });
    }
  });
});

/** What the edge's discovery shows of packed skills, at its addresses; without the current index where `isOlder`. */
async function edgeDiscovery(isOlder: "older" | "current"): Promise<Site> {
  const entries = await liveEntries([
    { name: "alone", manifest: "---\nname: alone\ndescription: One file.\n---\nOn its own.\n" },
    {
      name: "guides",
      manifest: "---\nname: guides\ndescription: Guides.\n---\nRead on.\n",
      files: [{ path: "references/größe.md", content: "# Größe\n" }],
    },
  ]);
  const provider = new AgentSkillsProvider(createPackedSource(createMemoryStore(entries)));
  const catalogue = await provider.getCatalogue(CALLER);
  const cache = new ByteCache();
  return async (request) => {
    const path = decodeURIComponent(new URL(request.url).pathname);
    if (path === "/.well-known/agent-skills/index.json" && isOlder === "current") {
      return Response.json(await discoveryIndex(catalogue, cache));
    }
    if (path === "/.well-known/skills/index.json") {
      return Response.json(await olderIndex(catalogue));
    }
    const [, name = "", file = ""] = /^\/\.well-known\/(?:agent-)?skills\/([a-z]+)[./](.*)$/.exec(path) ?? [];
    const skill = catalogue.skills.find((item) => item.name === name);
    if (skill === undefined) {
      return new Response(null, { status: 404 });
    }
    const bytes =
      file === "tar.gz"
        ? (await makeArchive(skill, "tar.gz", cache)).bytes
        : await (file === "SKILL.md" ? await skill.getManifest() : await findResource(skill, file))?.read();
    return new Response(new Uint8Array(bytes ?? []));
  };
}

describe.each(["current", "older"] as const)(
  "WellKnownAgentSkillsSource over the edge's own discovery, %s",
  (version) => {
    it("offers, loads and reads what the edge has", async () => {
      const source = new WellKnownAgentSkillsSource(await serveSite(await edgeDiscovery(version)));
      expect(namesOf(await source.getSkills(NO_CONTEXT))).toEqual(["alone", "guides"]);
      expect(await source.getSkills(NO_CONTEXT)).toBe(await source.getSkills(NO_CONTEXT));
      const provider = new AgentSkillsProvider(source);
      const load = async (skill_name: string) =>
        (await provider.callTool("load_skill", { skill_name }, CALLER)).content;
      expect([(await load("alone")).includes("On its own."), (await load("guides")).includes("Read on.")]).toEqual([
        true,
        true,
      ]);
      const args = { skill_name: "guides", resource_name: "größe.md" };
      expect((await provider.callTool("read_skill_resource", args, CALLER)).content).toBe("# Größe\n");
    });
  },
);

describe("WellKnownAgentSkillsSource with an index of discovery 0.1.0", () => {
  it("leaves out entries whose files lead elsewhere, are there twice or lack a SKILL.md", async () => {
    const files = ["SKILL.md", "a.md"];
    const older = { name: "rules", description: "The rules.", files };
    const { source, logger } = await wellKnown(
      [
        { ...older, files: ["SKILL.md", "../x"] },
        { ...older, files: ["SKILL.md", "SKILL.md"] },
        { ...older, files: ["a.md"] },
        older,
      ],
      TEXT,
      null,
    );
    const skills = await source.getSkills(NO_CONTEXT);
    expect([namesOf(skills), logger.messages.length, skills[0]?.counts.resources]).toEqual([["rules"], 3, 1]);
  });

  it("names the current address of a site that has neither index", async () => {
    const url = await serveSite(() => new Response(null, { status: 404 }));
    await expect(new WellKnownAgentSkillsSource(url).getSkills(NO_CONTEXT)).rejects.toMatchObject({
      code: "storage-unavailable",
      message: `Cannot read ${url}/.well-known/agent-skills/index.json: it answers 404`,
    });
  });
});
