/** Owns `edge-skills export`: one skill as an archive that every host takes, its files at the root. */

import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Option } from "commander";
import { type ArchiveFile, tarArchive, zipArchive } from "../../bundle/skill-archive.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { makeDirectory } from "../../pack/make-directory.ts";
import type { CommandSpec } from "../command.ts";
import { FROM_FLAG } from "../edge-session.ts";
import { CONFIG_FLAG, isOn, JSON_FLAG, STATE_FLAG, TENANT_FLAG, tenantFlag, textFlag } from "../flags.ts";
import { readSkillFiles } from "../packed-files.ts";

const OUT_FLAG = new Option(
  "-o, --out <file>",
  "where to write it: .zip, .skill, .tar.gz or .tgz",
).makeOptionMandatory();

/** How an archive is made, by the end of its name. */
const FORMATS: readonly (readonly [pattern: RegExp, make: (files: readonly ArchiveFile[]) => Uint8Array])[] = [
  [/\.(?:zip|skill)$/i, zipArchive],
  [/\.(?:tar\.gz|tgz)$/i, tarArchive],
];

export const exportSkill: CommandSpec = {
  name: "export",
  summary: "write one skill as an archive, files at its root; importing it gives the same digest",
  arguments: [["<skill>", "its name"]],
  options: [OUT_FLAG, FROM_FLAG, TENANT_FLAG, STATE_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: [
    "export unit-converter -o unit-converter.zip --from skills-bundle",
    "export refund -o refund.tar.gz --tenant tenant-a",
  ],
  async run([name], flags, context) {
    const out = textFlag(flags, "out");
    const make = FORMATS.find(([pattern]) => pattern.test(out))?.[1];
    if (make === undefined) {
      throw new SkillsError("usage", `Cannot export to "${out}": its name ends in none of .zip, .skill, .tar.gz, .tgz`);
    }
    const file = resolve(context.cwd, out);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      throw new SkillsError("usage", `Cannot export to "${out}": it is a directory`);
    }
    const skill = await readSkillFiles(String(name), tenantFlag(flags), flags, context);
    const bytes = make(skill.files);
    writeWhole(file, bytes);
    if (isOn(flags, "json")) {
      const files = skill.files.map(({ path }) => path);
      context.terminal.json({ name: skill.name, digest: skill.digest, path: out, size: bytes.byteLength, files });
    } else {
      context.terminal.result(skill.digest);
      context.terminal.say(
        `Exported ${skill.name}, ${counted(skill.files.length, "file")}, ${bytes.byteLength} bytes to ${out}`,
      );
    }
    return 0;
  },
};

/** Beside its place first, so that nobody ever sees half of it. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const part = `${file}.${process.pid}.part`;
  try {
    makeDirectory(dirname(file));
    writeFileSync(part, bytes);
    renameSync(part, file);
  } catch (cause) {
    rmSync(part, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SkillsError("storage-unavailable", `Cannot write "${file}": ${reason}`, { cause });
  }
}
