/** Names: what is served, what is refused. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  characterCount,
  isPortableName,
  isUnsafeName,
  isValidName,
  servedName,
  writtenName,
} from "../../../src/model/name.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });

describe("the served name", () => {
  test("is stable: serving it again changes nothing", () => {
    fc.assert(fc.property(anyText, (text) => servedName(servedName(text)) === servedName(text)));
  });

  test("is empty or valid, unless the text is unsafe", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const served = servedName(text);
        return served === "" || isUnsafeName(text) || isValidName(served);
      }),
    );
  });

  test("does not depend on composition or outer blanks", () => {
    fc.assert(
      fc.property(anyText, (text) => servedName(` ${text.normalize("NFD")}\n`) === servedName(text.normalize("NFC"))),
    );
  });

  test("of ASCII text is portable or empty", () => {
    const ascii = fc.string({ unit: "binary-ascii", maxLength: 40 });
    fc.assert(fc.property(ascii, (text) => servedName(text) === "" || isPortableName(servedName(text))));
  });

  test.each([
    ["PDF Tools", "pdf-tools"],
    ["my_skill", "my-skill"],
    ["a/b", "a-b"],
    ["--a--b--", "a-b"],
    ["❤️ bird", "bird"],
    ["1️⃣ first", "1-first"],
    ["नमस्ते", "नमस्ते"],
    ["!!!", ""],
    ["ＦＵＬＬ", "ｆｕｌｌ"],
  ])("of %j is %j", (text, served) => {
    expect(servedName(text)).toBe(served);
  });
});

describe("an unsafe name", () => {
  test.each(["a\u202eb", "a\u200bb", "a\u200db", "a\ufeffb", "a\u001b[2J", "a\nb", "a\u2066b", "a\u3164b", "a\u00adb"])(
    "%j",
    (name) => {
      expect(isUnsafeName(name)).toBe(true);
    },
  );

  test.each(["❤️ bird", "a b", "été", "पढ़ना", "a\u2014b"])("but not %j", (name) => {
    expect(isUnsafeName(name)).toBe(false);
  });
});

test("the written name is composed and without outer white space", () => {
  expect(writtenName("\u00a0cafe\u0301\n")).toBe("café");
});

test("characters are code points", () => {
  expect(characterCount("a🐦é")).toBe(3);
});
