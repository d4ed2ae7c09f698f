/** The fast reader of plain frontmatters says exactly what the YAML package says, or nothing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPlainYaml } from "../../../src/check/yaml-plain.ts";
import { readYaml, type YamlReading } from "../../../src/check/yaml-read.ts";
import { toJsonObject } from "../../../src/check/yaml-value.ts";

const said = (reading: YamlReading | null) =>
  reading && JSON.stringify([toJsonObject(reading.mapping), [...reading.duplicates], [...reading.places]]);

describe("readPlainYaml()", () => {
  test.each([
    "name: bird-log\ndescription: Notes (which) birds, when & where at http://x.test/#a\nlicense: MIT\n",
    'name: "a: b # c"\ndescription: \'it is "so"\'\nempty: ""\n',
    "name: x\nmetadata:\n  version: 1.10\n  author: Ada – Größe 茶\nallowed-tools: Bash(git:*) Read\n",
    "metadata:\n    deep: yes\n",
    "true: false\nnull: 1\n",
  ])("reads %j as the package does", (text) => {
    expect(said(readPlainYaml(text))).toBe(said(readYaml(text)));
    expect(readPlainYaml(text)).not.toBeNull();
  });

  test.each([
    "",
    "\n",
    "a: b",
    "a:\n",
    "a:\nb: c\n",
    "a: b\n  c: d\n",
    "a: b\na: c\n",
    "a:\n  b: c\n  b: d\n",
    "a:\n  b: c\n   d: e\n",
    "a:\n  b:\n    c: d\n",
    "a: b # c\n",
    "a: b: c\n",
    "a: b:\n",
    "a: b \n",
    "a: [b]\n",
    "a: >\n  b\n",
    "a: *b\n",
    "# c\na: b\n",
    "a: b\n\nc: d\n",
    "a: 'b''c'\n",
    'a: "b\\n"\n',
    'a: "b\nc: d"\n',
    "a:\tb\n",
    "a: b\tc\n",
    "a : b\n",
    "? a\n: b\n",
    "- a: b\n",
    "a: b\n---\n",
    "a: \u00a0b\n",
    "a: \u2028\n",
    "a: 🐦\n",
  ])("leaves %j to the package", (text) => {
    expect(readPlainYaml(text)).toBeNull();
  });

  test("never says anything else than the package, whatever the text", () => {
    const part = fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        "name",
        ":",
        ": ",
        " ",
        "  ",
        "\n",
        "\n",
        "#",
        " #",
        "'",
        '"',
        "\\",
        "-",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a",
        "*a",
        "!",
        "|",
        ">",
        "1",
        "é",
        "茶",
        "(",
        "/",
        "---",
        "~",
        "%",
        "@",
        "?",
      ),
      fc.constantFrom("a: b\n", "b: c\n", "  c: d\n", "meta:\n", 'd: "x"\n', "e: 'y z'\n", "f: g h\n"),
      fc.string({ unit: "binary", maxLength: 2 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = `${parts.join("")}\n`;
        const fast = readPlainYaml(text);
        if (fast !== null) {
          expect(said(fast)).toBe(said(readYaml(text)));
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
