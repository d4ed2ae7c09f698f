/** Every case of trees.json through the packer, on real directories with links and pipes. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeIndex } from "../../../src/bundle/index-format.ts";
import { decodeRecord } from "../../../src/bundle/record-format.ts";
import type { SkillRecord } from "../../../src/model/record.ts";
import { type Packed, packSkills } from "../../../src/pack/pack.ts";
import { readCases } from "../../helpers/cases.ts";
import { type CaseFile, filesOf } from "../../helpers/skill-files.ts";

interface TreeFile extends CaseFile {
  readonly symlink?: string;
  readonly fifo?: boolean;
  readonly dir?: boolean;
  readonly mode?: string;
}

interface Case {
  readonly id: string;
  readonly input: {
    readonly files: readonly TreeFile[];
    readonly roots?: readonly string[];
    readonly layers?: readonly { readonly name: string; readonly roots: readonly string[] }[];
    readonly again?: { readonly files: readonly TreeFile[] };
  };
  readonly expect: {
    readonly skills: readonly {
      readonly name: string;
      readonly path: string;
      readonly layer?: string;
      readonly files?: readonly string[];
      readonly files_count?: number;
      readonly scripts?: readonly string[];
      readonly runtimes?: Readonly<Record<string, string>>;
      readonly not_runnable?: readonly string[];
    }[];
    readonly codes: readonly { readonly skill: string | null; readonly code: string; readonly severity: string }[];
    readonly again?: "same-digest" | "other-digest";
  };
}

const temporary: string[] = [];
afterAll(() => {
  for (const directory of temporary) {
    rmSync(directory, { recursive: true, force: true });
  }
});

function plant(files: readonly TreeFile[]): string {
  const top = mkdtempSync(join(tmpdir(), "edge-skills-tree-"));
  temporary.push(top);
  for (const file of files) {
    const at = join(top, file.path ?? "");
    mkdirSync(dirname(at), { recursive: true });
    if (file.dir) {
      mkdirSync(at, { recursive: true });
    } else if (file.symlink !== undefined) {
      symlinkSync(file.symlink, at);
    } else if (file.fifo) {
      execFileSync("mkfifo", [at]);
    } else {
      for (const [path, bytes] of filesOf([file])) {
        mkdirSync(dirname(join(top, path)), { recursive: true });
        writeFileSync(join(top, path), bytes);
      }
      if (file.mode) {
        chmodSync(at, Number.parseInt(file.mode, 8));
      }
    }
  }
  return top;
}

function pack(top: string, { roots = [], layers }: Case["input"]): Promise<Packed> {
  const below = (paths: readonly string[]) => paths.map((path) => join(top, path));
  const request = layers
    ? { layers: layers.map((layer) => ({ name: layer.name, roots: below(layer.roots) })) }
    : { roots: below(roots) };
  return packSkills(request, { base: top, compile: async () => ({ code: "" }) });
}

function records(packed: Packed): Map<string, SkillRecord> {
  return new Map(
    packed.layers.flatMap(({ name, index, blobs }) =>
      decodeIndex(index).skills.map((entry) => {
        const { record } = decodeRecord(blobs.get(entry.record) ?? new Uint8Array());
        return [`${name}/${entry.name}`, record] as const;
      }),
    ),
  );
}

describe("trees.json", () => {
  test.each(readCases<Case>("trees"))("$id", async ({ input, expect: wanted }) => {
    const packed = await pack(plant(input.files), input);
    const byName = records(packed);
    const served = packed.skills.filter(({ ok, served }) => ok && served !== false);

    expect(served.map(({ name, path }) => ({ name, path }))).toEqual(
      wanted.skills.map(({ name, path }) => ({ name, path })),
    );
    for (const [index, skill] of wanted.skills.entries()) {
      const record = byName.get(`${served[index]?.layer}/${skill.name}`);
      const scripts = record?.scripts ?? [];
      const files = record?.files.map(({ path }) => path);
      expect(served[index]?.layer).toBe(skill.layer ?? "platform");
      expect(files).toEqual(skill.files ?? files);
      expect(files).toHaveLength(skill.files_count ?? files?.length ?? 0);
      expect(scripts.map(({ path }) => path)).toEqual(skill.scripts ?? []);
      expect(scripts.filter(({ runnable }) => !runnable).map(({ path }) => path)).toEqual(skill.not_runnable ?? []);
      const runtimes = Object.fromEntries(scripts.map(({ path, runtime }) => [path, runtime]));
      expect(runtimes).toMatchObject(skill.runtimes ?? {});
    }
    const codes = [
      ...packed.diagnostics.map(({ code, severity }) => ({ skill: null, code, severity })),
      ...packed.skills.flatMap(({ path, diagnostics }) =>
        diagnostics.map(({ code, severity }) => ({ skill: path, code, severity })),
      ),
    ].filter(({ severity }) => severity !== "info");
    const asSet = (items: readonly object[]) => [...new Set(items.map((item) => JSON.stringify(item)))].sort();
    const keyed = wanted.codes.map(({ skill, code, severity }) => ({ skill, code, severity }));
    expect(asSet(codes)).toEqual(asSet(keyed));

    if (input.again) {
      const again = await pack(plant(input.again.files), input);
      expect(again.digest === packed.digest).toBe(wanted.again === "same-digest");
    }
  });
});
