/** Owns one example for each diagnostic: files of a skill that give it, or words where files cannot show it. Data only. */
import type { DiagnosticCode } from "../../src/model/diagnostics.ts";

/** Files of a skill by path; a path that begins with `../` lies beside the skill. The skill's directory is called `bird-log`. */
export type ExampleFiles = Readonly<Record<string, string>>;

/** Files, or words for what a page cannot show. */
export type Example = { readonly files: ExampleFiles } | { readonly words: string };

const FIELDS = "name: bird-log\ndescription: Notes which birds were seen.";
const skill = (fields: string, body = "Write a line per bird.\n"): string => `---\n${fields}\n---\n${body}`;
const only = (text: string): Example => ({ files: { "SKILL.md": text } });
const words = (text: string): Example => ({ words: text });
const beside = (files: ExampleFiles, body?: string): Example => ({
  files: { "SKILL.md": skill(FIELDS, body), ...files },
});

export const EXAMPLES: Readonly<Record<DiagnosticCode, Example>> = {
  "zero-skills": words("A directory with a `README.md` and no `SKILL.md` anywhere below it."),
  "skill-md-case": { files: { "skill.md": skill(FIELDS) } },
  "not-utf8": words("A `SKILL.md` saved as UTF-16, or in an old code page (`café` with the byte `0xe9`)."),
  bom: words("A `SKILL.md` that begins with the bytes `EF BB BF`."),
  crlf: words("A `SKILL.md` written by an editor on Windows."),
  "leading-blank": only(`\n${skill(FIELDS)}`),
  "frontmatter-missing": only("# Bird log\n\nWrite a line per bird.\n"),
  "frontmatter-unclosed": only(`---\n${FIELDS}\n\nWrite a line per bird.\n`),
  "yaml-invalid": only(skill('name: bird-log\ndescription: "Notes which birds were seen.')),
  "yaml-repaired": only(skill("name: bird-log\ndescription: Use it outdoors: in the garden, by the sea.")),
  "yaml-duplicate-key": only(skill(`${FIELDS}\nlicense: MIT\nlicense: Apache-2.0`)),
  "name-missing": only(skill("description: Notes which birds were seen.")),
  "name-normalized": only(skill("name: Bird_Log\ndescription: Notes which birds were seen.")),
  "name-not-portable": only(skill("name: vogel-tagebücher\ndescription: Notes which birds were seen.")),
  "name-unsafe": only(skill('name: "bird\\u200b-log"\ndescription: Notes which birds were seen.')),
  "name-too-long": only(skill(`name: ${"bird-log-".repeat(8)}x\ndescription: Notes which birds were seen.`)),
  "name-directory-mismatch": only(skill("name: bird-diary\ndescription: Notes which birds were seen.")),
  "description-missing": only(skill("name: bird-log")),
  "description-too-long": words("A `description:` of 1,200 characters."),
  "compatibility-too-long": words("A `compatibility:` of 600 characters."),
  "metadata-not-strings": only(skill(`${FIELDS}\nmetadata:\n  tags:\n    - birds\n    - garden`)),
  "allowed-tools-form": only(skill(`${FIELDS}\nallowed-tools: Read, Write`)),
  "unknown-field": only(skill(`${FIELDS}\nallowed_tools: Read`)),
  "refused-elsewhere": only(skill(`${FIELDS}\nallowed-tools: Read Write\nmetadata: { season: spring }`)),
  "body-long": words("A body of 800 lines."),
  "reference-missing": only(skill(FIELDS, "The form is in [form.md](references/form.md).\n")),
  "reference-outside": only(skill(FIELDS, "The form is in [form.md](../shared/form.md).\n")),
  "nested-skill": beside({ "examples/cats/SKILL.md": "---\nname: cats\ndescription: Notes cats.\n---\n" }),
  "duplicate-skill": { files: { "SKILL.md": skill(FIELDS), "../other/SKILL.md": skill(FIELDS) } },
  "symlink-skipped": words("`references/form.md` is a link to `old/form.md`, which is gone."),
  "symlink-escapes": words("`references/form.md` is a link to `/home/ada/form.md`, outside of what is packed."),
  "secret-file": beside({ ".env": "BIRD_API_KEY=123\n" }),
  "path-not-portable": beside({ "notes/12:30.md": "Two jays.\n" }),
  "path-case-collision": beside({ "Form.md": "One form.\n", "form.md": "Another one.\n" }),
  "not-regular-file": words("A named pipe among the files of a skill."),
  "file-unreadable": words("A file whose mode keeps the packer from reading it."),
  "file-too-large": words("A video of 40 MiB under `assets/`."),
  "skill-too-large": words("Twenty fonts of 1 MiB each."),
  "too-many-files": words("A folder of 900 map tiles."),
  "script-not-runnable": beside({ "scripts/plot.py": "import matplotlib\n" }),
};
