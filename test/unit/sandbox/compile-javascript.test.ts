import { describe, expect, test } from "vitest";
import { compileJavaScript } from "../../../src/pack/compile-javascript.ts";
import { runCompiled as run } from "../../helpers/run-compiled.ts";

const encode = (text: string) => new TextEncoder().encode(text);

async function compile(files: Record<string, string>, path = Object.keys(files)[0] ?? "") {
  return await compileJavaScript({
    path,
    files: new Map(Object.entries(files).map(([name, text]) => [name, encode(text)])),
  });
}

async function codeOf(files: Record<string, string>): Promise<string> {
  const made = await compile(files);
  if ("error" in made) {
    throw new Error(made.error.message);
  }
  return made.code;
}

const say = "const { log } = require('console');";

describe("modules", () => {
  test("CommonJS, JSON and TypeScript files of the skill end up in one text", async () => {
    const code = await codeOf({
      "scripts/main.js": `${say} const a = require("./lib"); log(a.n, require("../data.json").v, require("./t.js").t, require("./lib") === a);`,
      "scripts/lib/index.js": "exports.n = 1;",
      "scripts/t.ts": "enum E { A = 3 } export const t: number = E.A;",
      "data.json": '{"v":2}',
    });
    expect(await run(code)).toEqual(["1 2 3 true"]);
  });

  test("what is awaited is what the script says, of a list the last", async () => {
    const code = await codeOf({
      "scripts/main.js":
        'import { log } from "node:console";\nconst one = await (0, Promise.resolve(1));\nconst two = await (async () => await (1, 2))();\nlog(one, two);',
    });
    expect(await run(code)).toEqual(["1 2"]);
  });

  test("what only parses as a module is one: no require, its own address, await at the top", async () => {
    const code = await codeOf({
      "scripts/main.js":
        "import { log } from 'node:console'; await null; log(typeof require, typeof module, import.meta.url, import.meta.dirname);",
    });
    expect(await run(code)).toEqual(["undefined undefined file:///skill/scripts/main.js /skill/scripts"]);
  });

  test("CommonJS keeps its loose mode, its names and its return", async () => {
    const code = await codeOf({
      "scripts/main.cjs": `#!/usr/bin/env node\n${say} loose = 010; log(loose, __filename, __dirname, require.main === module); return; log("never");`,
    });
    expect(await run(code)).toEqual(["8 /skill/scripts/main.cjs /skill/scripts true"]);
  });

  test("a file may declare the names that Node gives it", async () => {
    const code = await codeOf({
      "scripts/main.mjs":
        "import { log } from 'node:console'; const __filename = 'own'; const __dirname = 'dir'; const require = () => 'made'; log(__filename, __dirname, require('x'));",
    });
    expect(await run(code)).toEqual(["own dir made"]);
  });

  test("classes and functions keep their names, also beside others of the same name", async () => {
    const code = await codeOf({
      "scripts/main.mjs":
        "import { log } from 'node:console'; import { Log as Other } from './other.mjs'; class Log { static n = 1; m = Log.n; } const f = () => {}; log(Log.name, Other.name, f.name);",
      "scripts/other.mjs": "export class Log { static n = 2; m = Log.n; }",
    });
    expect(await run(code)).toEqual(["Log Log f"]);
    expect(code).not.toContain('__name(f, "f")');
  });

  test("functions in parentheses keep their names, whatever keeps them", async () => {
    const code = await codeOf({
      "scripts/main.js": `${say} const a = (function () { return (1, 2); }), b = ((x, y) => [x, y]); const c = (class {}); log(a.name, b.name, c.name, a(), b(1, 2));`,
    });
    expect(await run(code)).toEqual(["a b c 2 1,2"]);
  });

  test("modules named when the script runs, and those of createRequire, go with it; one that does not compile stays behind", async () => {
    const code = await codeOf({
      "scripts/main.cjs": `${say} const n = "b"; log(require("/skill/scripts/" + n + ".js").v);`,
      "scripts/b.js": "exports.v = 'found';",
      "scripts/broken.js": "no = = code",
    });
    expect(await run(code)).toEqual(["found"]);
    const made = await codeOf({
      "scripts/main.mjs":
        "import { createRequire } from 'node:module'; const load = createRequire(import.meta.url); load('./b.cjs');",
      "scripts/b.cjs": "exports.v = 'asked for';",
    });
    expect(made).toContain("asked for");
    expect(await codeOf({ "scripts/main.js": "import('./b.js');", "scripts/c.js": "'not asked for'" })).not.toContain(
      "not asked for",
    );
  });

  test("packages that are missing fail when they are used, not before", async () => {
    const lazily = await codeOf({
      "scripts/main.js": `${say} log("first"); try { require("docx"); } catch (e) { log(e.code, e.message); }`,
    });
    expect(await run(lazily)).toEqual(["first", "require missing docx"]);
    const sibling = await codeOf({
      "scripts/main.mjs":
        "import { log } from 'node:console'; log('usage'); if (globalThis.nope) await import('./uses-it.mjs');",
      "scripts/uses-it.mjs": "import 'elasticsearch';",
    });
    expect(await run(sibling)).toEqual(["usage"]);
  });

  test("nothing outside the skill is read", async () => {
    const code = await codeOf({
      "scripts/main.js": `${say} for (const p of ["x"]) try { require("../../../etc/passwd"); } catch (e) { log(e.message); }`,
    });
    expect(await run(code)).toEqual(["missing ../../../etc/passwd"]);
    expect(code).not.toContain("root:");
  });

  test("an import of what is only known when it runs asks the sandbox", async () => {
    const code = await codeOf({ "scripts/main.mjs": "const n = 'pa' + 'th'; await import(n);" });
    await expect(run(code)).rejects.toThrow("asked for path");
  });
});

