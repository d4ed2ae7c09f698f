/** Owns the skills that a load is put on: every text of an edition says which one it is, so that an answer made of two gives itself away. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const SKILL_COUNT = 12;

export const guide = (i: number): string => `guide-${i % SKILL_COUNT}`;

const LINE = "Read the report of the month and compare its totals with those of the month before.\n";

/** Writes an edition of all skills below a directory, in place of the one before. */
export function writeEdition(directory: string, edition: number): void {
  const mark = `edition-${edition}`;
  rmSync(directory, { recursive: true, force: true });
  for (let i = 0; i < SKILL_COUNT; i++) {
    const text = `${mark}\n\n${LINE.repeat(40)}\n${mark}\n`;
    const files = {
      "SKILL.md": `---\nname: ${guide(i)}\ndescription: A guide of ${mark}.\n---\n# Guide\n\n${text}`,
      "references/form.md": text,
      // Too long to travel inside a record.
      "references/long.md": `${mark}\n${LINE.repeat(500)}${mark}\n`,
      "scripts/tell.sh": `echo ${mark}\n`,
    };
    for (const [path, content] of Object.entries(files)) {
      const file = join(directory, guide(i), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }
}

/** The editions that a text is of. */
export function editionsIn(text: string): readonly string[] {
  return text.match(/edition-\d+/g) ?? [];
}
