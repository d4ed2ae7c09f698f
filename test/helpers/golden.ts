/** The skill behind test/fixtures/bundles/v1: what was encoded to the bytes committed there. Never changes; a new format gets a new one. */
import { indexEntry } from "../../src/bundle/index-format.ts";
import type { Pointer } from "../../src/bundle/pointer-format.ts";
import type { Digest } from "../../src/model/digest.ts";
import type { SkillFile, SkillRecord } from "../../src/model/record.ts";

/** A digest that is easy to tell from others. */
export function digestLike(digit: string): Digest {
  return `sha256:${digit.repeat(64)}` as Digest;
}

/** Text of the only file that travels inside the record. */
export const GOLDEN_TEXT = 'print("größer als 1 km")\n';

const script: SkillFile = {
  path: "scripts/convert.py",
  size: 27,
  digest: digestLike("c"),
  media_type: "text/x-python",
  text: true,
};

/** A record with every field, unknown ones and a key called `__proto__` among them. */
export const GOLDEN_RECORD: SkillRecord = {
  name: "unit-converter",
  aliases: ["Unit Converter", "units"],
  digest: digestLike("a"),
  description: "Converts units — length, mass.",
  frontmatter: JSON.parse(
    '{"name":"Unit Converter","description":"Converts units — length, mass.","version":"1.10","__proto__":{"x":["1","2"]}}',
  ),
  metadata: JSON.parse('{"author":"acme","__proto__":"text"}'),
  allowed_tools: ["Read", "Bash(git add:*)"],
  body: "# Units\n\nRun `scripts/convert.py`.\n",
  manifest: { path: "SKILL.md", size: 120, digest: digestLike("b"), media_type: "text/markdown", text: true },
  portable: { path: "SKILL.md", size: 118, digest: digestLike("9"), media_type: "text/markdown", text: true },
  files: [
    { path: "assets/logo.png", size: 68, digest: digestLike("d"), media_type: "image/png", text: false },
    script,
    { path: "scripts/wipe.ps1", size: 40_000, digest: digestLike("e"), media_type: "text/plain", text: true },
  ],
  scripts: [
    {
      path: "scripts/convert.py",
      description: "Converts one value",
      runtime: "python",
      parameters: { type: "object", properties: { value: { type: "number" } } },
      runnable: true,
      reason: null,
      compiled: null,
    },
    {
      path: "scripts/wipe.ps1",
      description: null,
      runtime: null,
      parameters: { type: "object" },
      runnable: false,
      reason: "the sandbox has no PowerShell",
      compiled: null,
    },
  ],
};

/** The index entries of the golden bundle. */
export const GOLDEN_ENTRIES = [
  indexEntry(GOLDEN_RECORD, digestLike("f")),
  indexEntry(
    {
      ...GOLDEN_RECORD,
      name: "agenda",
      aliases: [],
      metadata: {},
      frontmatter: { "disable-model-invocation": "true" },
      files: [],
      scripts: [],
    },
    digestLike("0"),
  ),
];

/** The golden pointer: deployed twice, then rolled back. */
export const GOLDEN_POINTER: Pointer = {
  format: 1,
  bundle: digestLike("1"),
  history: [
    { bundle: digestLike("1"), at: "2026-11-30T12:00:00.000Z", by: "ada", reason: "rollback" },
    { bundle: digestLike("2"), at: "2026-11-29T12:00:00.000Z", by: "bob", reason: "deploy" },
    { bundle: digestLike("1"), at: "2026-11-28T12:00:00.000Z", by: "ada", reason: "deploy" },
  ],
};
