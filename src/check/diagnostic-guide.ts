/** Owns what each diagnostic code means and how to mend it, in words for docs and code hosts. Never finds a problem. */
import type { DiagnosticCode } from "../model/diagnostics.ts";

/** One code in words. */
export interface DiagnosticGuide {
  /** What is wrong, in a few words. */
  readonly title: string;
  /** How to put it right. */
  readonly mend: string;
}

const guide = (title: string, mend: string): DiagnosticGuide => ({ title, mend });

/** Every code with its words, in the order of CONTRACT.md §2. A new code does not compile until it has a row here. */
export const DIAGNOSTIC_GUIDE = {
  "zero-skills": guide("No SKILL.md was found", "Name a directory that holds a `SKILL.md`, at any depth."),
  "skill-md-case": guide(
    "The file is not spelt `SKILL.md`",
    "Rename it to `SKILL.md`: many hosts look for that name only.",
  ),
  "not-utf8": guide(
    "SKILL.md is not UTF-8",
    "Save the file as UTF-8; a file that says UTF-16 comes from an editor's “Unicode”.",
  ),
  bom: guide(
    "SKILL.md starts with a byte order mark",
    "Save it as UTF-8 without byte order mark; other readers miss the frontmatter.",
  ),
  crlf: guide(
    "Lines end in a carriage return",
    "Nothing to do; `* text=auto` in `.gitattributes` keeps line ends alike.",
  ),
  "leading-blank": guide("Blank lines stand before the frontmatter", "Let the very first line be `---`."),
  "frontmatter-missing": guide(
    "There is no frontmatter",
    "Begin with a line `---`, then `name:` and `description:`, then a line `---`.",
  ),
  "frontmatter-unclosed": guide("The frontmatter is never closed", "Put a line `---` behind the last field."),
  "yaml-invalid": guide(
    "The frontmatter is not YAML",
    "Mend the line that is named; a text with special signs goes in quotes.",
  ),
  "yaml-repaired": guide(
    "A value holds an unquoted colon",
    "Put the value in quotes: strict readers refuse the whole skill.",
  ),
  "yaml-duplicate-key": guide(
    "A key is there twice",
    "Remove one of the two; the last one counts here, elsewhere the first or none.",
  ),
  "name-missing": guide(
    "There is no name",
    "Add `name:` with the directory's name. It is an error when that cannot be a name either.",
  ),
  "name-normalized": guide(
    "The name is not a valid name",
    "Write it in lower-case letters and digits with single hyphens; the written one still finds the skill.",
  ),
  "name-not-portable": guide(
    "The name has letters outside a–z",
    "Choose a name of a–z, 0–9 and hyphens to be listed over MCP and discovery as well.",
  ),
  "name-unsafe": guide(
    "The name holds invisible characters",
    "Type the name again: control, bidirectional and zero-width characters deceive its readers.",
  ),
  "name-too-long": guide("The name is longer than 64 characters", "Shorten it."),
  "name-directory-mismatch": guide(
    "Name and directory differ",
    "Give both the same name; until then both find the skill.",
  ),
  "description-missing": guide(
    "There is no description",
    "Say what the skill does and when to use it: that is all a model sees before it loads the skill.",
  ),
  "description-too-long": guide(
    "The description is longer than 1024 characters",
    "Shorten it; details belong in the body.",
  ),
  "compatibility-too-long": guide(
    "`compatibility` is longer than 500 characters",
    "Shorten it; details belong in the body.",
  ),
  "metadata-not-strings": guide(
    "`metadata` holds more than texts",
    "Give each key one text; what was a list or mapping is served as JSON text.",
  ),
  "allowed-tools-form": guide(
    "`allowed-tools` is not one line of names",
    "Write the names in one line, separated by blanks.",
  ),
  "unknown-field": guide(
    "A field is not in the specification",
    "Nothing, if it is meant: it is kept. Otherwise mend its spelling, or move it below `metadata`.",
  ),
  "refused-elsewhere": guide(
    "Strict readers refuse what is served here",
    "Follow the hint if other hosts are to take the skill: the reference validator of agentskills.io does not.",
  ),
  "body-long": guide("The instructions are long", "Move details into files that are read on demand, and link to them."),
  "reference-missing": guide(
    "A link leads to a file that is not there",
    "Add the file or mend the path: it counts from the skill's directory.",
  ),
  "reference-outside": guide(
    "A link leads out of the skill",
    "Copy the file into the skill: nothing above it is packed.",
  ),
  "nested-skill": guide(
    "A SKILL.md lies inside a skill",
    "Move it out to have it served; as it is, it is a file of the outer skill.",
  ),
  "duplicate-skill": guide(
    "Two skills of a layer have one name",
    "Rename or remove one; the first in path order is served.",
  ),
  "symlink-skipped": guide(
    "A link is left out",
    "Mend its target. Outside of a skill, give the directory it leads to as a root of its own.",
  ),
  "symlink-escapes": guide(
    "A link leads out of the roots",
    "Copy what it leads to into the skill: packing reads nothing outside its input.",
  ),
  "secret-file": guide(
    "A file looks like a secret",
    "Remove it or add it to `.gitignore`; a sample may be called `.env.example`.",
  ),
  "path-not-portable": guide("A path cannot be unpacked on every system", "Rename the file."),
  "path-case-collision": guide(
    "Two paths differ only in case",
    "Rename one of them: on most laptops they are one file.",
  ),
  "not-regular-file": guide("A pipe, socket or device is left out", "Remove it from the skill."),
  "file-unreadable": guide("A file cannot be read", "Allow reading it, or remove it."),
  "file-too-large": guide(
    "A file is large",
    "Above 25 MiB a file needs R2, above 100 MiB it is an error: make it smaller or leave it out.",
  ),
  "skill-too-large": guide(
    "A skill is large",
    "Above 16 MiB hosts need not take it, above 100 MiB it is an error: leave out what no one reads.",
  ),
  "too-many-files": guide(
    "A skill has many files",
    "Above 512 files hosts need not take it, above 10,000 it is an error: pack together what belongs together.",
  ),
  "script-not-runnable": guide(
    "A script cannot run in the sandbox",
    "Do without what is missing, or route the script to a runner that has it; it is listed all the same.",
  ),
} as const satisfies Record<DiagnosticCode, DiagnosticGuide>;
