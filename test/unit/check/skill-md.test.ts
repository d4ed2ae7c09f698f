/** Every case of skill-md.json through the check. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import type { JsonValue } from "../../../src/model/record.ts";
import { readCases } from "../../helpers/cases.ts";
import { type CaseFile, skillOf } from "../../helpers/skill-files.ts";

interface Case {
  readonly id: string;
  readonly input: { readonly dir: string; readonly files: readonly CaseFile[] };
  readonly expect: {
    readonly ok: boolean;
    readonly codes: readonly string[];
    readonly info?: readonly string[];
    readonly messages?: Readonly<Record<string, string>>;
    readonly name?: string;
    readonly aliases?: readonly string[];
    readonly description?: string;
    readonly license?: string;
    readonly compatibility?: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly allowed_tools?: readonly string[];
    readonly extra?: Readonly<Record<string, JsonValue>>;
    readonly body?: string;
    readonly body_starts?: string;
    readonly body_ends?: string;
  };
}

const tidy = (body: string) => body.replace(/^(?:[ \t]*\n)+/, "").trimEnd();

describe("skill-md.json", () => {
  test.each(readCases<Case>("skill-md"))("$id", ({ input, expect: wanted }) => {
    const { skill, diagnostics } = checkSkill(...skillOf(input.dir, input.files));

    const codes = new Set(diagnostics.filter(({ severity }) => severity !== "info").map(({ code }) => code));
    expect([...codes].sort()).toEqual([...wanted.codes].sort());
    expect(diagnostics.map(({ code }) => code)).toEqual(expect.arrayContaining([...(wanted.info ?? [])]));
    for (const [code, part] of Object.entries(wanted.messages ?? {})) {
      const found = diagnostics.find((diagnostic) => diagnostic.code === code);
      expect(found?.message.toLowerCase()).toContain(part.toLowerCase());
    }
    expect(skill !== null).toBe(wanted.ok);
    if (skill === null) {
      return;
    }
    const actual = {
      name: skill.name,
      description: skill.description,
      license: skill.frontmatter.license,
      compatibility: skill.frontmatter.compatibility,
      metadata: Object.entries(skill.metadata),
      allowed_tools: skill.allowed_tools,
      body: tidy(skill.body),
    };
    const { name, description, license, compatibility, metadata, allowed_tools, body } = wanted;
    const given = Object.entries({
      name,
      description,
      license,
      compatibility,
      allowed_tools,
      metadata: metadata && Object.entries(metadata),
      body: body === undefined ? undefined : tidy(body),
    }).filter(([, value]) => value !== undefined);
    expect(actual).toMatchObject(Object.fromEntries(given));
    expect(skill.aliases).toEqual(expect.arrayContaining([...(wanted.aliases ?? [])]));
    for (const [key, value] of Object.entries(wanted.extra ?? {})) {
      expect(JSON.stringify(Object.getOwnPropertyDescriptor(skill.frontmatter, key)?.value)).toBe(
        JSON.stringify(value),
      );
    }
    expect(tidy(skill.body).startsWith(wanted.body_starts ?? "")).toBe(true);
    expect(tidy(skill.body).endsWith(wanted.body_ends ?? "")).toBe(true);
  });
});
