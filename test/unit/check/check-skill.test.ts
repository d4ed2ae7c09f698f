/** The check as a whole: secrets, limits, order, what becomes of odd input. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { skillOf, textSkill } from "../../helpers/skill-files.ts";

const MANIFEST = "---\nname: x\ndescription: x\n---\n";
const PEM = "-----BEGIN EC PRIVATE KEY-----\nTHIS-IS-NOT-A-KEY-ONLY-A-TEST\n-----END EC PRIVATE KEY-----\n";

const codesOf = (files: Readonly<Record<string, string>>, directory = "x") =>
  checkSkill(...textSkill(directory, { "SKILL.md": MANIFEST, ...files })).diagnostics.map(({ code }) => code);

describe("a secret", () => {
  test.each([
    [".env", ""],
    ["a/.ENV.production", ""],
    [".env.example.local", ""],
    ["notes.txt", PEM],
    ["service.json", JSON.stringify({ private_key: PEM })],
    ["old.bin", `\0\0${PEM}`],
    ["windows.pem", PEM.replaceAll("\n", "\r\n")],
    ["key.asc", PEM.replace("EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK")],
    ["home/.aws/credentials", ""],
    [".git-credentials", ""],
    ["cert.p12", ""],
    [".npmrc", "//registry.test/:_authToken=abc"],
  ])("is %s", (path, text) => {
    expect(codesOf({ [path]: text })).toEqual(["secret-file"]);
  });

  test.each([
    [".env.example", ""],
    [".env.local.template", ""],
    ["env", ""],
    ["keys/id_rsa.pub", "ssh-rsa AAAA"],
    ["cert.pem", PEM.replaceAll("EC PRIVATE KEY", "CERTIFICATE")],
    ["docs.md", "It begins with `-----BEGIN PRIVATE KEY-----` and ends with `-----END PRIVATE KEY-----`."],
    ["docs.md", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----"],
    [".npmrc", "//registry.test/:_authToken=$TOKEN"],
    ["credentials", ""],
  ])("is not %s with %j", (path, text) => {
    expect(codesOf({ [path]: text })).toEqual([]);
  });
});

describe("limits", () => {
  const limits = {
    hosts: { files: 2, skillBytes: 80, fileBytes: 70 },
    storage: { files: 4, skillBytes: 160, fileBytes: 150 },
  };
  const severities = (sizes: readonly number[]) => {
    const files = sizes.map((size, n) => ({ path: `${n}.txt`, text: "x".repeat(size) }));
    const [input, options] = skillOf("x", [{ path: "SKILL.md", text: MANIFEST }, ...files]);
    return checkSkill(input, { ...options, limits }).diagnostics.map(({ code, severity }) => `${code} ${severity}`);
  };

  test.each([
    [[1], []],
    [[1, 1], ["too-many-files warning"]],
    [[1, 1, 1, 1], ["too-many-files error"]],
    [[60], ["skill-too-large warning"]],
    [[71], ["skill-too-large warning", "file-too-large warning"]],
    [[151], ["skill-too-large error", "file-too-large error"]],
  ])("for files of %j bytes give %j", (sizes, expected) => {
    expect(severities(sizes)).toEqual(expected);
  });
});

describe("odd input", () => {
  test("without a SKILL.md is an error, not an exception", () => {
    const { skill, name, diagnostics } = checkSkill(...textSkill("x", { "a.md": "" }));
    expect([skill, name, diagnostics.map(({ code }) => code)]).toEqual([null, null, ["file-unreadable"]]);
  });

  test.each(["../a", "/a", "a//b", "./a"])("the path %j is refused", (path) => {
    const { skill, diagnostics } = checkSkill(...textSkill("x", { "SKILL.md": MANIFEST, [path]: "" }));
    expect(skill).toBeNull();
    expect(diagnostics).toMatchObject([{ code: "path-not-portable", severity: "error" }]);
  });

  test("the name `__proto__` is a name like others", () => {
    const { skill } = checkSkill(
      ...textSkill("__proto__", { "SKILL.md": "---\nname: __proto__\ndescription: x\n---\n" }),
    );
    expect(skill).toMatchObject({ name: "proto", aliases: ["__proto__"] });
  });

  test("what was found before counts", () => {
    const [input, options] = textSkill("x", { "SKILL.md": MANIFEST });
    const found = [{ code: "symlink-escapes", severity: "error", message: "", file: "a" } as const];
    expect(checkSkill({ ...input, found }, options)).toMatchObject({ skill: null, name: "x", diagnostics: found });
  });
});

test("problems come sorted by file and line, the skill's own first", () => {
  const { diagnostics } = checkSkill(
    ...textSkill("x", {
      "SKILL.md": "---\ndescription: a: b\nshout: 1\nname: X y\n---\n[a](b.md)\n",
      "scripts/z.rb": "",
      "a:b.md": "",
    }),
  );
  expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
    ["yaml-repaired", 2],
    ["unknown-field", 3],
    ["name-directory-mismatch", 4],
    ["name-normalized", 4],
    ["reference-missing", 6],
    ["path-not-portable", undefined],
    ["script-not-runnable", undefined],
  ]);
});

test("files know their size, type and whether they are text", () => {
  const [input, options] = skillOf("x", [
    { path: "SKILL.md", text: MANIFEST },
    { path: "a.png", base64: "iVBORw0KGgo=" },
    { path: "data.csv", text: "é" },
    { path: "Makefile", text: "" },
    { path: "nul.txt", text: "a\0b" },
    { path: "scripts/a.ts", text: "" },
  ]);
  const { skill } = checkSkill(input, options);
  expect(skill?.manifest).toMatchObject({ path: "SKILL.md", media_type: "text/markdown", text: true });
  expect(skill?.files.map(({ path, size, media_type, text }) => [path, size, media_type, text])).toEqual([
    ["Makefile", 0, "text/plain", true],
    ["a.png", 8, "image/png", false],
    ["data.csv", 2, "text/csv", true],
    ["nul.txt", 3, "text/plain", false],
    ["scripts/a.ts", 0, "text/typescript", true],
  ]);
});
