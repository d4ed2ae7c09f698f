/** Owns the made-up skills that are measured: as a layer in memory, or as directories. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeIndex, indexEntry } from "../../src/bundle/index-format.ts";
import { encodeRecord } from "../../src/bundle/record-format.ts";
import type { DeployableLayer } from "../../src/deploy/deployable.ts";
import { digestOf } from "../../src/model/digest.ts";
import { type SkillFile, type SkillRecord, skillDigestText } from "../../src/model/record.ts";
import { BlobMap } from "../../src/pack/blob-map.ts";

/** As long as the median description of public skills. */
const DESCRIPTION =
  "Summarises what happened in a quarter from a folder of monthly reports, checks that the totals agree, and writes a page for people who were not there. Use when someone asks for a quarterly summary, an overview of several months, or a comparison with the quarter before.";

/** About 5 KB, as long as the median body. */
const BODY = Array.from(
  { length: 60 },
  (_, i) => `${i + 1}. Read the report of the month, note its totals, and compare them with those of the month before.`,
).join("\n");

export const skillName = (i: number): string => `quarterly-summary-${i}`;

/** Some skills as a packed layer of one reference file each. */
export async function generatedLayer(count: number): Promise<DeployableLayer> {
  const blobs = new BlobMap();
  const keep = async (text: string): Promise<SkillFile> => {
    const bytes = new TextEncoder().encode(text);
    const digest = await digestOf(bytes);
    blobs.addBytes(digest, bytes);
    return { path: "", size: bytes.length, digest, media_type: "text/markdown", text: true };
  };
  const entries = [];
  for (let i = 0; i < count; i++) {
    const manifest = { ...(await keep(skillMd(i))), path: "SKILL.md" };
    const reference = { ...(await keep("# Form\n\nTotal, change, remark.\n")), path: "references/form.md" };
    const record: SkillRecord = {
      name: skillName(i),
      aliases: [],
      digest: await digestOf(skillDigestText([manifest, reference])),
      description: DESCRIPTION,
      frontmatter: { name: skillName(i), description: DESCRIPTION },
      metadata: {},
      allowed_tools: [],
      body: BODY,
      manifest,
      files: [reference],
      scripts: [],
    };
    const bytes = encodeRecord(record, () => "# Form\n\nTotal, change, remark.\n");
    const digest = await digestOf(bytes);
    blobs.addBytes(digest, bytes);
    entries.push(indexEntry(record, digest));
  }
  const index = encodeIndex(entries);
  return { name: "platform", digest: await digestOf(index), index, blobs };
}

/** Writes some skills of four files each below a directory. */
export function writeSkills(directory: string, count: number): void {
  for (let i = 0; i < count; i++) {
    const skill = join(directory, skillName(i));
    mkdirSync(join(skill, "references"), { recursive: true });
    mkdirSync(join(skill, "scripts"), { recursive: true });
    writeFileSync(join(skill, "SKILL.md"), skillMd(i));
    writeFileSync(join(skill, "references/form.md"), `# Form ${i}\n\nTotal, change, remark.\n`);
    writeFileSync(join(skill, "references/example.csv"), `month,total\n1,${i}\n2,${i + 1}\n`);
    writeFileSync(
      join(skill, "scripts/total.py"),
      `import csv, sys\n\nprint(${i} + sum(float(row["total"]) for row in csv.DictReader(sys.stdin)))\n`,
    );
  }
}

function skillMd(i: number): string {
  return `---\nname: ${skillName(i)}\ndescription: ${DESCRIPTION}\nlicense: MIT\n---\n# Quarterly summary ${i}\n\n${BODY}\n`;
}
