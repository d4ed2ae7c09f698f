/** What every source of skills promises to the provider, as one suite that each implementation runs over the same skills. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Digest, digestOf } from "../../src/model/digest.ts";
import { type AgentSkill, type AgentSkillsSource, NO_CONTEXT } from "../../src/model/skill.ts";
import type { SkillSpec } from "../helpers/pack-skills.ts";

/** An implementation: its name for the report, and how to make a source of given skills. */
export interface SourceCase {
  readonly name: string;
  readonly create: (skills: readonly SkillSpec[]) => Promise<AgentSkillsSource>;
}

const LONG = "0123456789".repeat(5_000);
const IMAGE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255);

const SKILLS: readonly SkillSpec[] = [
  { name: "tide-tables", description: "Tides.", frontmatter: { "disable-model-invocation": "true" } },
  {
    name: "Unit Converter",
    aliases: ["units"],
    description: "Converts units.",
    body: "# Units\n",
    frontmatter: JSON.parse('{"license":"MIT","__proto__":{"nested":["1"]}}'),
    metadata: { author: "acme" },
    allowedTools: ["Read"],
    files: [
      { path: "references/a.md", content: "\ufeffä\r\n", mediaType: "text/markdown" },
      { path: "data/long.txt", content: LONG },
      { path: "assets/logo.png", content: IMAGE, mediaType: "image/png" },
      { path: "scripts/convert.py", content: "print(1)\n", mediaType: "text/x-python" },
      { path: "scripts/wipe.ps1", content: "rm\n" },
    ],
    scripts: [
      { path: "scripts/convert.py", description: "Converts one value" },
      { path: "scripts/wipe.ps1", runtime: null, runnable: false, reason: "there is no PowerShell" },
    ],
  },
];

/** What an approval of a script is bound to beside it: what all of the skill's scripts were made into, since they may start each other. */
const COMPILED = {
  compiled: [
    ["scripts/convert.py", null],
    ["scripts/wipe.ps1", null],
  ],
  packages: [],
};

/** Runs the suite over an implementation. */
export function describeSource({ name, create }: SourceCase): void {
  describe(name, () => {
    let source: AgentSkillsSource;
    let converter: AgentSkill;
    let tides: AgentSkill;

    beforeAll(async () => {
      source = await create(SKILLS);
      const skills = await source.getSkills(NO_CONTEXT);
      [tides, converter] = skills as [AgentSkill, AgentSkill];
    });

    it("has no skills where there are none", async () => {
      expect(await (await create([])).getSkills(NO_CONTEXT)).toEqual([]);
    });

    it("answers the same array while nothing changed, for any caller", async () => {
      const skills = await source.getSkills(NO_CONTEXT);
      expect(await source.getSkills(NO_CONTEXT)).toBe(skills);
      expect(await source.getSkills({ ...NO_CONTEXT, tenant: "acme", agent: "a", session: "s" })).toBe(skills);
    });

    it("advertises each skill by what needs no further read", () => {
      const facts = [tides, converter].map(({ name: served, aliases, description, metadata, hidden, counts }) => ({
        served,
        aliases,
        description,
        metadata,
        hidden,
        counts,
      }));
      expect(facts).toEqual([
        {
          served: "tide-tables",
          aliases: [],
          description: "Tides.",
          metadata: {},
          hidden: true,
          counts: { resources: 0, scripts: 0, runnable: 0 },
        },
        {
          served: "unit-converter",
          aliases: ["Unit Converter", "units"],
          description: "Converts units.",
          metadata: { author: "acme" },
          hidden: false,
          counts: { resources: 5, scripts: 2, runnable: 1 },
        },
      ]);
    });

    it("gives frontmatter as read, own `__proto__` keys too, and the body", async () => {
      const content = await converter.getContent();
      expect(JSON.stringify(content.frontmatter)).toBe(
        '{"name":"Unit Converter","description":"Converts units.","license":"MIT","__proto__":{"nested":["1"]}}',
      );
      expect([content.allowedTools, content.body]).toEqual([["Read"], "# Units\n"]);
    });

    it("lists everything that can be read, in path order, and gives its very bytes", async () => {
      const resources = (await converter.listResources()) ?? [];
      expect(resources.map(({ name: path, mediaType, size, text }) => [path, mediaType, size, text])).toEqual([
        ["assets/logo.png", "image/png", 6, false],
        ["data/long.txt", "text/plain", 50_000, true],
        ["references/a.md", "text/markdown", 7, true],
        ["scripts/convert.py", "text/x-python", 9, true],
        ["scripts/wipe.ps1", "text/plain", 3, true],
      ]);
      const digests = await Promise.all(resources.map(async (resource) => digestOf(await resource.read())));
      expect(digests).toEqual(resources.map((resource) => resource.digest));
    });

    it("gives the SKILL.md itself, which is no resource", async () => {
      const manifest = await converter.getManifest();
      expect([manifest?.name, new TextDecoder().decode(await manifest?.read())]).toEqual([
        "SKILL.md",
        "---\nname: Unit Converter\n---\n# Units\n",
      ]);
    });

    it("lists every script, those that cannot run with the reason", async () => {
      const scripts = (await converter.listScripts()) ?? [];
      expect(scripts.map(({ run: _, ...facts }) => facts)).toEqual([
        {
          name: "scripts/convert.py",
          description: "Converts one value",
          runtime: "python",
          parameters: { type: "object" },
          runnable: true,
          reason: null,
          packed: { runtime: "python", parameters: { type: "object" }, ...COMPILED },
        },
        {
          name: "scripts/wipe.ps1",
          description: null,
          runtime: null,
          parameters: { type: "object" },
          runnable: false,
          reason: "there is no PowerShell",
          packed: { runtime: null, parameters: { type: "object" }, ...COMPILED },
        },
      ]);
    });

    it("lists nothing for a skill that has nothing", async () => {
      expect([await tides.listResources(), await tides.listScripts()]).toEqual([[], []]);
    });

    it("gives a skill the digest of its paths and bytes, whoever serves it", () => {
      const digests: (Digest | null)[] = [tides.digest, converter.digest];
      expect(digests).toEqual([
        "sha256:5f5379ad22b38bbf05eeaa9737cc6a39c0bdc821d4a125594019a123ee961f74",
        "sha256:5158431503e47af68b975078355474ed52dc59b8336c3d11b1b1dbee312c86b0",
      ]);
    });
  });
}