describe("what is put into a text", () => {
  const IMPORTS = [
    "const f = () => import(x);",
    "const f = (y = import(x)) => () => import(y), g = async () => await import(f);",
    "const f = () => import(x).then(() => import(import(x)));",
    "const f = () => /* import(x) */ import(x, { with: { type: 'json' } }); // import(x)",
    `const f = () => \`import(\${import(x)}) \${\`\${() => import(x)}\`}\`;`,
    "const f = () => ({ ...import(x), f: () => ({}) });",
    "if (x) for (;;) import(x); else do import(x); while (import(x));",
    "for (const f of [() => import(x), () => import(x)]) for (;;) (f) => import(f); import(x);",
    "a: for (;;) for (const f in import(x)) for (;;) { continue a; } for (;;); import(x);",
    "class A { a = () => import(x); static b = import(x); #c = (y = import(x)) => import(y); static { for (;;) import(x); } get d() { return import(x); } }",
    "function f() { 'use strict'\nimport(x); return () => import(x) }",
  ];
  const REQUIRES = [
    "const t = async (n, f) => f(); await t('require', () => require('node:fs')); \nrequire('child_process').execSync('x')",
    `\`\${require('a')}\${\`\${require('b')}\`} require('c')\`; /* require('d') */ require('e'); // require`,
    "const o = { require, a: require }, { require: b } = o; o.require;",
    "class A { require = require; static require() { return require('x'); } #require = () => require; }",
    "new require('x'); require`a`; require?.('x'); require = 1; ({ require } = {}); typeof require;",
    "require: for (;;) require('x'); for (;;) break;",
    "const f = () => require, g = (require) => require('x'); try { require; } catch (require) { require('x'); }",
    "{ const { require } = {}; require('x'); } function f([require]) { require('x'); } require('y');",
    "export { x as require }; const x = 1; export default require;",
    "requ\\u0069re('x'); import.meta.require; import.meta;",
  ];
  test.each([
    ...IMPORTS.map((source) => ["scripts/main.js", source] as const),
    ...[...IMPORTS, ...REQUIRES].map((source) => ["scripts/main.mjs", source] as const),
    ...REQUIRES.map((source) => ["scripts/main.ts", `export {}; ${source}`] as const),
  ])("keeps it a script: %s: %s", async (path, source) => {
    const code = await codeOf({ [path]: source });
    expect(() => new Function("module", code)).not.toThrow();
  });

  test.each([
    ["scripts/main.mjs", ""],
    ["scripts/main.mts", "type A = 1;\n\n"],
  ])("a free require is not defined, one of the script's own is: %s", async (path, head) => {
    const code = await codeOf({
      [path]: `${head}import { log } from "node:console"; const tell = (f) => { try { f(); } catch (e) { log(e.name + ": " + e.message); } };
        tell(() => require("fs")); tell(() => [{ require }]); tell(() => require.resolve("fs"));
        log(typeof require, ((require) => require)(1), { require: 2 }.require, (() => { const [require] = [3]; return require; })());
        class A { require = 4; } log(new A().require, \`\${typeof require} require\`);
        const mark = 42;`,
    });
    const none = "ReferenceError: require is not defined";
    expect(await run(code)).toEqual([none, none, none, "undefined 1 2 3", "4 undefined require"]);
    const { at } = JSON.parse(/module\.exports\.lines = (.*);/.exec(code)?.[1] ?? "{}") as { at: number[] };
    const row = code.split("\n").findIndex((line) => line.includes("mark = 42"));
    expect(at[row * 2 + 1]).toBe(head.split("\n").length + 4);
  });

  test("import.meta can be taken apart", async () => {
    const code = await codeOf({
      "scripts/main.mjs":
        "import { log } from 'node:console'; const { url, dirname } = import.meta; log(url, dirname, import.meta.env);",
    });
    expect(await run(code)).toEqual(["file:///skill/scripts/main.mjs /skill/scripts undefined"]);
  });
});

