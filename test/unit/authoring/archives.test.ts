/** Every case of archives.json through `edge-skills import`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EntrySpec, makeTarGz, makeZip } from "../../helpers/archives.ts";
import { readCases } from "../../helpers/cases.ts";
import { cliJson, directoryOf } from "../../helpers/cli.ts";
import { type CaseFile, filesOf } from "../../helpers/skill-files.ts";

interface CaseEntry extends Omit<CaseFile, "path">, Omit<EntrySpec, "name" | "bytes"> {
  readonly name?: string;
}

interface Case {
  readonly id: string;
  readonly input: {
    readonly format: "zip" | "tar.gz" | "skill";
    readonly filename?: string;
    readonly entries: readonly CaseEntry[];
    readonly cut_bytes?: number;
    readonly gzip_crc?: "wrong";
    readonly raw_base64?: string;
  };
  readonly expect: {
    readonly error?: string | readonly string[];
    readonly skills?: readonly {
      readonly name: string;
      readonly files?: readonly string[];
      readonly files_count?: number;
      readonly bytes?: Readonly<Record<string, string>>;
    }[];
    readonly codes?: readonly string[];
  };
}

interface Imported {
  readonly error?: { readonly code: string };
  readonly skills: readonly {
    readonly name: string;
    readonly path: string;
    readonly ok: boolean;
    readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
  }[];
}

function entriesOf({ name = "", ...entry }: CaseEntry): EntrySpec[] {
  if (entry.dir || entry.symlink !== undefined || entry.hardlink !== undefined || entry.type) {
    return [{ name, ...entry }];
  }
  return [...filesOf([{ ...entry, path: name }])].map(([path, bytes]) => ({
    name: path,
    bytes,
    ...(entry.flags ? { flags: entry.flags } : {}),
  }));
}

function archiveOf({ format, entries, cut_bytes = 0, gzip_crc, raw_base64 }: Case["input"]): Buffer {
  if (raw_base64 !== undefined) {
    return Buffer.from(raw_base64, "base64");
  }
  const specs = entries.flatMap(entriesOf);
  const made = format === "tar.gz" ? makeTarGz(specs, gzip_crc) : makeZip(specs);
  return made.subarray(0, made.length - cut_bytes);
}

/** The files of a skill on disk but its SKILL.md, in path order. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => path.toLowerCase() !== "skill.md")
    .sort();
}

describe("archives.json", () => {
  test.each(readCases<Case>("archives"))("$id", async ({ input, expect: wanted }) => {
    const cwd = directoryOf({});
    const filename = input.filename ?? `skill.${input.format}`;
    writeFileSync(join(cwd, filename), archiveOf(input));
    const { status, document } = await cliJson(["import", filename, "--to", "skills"], { cwd });
    const answer = document as Imported;

    if (wanted.error !== undefined) {
      expect([status, answer.error?.code]).toEqual([1, expect.anything()]);
      expect([wanted.error].flat()).toContain(answer.error?.code);
      expect(readdirSync(cwd)).toEqual([filename]);
      return;
    }
    const good = answer.skills.filter(({ ok }) => ok);
    expect(good.map(({ name, path }) => [name, path])).toEqual(
      wanted.skills?.map(({ name }) => [name, `skills/${name}`]),
    );
    expect(readdirSync(join(cwd, "skills")).sort()).toEqual(wanted.skills?.map(({ name }) => name).sort());
    for (const { name, files, files_count, bytes = {} } of wanted.skills ?? []) {
      const directory = join(cwd, "skills", name);
      const found = filesIn(directory);
      expect(found).toEqual(files ?? found);
      expect(found).toHaveLength(files_count ?? found.length);
      for (const [path, base64] of Object.entries(bytes)) {
        expect(readFileSync(join(directory, path)).toString("base64")).toBe(base64);
      }
    }
    const codes = answer.skills.flatMap(({ diagnostics }) =>
      diagnostics.filter(({ severity }) => severity !== "info").map(({ code }) => code),
    );
    expect([...new Set(codes)].sort()).toEqual([...(wanted.codes ?? [])].sort());
  });
});
