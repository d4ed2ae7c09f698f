/** npm packages in a skill's `node_modules`: compiled into its scripts, never packed as files. */
import { realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileJavaScript } from "../../../src/pack/compile-javascript.ts";
import { NpmPackages } from "../../../src/pack/javascript/npm-packages.ts";
import { packSkills } from "../../../src/pack/pack.ts";
import { PackMemory } from "../../../src/pack/pack-memory.ts";
import { manifest, plant } from "../../helpers/directories.ts";
import { runCompiled } from "../../helpers/run-compiled.ts";
import { REPOSITORY } from "../../repo/support/source-files.ts";

const json = (value: object): string => JSON.stringify(value);

/** What a script of a skill logs when it was compiled with the packages that lie beside it. */
async function logged(directory: string, script: string): Promise<string[]> {
  const path = "scripts/a.mjs";
  plant({ [path]: script }, directory);
  const files = new Map([[path, new TextEncoder().encode(script)]]);
  const made = await compileJavaScript({ path, files, npm: new NpmPackages(realpathSync(directory)) });
  return "code" in made ? runCompiled(made.code) : [made.error.message];
}

const PACKAGES = {
  "node_modules/modern/package.json": json({
    name: "modern",
    type: "module",
    exports: { ".": "./index.js", "./deep": "./lib/deep.js" },
    imports: { "#platform": { node: "./node.js", default: "./browser.js" } },
  }),
  "node_modules/modern/index.js":
    'import { where } from "#platform"; import old from "old"; export default where + old.n;',
  "node_modules/modern/node.js": 'export const where = "node";',
  "node_modules/modern/browser.js": 'export const where = "browser";',
  "node_modules/modern/lib/deep.js": "export default import.meta.filename;",
  "node_modules/modern/node_modules/old/package.json": json({ name: "old", main: "./lib" }),
  "node_modules/modern/node_modules/old/lib/index.js": "exports.n = require('../data.json').n;",
  "node_modules/modern/node_modules/old/data.json": json({ n: 1 }),
  "node_modules/old/package.json": json({ name: "old" }),
  "node_modules/old/index.js": "module.exports = { n: 2, strict: (function () { return this === undefined; })() };",
  "node_modules/@scope/typed/package.json": json({
    name: "@scope/typed",
    exports: { import: "./a.mjs", require: "./a.cjs" },
  }),
  "node_modules/@scope/typed/a.mjs": 'export default "import";',
  "node_modules/@scope/typed/a.cjs": 'module.exports = "require";',
};

describe("compileJavaScript() with npm packages", () => {
  it("finds them as Node.js does: exports, conditions, imports of their own, the nearest one of a name", async () => {
    const root = plant(PACKAGES);
    const script = `
      import { log } from "console"; import modern from "modern"; import deep from "modern/deep"; import old from "old";
      import typed from "@scope/typed";
      log(modern, deep, old.n, old.strict, typed);`;
    expect(await logged(root, script)).toEqual(["node1 /skill/node_modules/modern/lib/deep.js 2 false import"]);
  });

  it("compiles packages as they are published", async () => {
    const path = "scripts/a.mjs";
    const script = `
      import { log } from "console"; import * as z from "zod/mini"; import MiniSearch from "minisearch";
      import { diffWords } from "diff"; import mime from "mime"; import ignore from "ignore";
      log(z.object({ a: z.number() }).safeParse({ a: 1 }).success, MiniSearch.name,
        diffWords("a b", "a c").length, mime.getType("a.csv"), ignore().add("*.log").ignores("x.log"));`;
    const files = new Map([[path, new TextEncoder().encode(script)]]);
    const made = await compileJavaScript({ path, files, npm: new NpmPackages(realpathSync(REPOSITORY)) });
    expect("code" in made ? await runCompiled(made.code) : made).toEqual(["true MiniSearch 3 text/csv true"]);
  });

  it("follows links between them, as pnpm makes them", async () => {
    const root = plant({
      "node_modules/.store/a/node_modules/a/package.json": json({ name: "a" }),
      "node_modules/.store/a/node_modules/a/index.js": "exports.b = require('b');",
      "node_modules/.store/a/node_modules/b/index.js": "module.exports = 'of a';",
    });
    symlinkSync(".store/a/node_modules/a", join(root, "node_modules/a"));
    expect(await logged(root, 'import { log } from "console"; import { b } from "a"; log(b);')).toEqual(["of a"]);
  });

  it.each([
    ["above the skill", "node_modules/above", null],
    ["behind a link that leads out", "elsewhere/linked", "skill/node_modules/linked"],
  ])("takes none that lies %s", async (_, place, link) => {
    const name = place.split("/")[1] ?? "";
    const top = plant({ [`${place}/index.js`]: "module.exports = 1;", "skill/node_modules/own/index.js": "" });
    if (link !== null) {
      symlinkSync(join(top, place), join(top, link));
    }
    await expect(logged(join(top, "skill"), `import a from "${name}";`)).rejects.toThrow(`missing ${name}`);
  });
});