describe("ticks", () => {
  test.each([
    "for (;;) {}",
    "while (true);",
    "do {} while (true)",
    "for (const x of (function* () { while (1) yield 1; })()) x;",
    "const f = () => f(); try { f(); } catch { f(); }",
    "const f = (n) => n > 0 ? f(n - 1) + f(n - 1) : 1; f(90);",
    "while (true) { try { while (true) {} } catch { continue; } }",
    "label: for (;;) for (;;) continue label;",
    "class A { static m() { return A.m(); } } try { A.m() } catch { for (;;); }",
  ])("%s", async (source) => {
    await expect(run(await codeOf({ "scripts/main.js": source }), 10_000)).rejects.toThrow("out of ticks");
  });

  test("code means the same with them", async () => {
    const code = await codeOf({
      "scripts/main.js": `${say}
        const o = () => ({ a: 1 }), s = () => (1, 2), d = (x = 1) => x;
        let n = 0; for (let i = 0; i < 3; i++) n += i; for (const k in { a: 1 }) n++; do n++; while (n < 7);
        if (n) for (const x of [1]) n += x; else n = 0;
        function strict() { "use strict"; return this === undefined; }
        log(o().a, s(), d(), n, strict(), [1, 2].map((x) => x * 2), (() => { return 3 })());`,
    });
    expect(await run(code)).toEqual(["1 2 1 8 true 2,4 3"]);
  });
});

describe("what is awaited", () => {
  test("means the same, wherever it stands", async () => {
    const code = await codeOf({
      "scripts/main.mjs": `import { log } from "node:console";
        const later = async (value) => value, nested = async () => await (await later(later))(1);
        const arrow = async (x) => await later(await x), parts = async () => [await 1, ...(await later([2]))];
        class A { async *each() { yield await later(3); for await (const x of [later(4)]) yield x; } }
        const seen = []; for await (const x of new A().each()) seen.push(x);
        const failed = await later(Promise.reject(new Error("no"))).catch((e) => e.message);
        const thenable = await { then: (go) => go("then") };
        log(await nested(), await arrow(later(2)), (await parts()).join(), seen.join(), failed, thenable);
        log(-((await 5) ** 2), await (async () => 6)(), \`\${await later(7)}\`, (await later({ a: { b: 8 } })).a.b, await (0, later)(9));
        try { await Promise.reject(new Error("caught")); } catch (e) { log(e.message); } finally { await null; }`,
    });
    expect(await run(code)).toEqual(["1 2 1,2 3,4 no then", "-25 6 7 8 9", "caught"]);
  });

  test("goes through the sandbox, and costs a script nothing that awaits nothing", async () => {
    const code = await codeOf({ "scripts/main.mjs": "await (await 1);" });
    expect(code).toContain("await __es_awaited(await __es_awaited(1))");
    expect(await codeOf({ "scripts/main.js": "async () => 1;" })).not.toContain("__es_awaited");
  });
});

describe("outcome", () => {
  test("the same files give the same text, in any order", async () => {
    const files = { "scripts/main.js": "require('./a'); require('./b');", "scripts/a.js": "1", "scripts/b.js": "2" };
    const turned = new Map(
      Object.entries(files)
        .reverse()
        .map(([name, text]) => [name, encode(text)]),
    );
    const again = await compileJavaScript({ path: "scripts/main.js", files: turned });
    expect(again).toEqual(await compile(files));
  });

  test("an error says where it is", async () => {
    expect(await compile({ "scripts/main.js": "require('./b')", "scripts/b.js": "\nconst = 1;" })).toEqual({
      error: { message: expect.stringContaining("Expected identifier"), file: "scripts/b.js", line: 2 },
    });
  });

  test("lines lead back to the files they came from", async () => {
    const code = await codeOf({ "scripts/main.ts": "type A = 1;\n\nconst mark: number = 42;\n" });
    const lines = JSON.parse(/module\.exports\.lines = (.*);/.exec(code)?.[1] ?? "{}") as {
      files: string[];
      at: number[];
    };
    const row = code.split("\n").findIndex((line) => line.includes("mark = 42"));
    expect([lines.files[lines.at[row * 2] ?? -1], lines.at[row * 2 + 1]]).toEqual(["/skill/scripts/main.ts", 3]);
  });
});

describe("a CommonJS script's first word", () => {
  const strictness = async (head: string) => {
    const [said] = await run(
      await codeOf({ "a.cjs": `${head}require("node:console").log((function () { return this === undefined; })());` }),
    );
    return said;
  };

  test("is found behind comments, however they are written", async () => {
    expect(await strictness('// a\n/* b */ /**/\n"use strict";\n')).toBe("true");
    expect(await strictness('// a\n/* "use strict"; */\n')).toBe("false");
    expect(await compile({ "a.cjs": `/*${"*///r\n".repeat(5_000)}` })).toHaveProperty("error");
  });
});
