/** Owns skills that are broken in every way an author, an editor or an archive breaks them, for the bench of the packer. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What a broken skill is made of: a file's content, or where a link leads. */
type Content = string | Uint8Array | { readonly link: string };

const md = (frontmatter: string, body = "Follow the steps.\n"): string => `---\n${frontmatter}\n---\n${body}`;
const good = (name: string, body?: string): string => md(`name: ${name}\ndescription: What it does.`, body);

/** Ways to break a skill called `name`; each breaks or bends one rule. */
const WAYS: readonly ((name: string) => Readonly<Record<string, Content>>)[] = [
  (name) => ({ "SKILL.md": `# ${name}\n` }),
  (name) => ({ "SKILL.md": `---\nname: ${name}\n` }),
  (name) => ({ "SKILL.md": md(`name: ${name}`) }),
  (name) => ({ "SKILL.md": md(`name: ${name}\ndescription: [`) }),
  (name) => ({ "SKILL.md": md(`name: ${name}\ndescription: Use when: always`) }),
  (name) => ({ "SKILL.md": md(`name: ${name}\nname: ${name}\ndescription: x`) }),
  (name) => ({
    "SKILL.md": md(`name: ${name}\ndescription: x\n${Array.from({ length: 400 }, (_, n) => `k${n}: v`).join("\n")}`),
  }),
  (name) => ({ "SKILL.md": Buffer.from(good(name), "utf16le") }),
  (name) => ({ "SKILL.md": `\ufeff\r\n${good(name).replaceAll("\n", "\r\n")}` }),
  (name) => ({ "SKILL.md": good(name.toUpperCase()) }),
  (name) => ({ "SKILL.md": good(`"${name}\u200b"`) }),
  (name) => ({ "SKILL.md": good("the-same-name-for-many"), "notes.md": name }),
  (name) => ({
    "SKILL.md": md(`name: ${name}\ndescription: ${"x".repeat(2_000)}\nmetadata:\n  a: [1, 2]\nallowed-tools: a, b`),
  }),
  (name) => ({ "skill.md": good(name) }),
  (name) => ({ "SKILL.md": good(name), "skill.md": good(name) }),
  (name) => ({ "SKILL.md": good(name, "See [this](missing.md) and [that](../../up.md).\n") }),
  (name) => ({ "SKILL.md": good(name), "inner/SKILL.md": good("inner") }),
  (name) => ({ "SKILL.md": good(name), ".env": "KEY=1\n" }),
  (name) => ({ "SKILL.md": good(name), "a.md": { link: "nowhere.md" } }),
  (name) => ({ "SKILL.md": good(name), "a.md": { link: "/etc/hostname" } }),
  (name) => ({ "SKILL.md": good(name), "scripts/a.py": "import torch\n", "scripts/b.sh": "ffmpeg -i x\n" }),
  (name) => ({ "SKILL.md": good(name), "scripts/a.ts": "const x: = 1;\n" }),
  (name) => ({ "SKILL.md": good(name, "x\n".repeat(6_000)) }),
  (name) => ({ "SKILL.md": good(name), "aux.md": "", "a:b.md": "" }),
];

/** Writes a broken skill; `way` counts through the ways. */
export function writeBrokenSkill(directory: string, name: string, way: number): void {
  const files = WAYS[way % WAYS.length]?.(name) ?? {};
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, name, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "object" && "link" in content) {
      symlinkSync(content.link, file);
    } else {
      writeFileSync(file, content);
    }
  }
}