describe("packSkills() with npm packages", () => {
  const SKILL = { "a/SKILL.md": manifest("a"), "a/scripts/a.mjs": 'import old from "old"; console.log(old);' };
  const old = (value: string) => ({ "a/node_modules/old/index.js": `module.exports = ${json({ value })};` });

  it("says what is not there and how to get it, everything in one pass", async () => {
    const root = plant({
      ...SKILL,
      "a/scripts/a.mjs": 'import x from "old";\nimport y from "@my/new/deep";\nimport z from "bun:x";\n',
    });
    const packed = await packSkills({ roots: [root] }, { base: root });
    expect(packed.skills[0]?.diagnostics.map(({ line, message, hint }) => [line, message, hint])).toEqual([
      [
        1,
        'The script cannot run here: it imports "old", which the sandbox does not have (scripts/a.mjs, line 1)',
        "npm install old in the skill's directory, and it is packed into the script; without it the script is listed all the same",
      ],
      [
        2,
        'The script cannot run here: it imports "@my/new", which the sandbox does not have (scripts/a.mjs, line 2)',
        "npm install @my/new in the skill's directory, and it is packed into the script; without it the script is listed all the same",
      ],
      [
        3,
        'The script cannot run here: it imports "bun:x", which the sandbox does not have (scripts/a.mjs, line 3)',
        "it is listed all the same; do without what is missing, or route the script to a runner that has it",
      ],
    ]);
  });

  it("compiles them in, whatever was remembered, and packs no file of them", async () => {
    const root = plant({ ...SKILL, ".gitignore": "node_modules\n" });
    const memory = new PackMemory();
    const steps: readonly [what: string, change: () => void, compiled: RegExp | null][] = [
      ["none", () => undefined, null],
      ["installed", () => plant(old("first"), root), /first/],
      ["updated", () => plant(old("other"), root), /other/],
      ["gone", () => rmSync(join(root, "a/node_modules"), { recursive: true }), null],
    ];
    const digests = new Set<string>();
    for (const [what, change, compiled] of steps) {
      change();
      const quick = await packSkills({ roots: [root] }, { base: root, memory });
      expect([what, quick]).toEqual([what, await packSkills({ roots: [root] }, { base: root })]);
      const texts = [...(quick.layers[0]?.blobs.keys() ?? [])].map((digest) =>
        new TextDecoder().decode(quick.layers[0]?.blobs.get(digest)),
      );
      const [record] = texts.filter((text) => text.startsWith('{"format":1,"name"')).map((text) => JSON.parse(text));
      expect([what, record.files.map(({ path }: { path: string }) => path)]).toEqual([what, ["scripts/a.mjs"]]);
      expect([what, record.scripts[0].runnable]).toEqual([what, compiled !== null]);
      expect([
        what,
        texts.some((text) => text.startsWith("module.exports = async") && (compiled?.test(text) ?? true)),
      ]).toEqual([what, compiled !== null]);
      digests.add(record.digest);
    }
    expect(digests.size).toBe(1);
  });
});
