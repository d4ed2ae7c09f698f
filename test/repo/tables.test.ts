import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_SEVERITY } from "../../src/model/diagnostics.ts";
import {
  ERROR_FACTS,
  type ErrorCode,
  type ErrorFacts,
  factsOf,
  publicMessage,
  SkillsError,
  toSkillsError,
} from "../../src/model/errors.ts";
import { AUDIT_EVENTS } from "../../src/tenancy/audit-events.ts";
import { sourceFiles } from "./support/source-files.ts";

/** CONTRACT.md §2, "Diagnostic codes". Where the contract has two severities, the milder one is the table's. */
const CONTRACT_DIAGNOSTICS = {
  error: [
    "zero-skills",
    "not-utf8",
    "frontmatter-missing",
    "frontmatter-unclosed",
    "yaml-invalid",
    "name-unsafe",
    "description-missing",
    "symlink-escapes",
    "secret-file",
    "path-case-collision",
    "file-unreadable",
  ],
  warning: [
    "skill-md-case",
    "leading-blank",
    "yaml-repaired",
    "yaml-duplicate-key",
    "name-missing",
    "name-normalized",
    "name-not-portable",
    "name-too-long",
    "name-directory-mismatch",
    "description-too-long",
    "compatibility-too-long",
    "metadata-not-strings",
    "allowed-tools-form",
    "reference-missing",
    "reference-outside",
    "nested-skill",
    "duplicate-skill",
    "symlink-skipped",
    "path-not-portable",
    "not-regular-file",
    "file-too-large",
    "skill-too-large",
    "too-many-files",
    "script-not-runnable",
  ],
  // "refused-elsewhere" is beyond the contract: what the reference validator refuses and no code of the contract names.
  info: ["bom", "crlf", "unknown-field", "refused-elsewhere", "body-long"],
};

/** Codes that CONTRACT.md and cases/README.md name, with the status they give. */
const CONTRACT_ERRORS = {
  "archive-corrupt": 422,
  "archive-encrypted": 422,
  "archive-link": 422,
  "archive-too-large": 413,
  "archive-too-many-files": 413,
  "archive-unsafe-path": 422,
  "arguments-invalid": 400,
  "bundle-gone": 409,
  "resource-not-found": 404,
  "runner-busy": 503,
  "runner-failed": 502,
  "scope-missing": 403,
  "script-not-found": 404,
  "script-not-runnable": 422,
  "skill-md-missing": 422,
  "skill-not-found": 404,
  "token-invalid": 401,
  "token-missing": 401,
};

const rows = (Object.keys(ERROR_FACTS) as ErrorCode[]).map((code): [string, ErrorFacts] => [code, factsOf(code)]);

describe("DIAGNOSTIC_SEVERITY", () => {
  it("has exactly the codes and severities of CONTRACT.md", () => {
    const expected = Object.entries(CONTRACT_DIAGNOSTICS).flatMap(([severity, codes]) =>
      codes.map((code) => [code, severity]),
    );
    expect(DIAGNOSTIC_SEVERITY).toEqual(Object.fromEntries(expected));
  });
});

describe("ERROR_FACTS", () => {
  it("has the codes of CONTRACT.md with their statuses", () => {
    const statuses = Object.fromEntries(rows.map(([code, { status }]) => [code, status]));
    expect(statuses).toMatchObject(CONTRACT_ERRORS);
  });

  it("is in the order of its codes, each in small letters and hyphens", () => {
    const codes = rows.map(([code]) => code);
    expect(codes).toEqual(codes.toSorted());
    expect(codes.filter((code) => !/^[a-z]+(?:-[a-z]+)*$/.test(code))).toEqual([]);
  });

  it("blames callers and authors with 4xx, the system with 5xx", () => {
    const wrong = rows.filter(([, { blame, status }]) => {
      const isClientError = status >= 400 && status < 500;
      return (blame === "caller" || blame === "author") !== isClientError && blame !== "operator";
    });
    expect(wrong).toEqual([]);
  });

  it("lets a request be tried again exactly where its status says so", () => {
    expect(rows.filter(([, { retry, status }]) => retry !== (status === 429 || status === 503))).toEqual([]);
  });

  it("has a title of its own for each code: one line, no final stop", () => {
    const titles = rows.map(([, { title }]) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles.filter((title) => !/^[A-Z][^\n]*[^.\n]$/.test(title))).toEqual([]);
  });

  it("has no code that nothing throws", () => {
    const text = sourceFiles()
      .filter((file) => file.path !== "src/model/errors.ts")
      .map((file) => file.text)
      .join("\n");
    expect(rows.map(([code]) => code).filter((code) => code !== "internal" && !text.includes(`"${code}"`))).toEqual([]);
  });
});

describe("publicMessage()", () => {
  it("gives a stranger the words of errors that callers and authors can mend, and only the title of others", () => {
    const told = rows.filter(
      ([code]) => publicMessage(new SkillsError(code as keyof typeof ERROR_FACTS, "words")) === "words",
    );
    const mendable = rows.filter(([, { blame }]) => blame === "caller" || blame === "author");
    expect(told).toEqual(mendable);
  });
});

describe("toSkillsError()", () => {
  it("keeps a SkillsError, also one of another copy of this package, and makes anything else internal", () => {
    const own = new SkillsError("usage", "words");
    const foreign = { [Symbol.for("edge-skills.error")]: true, code: "usage" };
    expect([toSkillsError(own) === own, toSkillsError(foreign) === (foreign as unknown)]).toEqual([true, true]);
    const cause = new TypeError("private");
    const { code, message, cause: kept } = toSkillsError(cause);
    expect([code, message, kept, publicMessage(toSkillsError(cause))]).toEqual([
      "internal",
      "private",
      cause,
      "Something went wrong here",
    ]);
    expect(toSkillsError("text").message).toBe("text");
  });
});

describe("AUDIT_EVENTS", () => {
  it("are those of docs/operations.md", () => {
    const [, section = ""] = readFileSync("docs/operations.md", "utf8").split("\n## Audit\n");
    const rows = section.split("\n## ")[0]?.match(/^\| `.*?\|/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`([a-z.]+)`/g)].map(([, name]) => name));
    expect(named).toEqual([...AUDIT_EVENTS]);
  });
});
