import { describe, expect, it } from "vitest";
import { sourceFiles, withoutComments } from "./support/source-files.ts";

const MAX_LINES = 300;

/** The first comment of a file, behind a `#!` line if there is one. */
const OPENING = /^(?:#!.*\n)?\/\*\*\s*(?:\* )?Owns /;

/** Declarations, what closes them, and whatever is indented. */
const DECLARATION =
  /^(?:$|\s|[)\]}]|\/\/|import\b|export\b|const\b|(?:async )?function\b|class\b|interface\b|type\b|declare\b)/;

const files = sourceFiles();

describe("a source file", () => {
  it("opens with a sentence that says what it owns", () => {
    const silent = files.filter((file) => !file.path.endsWith(".d.ts") && !OPENING.test(file.text));
    expect(silent.map((file) => file.path)).toEqual([]);
  });

  it(`has at most ${MAX_LINES} lines`, () => {
    const long = files.map((file) => [file.path, file.text.split("\n").length - 1] as const);
    expect(long.filter(([, lines]) => lines > MAX_LINES)).toEqual([]);
  });

  it("has no `any`", () => {
    const loose = files.filter((file) => {
      const code = withoutComments(file.text).replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');
      return /(?:[:<|&,(]|\bas|=>)\s*any\b(?!\s*[(:])/.test(code);
    });
    expect(loose.map((file) => file.path)).toEqual([]);
  });

  it("names no machine's directories", () => {
    const named = files.filter((file) => /["'`](?:\/(?:Users|root|work)\/|[A-Z]:\\\\)/.test(file.text));
    expect(named.map((file) => file.path)).toEqual([]);
  });
});

describe("a file of model", () => {
  it("only declares at its top: importing it does nothing", () => {
    const doing = files
      .filter((file) => file.room === "model")
      .flatMap((file) =>
        withoutComments(file.text)
          .split("\n")
          .filter((line) => !DECLARATION.test(line))
          .map((line) => `${file.path}: ${line}`),
      );
    expect(doing).toEqual([]);
  });
});
