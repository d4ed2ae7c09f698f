/** The skills that the HTTP tests deploy: one of each kind of file, and scripts that the stand-in runner knows. */
import type { SkillSpec } from "../../helpers/pack-skills.ts";

export const RATES = "from,to\nkm,mi\n";

/** Text over what travels inside a record, so that it is read from its blob. */
export const LONG_TEXT = "0123456789".repeat(2_000);

export const LOGO = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3);

const SCRIPTS = ["convert", "busy", "throw", "nothing", "foreign", "network"].map((name) => `scripts/${name}.py`);

export const CONVERTER: SkillSpec = {
  name: "Unit Converter",
  description: "Converts <units>.",
  body: "# Units\n\nRun `scripts/convert.py`.\n",
  frontmatter: { license: "MIT", "x-note": ["1", "2"] },
  metadata: { author: "acme" },
  allowedTools: ["Read", "Bash(git add:*)"],
  files: [
    { path: "data/rates.csv", content: RATES, mediaType: "text/csv" },
    { path: "data/long.txt", content: LONG_TEXT },
    { path: "assets/logo.png", content: LOGO, mediaType: "image/png" },
    { path: "assets/page.html", content: "<script>alert(1)</script>", mediaType: "text/html" },
    { path: "assets/drawing.svg", content: "<svg onload='x'/>", mediaType: "image/svg+xml" },
    { path: "notes/größe (1).md", content: "# Größe\n", mediaType: "text/markdown" },
    ...SCRIPTS.map((path) => ({ path, content: `print("${path}")\n`, mediaType: "text/x-python" })),
  ],
  scripts: [
    ...SCRIPTS,
    { path: "data/long.txt", runtime: null, runnable: false, reason: "there is no such language here" },
  ],
};
