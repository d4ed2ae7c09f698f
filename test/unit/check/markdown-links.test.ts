/** Links of Markdown: which are there, which are code, and that no text makes the search slow. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { markdownLinks } from "../../../src/check/markdown-links.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const targets = (text: string) => markdownLinks(text).map(({ target }) => target);

describe("a link", () => {
  test.each<[string, string[]]>([
    ["[a](b.md)", ["b.md"]],
    ["![a](b.png 'title')", ["b.png"]],
    ["[![a](i.png)](p.md)", ["i.png", "p.md"]],
    ["[a](<my file.md>)", ["my file.md"]],
    ["[a](x(1).md)", ["x(1).md"]],
    ["[a](x\\)y.md)", ["x)y.md"]],
    ["[a\n b](c.md)", ["c.md"]],
    ["[a]: b.md\n[c]: <d e.md> 'title'", ["b.md", "d e.md"]],
    ["- item\n  [a](b.md)", ["b.md"]],
    ["| [a](b.md) | `[x](y.md)` |", ["b.md"]],
    ["`` a ` [x](y.md) `` [a](b.md)", ["b.md"]],
    ["an odd ` quote [a](b.md)", ["b.md"]],
    ["```js\n[x](y.md)\n```\n[a](b.md)", ["b.md"]],
    ["~~~\n```\n[x](y.md)\n~~~\n[a](b.md)", ["b.md"]],
    ["1. step\n\n   ```sh\n   [x](y.md)\n   ```\n\n[a](b.md)", ["b.md"]],
    ["<!-- [x](y.md) --> [a](b.md)", ["b.md"]],
    ["<!--\n[x](y.md)\n\n-->\n[a](b.md)", ["b.md"]],
    ["`<!--` [a](b.md)", ["b.md"]],
  ])("is found in %j", (text, expected) => {
    expect(targets(text)).toEqual(expected);
  });

  test.each([
    "\\[a](b.md)",
    "a](b.md)",
    "[a] (b.md)",
    "[a](b c.md)",
    "[a](",
    "[^1]: note.md",
    "[Note]: this is text",
    "[ ] task",
    "```\n[a](b.md)",
  ])("is not in %j", (text) => {
    expect(targets(text)).toEqual([]);
  });

  test("has its place, in code points", () => {
    expect(markdownLinks("one\n\n🐦 [a](b.md)\n[c](d.md)")).toEqual([
      { target: "b.md", line: 3, column: 7 },
      { target: "d.md", line: 4, column: 5 },
    ]);
  });

  test("never throws", () => {
    const pieces = fc.constantFrom(
      "[",
      "]",
      "(",
      ")",
      "`",
      "```",
      "~~~",
      "<",
      ">",
      "\\",
      "\n",
      "\n\n",
      "a",
      " ",
      '"',
      ":",
      "<!--",
      "-->",
      "!",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 80 }), (parts) => markdownLinks(parts.join("")).length >= 0),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  "[",
  "](",
  "[](",
  "`",
  "``` ",
  "[a](<",
  "[a](b ",
  "[a](b 'c",
  "<!--",
  "[a]:",
  "\\",
  "- ",
  "[a](b\n",
  "`a``b",
])("a body of nothing but %j is read in time", { timeout: 5_000 }, (piece) => {
  markdownLinks(piece.repeat(Math.ceil(400_000 / piece.length)));
});

describe("a reference", () => {
  const codes = (link: string) =>
    checkSkill(
      ...textSkill("x", {
        "SKILL.md": `---\nname: x\ndescription: x\n---\n${link}\n`,
        "references/a.md": "",
        "100%.md": "",
        "cafe\u0301.md": "",
      }),
    ).diagnostics.map(({ code }) => code);

  test.each([
    "references/a.md?x#y",
    "/references/a.md",
    "references",
    "./",
    "100%.md",
    "caf%C3%A9.md",
    "SKILL.md",
    "a/../references/a.md",
    "HTTPS://x.test",
    "tel:1",
  ])("to %s is fine", (target) => {
    expect(codes(`[a](${target})`)).toEqual([]);
  });

  test.each([
    ["references/b.md", "reference-missing"],
    ["References/a.md", "reference-missing"],
    ["references/a.md/b", "reference-missing"],
    ["../x/references/a.md", "reference-outside"],
    ["%2e%2e/secret", "reference-outside"],
    ["a/../../b", "reference-outside"],
  ])("to %s is %s", (target, code) => {
    expect(codes(`[a](${target}) and again [b](${target})`)).toEqual([code]);
  });
});

test("a text of any number of links is read", () => {
  expect(markdownLinks("[a](b) ".repeat(300_000))).toHaveLength(300_000);
  expect(markdownLinks("[a](b)\n\n".repeat(300_000))).toHaveLength(300_000);
});
