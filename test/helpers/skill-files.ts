/** Makes the input of a check from files as the acceptance cases write them. */
import { createHash } from "node:crypto";
import type { CheckOptions, InputFile, SkillInput } from "../../src/check/check-skill.ts";
import type { SandboxTable } from "../../src/check/sandbox-needs.ts";
import { type Digest, digestFromHash } from "../../src/model/digest.ts";
import { skillDigestText } from "../../src/model/record.ts";
import { NODE_MISSING } from "../../src/model/sandbox-table.ts";

/** A small sandbox, so that tests do not change when the real one learns a command. */
export const SANDBOX: SandboxTable = {
  pythonModules: new Set(["argparse", "csv", "json", "os", "pathlib", "re", "sys", "yaml"]),
  shellCommands: new Set([
    "awk",
    "bash",
    "cat",
    "curl",
    "env",
    "grep",
    "jq",
    "mktemp",
    "python3",
    "sed",
    "sort",
    "tee",
  ]),
  nodeModules: new Set(["fs", "fs/promises", "path", "child_process"]),
  nodeMissing: NODE_MISSING,
};

/** A file of a case; a `generate` with a `count` stands for many. */
export interface CaseFile {
  readonly path?: string;
  readonly text?: string;
  readonly base64?: string;
  readonly generate?:
    | { readonly head?: string; readonly repeat: string; readonly times: number; readonly tail?: string }
    | { readonly count: number; readonly pattern: string; readonly text: string };
}

/** The files of a case with their bytes. */
export function* filesOf(files: readonly CaseFile[]): Iterable<[path: string, bytes: Buffer]> {
  for (const { path = "", text, base64, generate } of files) {
    if (generate && "count" in generate) {
      for (let n = 1; n <= generate.count; n++) {
        const fill = (pattern: string) => pattern.replaceAll("{n}", String(n));
        yield [fill(generate.pattern), Buffer.from(fill(generate.text))];
      }
    } else if (generate) {
      const { head = "", repeat, times, tail = "" } = generate;
      yield [path, Buffer.from(head + repeat.repeat(times) + tail)];
    } else {
      yield [path, base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64")];
    }
  }
}

/** The digest of bytes or a text. */
export function sha256(content: Uint8Array | string): Digest {
  return digestFromHash(createHash("sha256").update(content).digest());
}

/** The arguments of `checkSkill` for a skill in the directory `directory`. */
export function skillOf(directory: string, caseFiles: readonly CaseFile[]): [SkillInput, CheckOptions] {
  const files = new Map<string, InputFile>();
  for (const [path, bytes] of filesOf(caseFiles)) {
    files.set(path, { size: bytes.byteLength, bytes, digest: sha256(bytes) });
  }
  const digest = sha256(skillDigestText([...files].map(([path, file]) => ({ path, digest: file.digest }))));
  return [{ directory, files, digest }, { sandbox: SANDBOX }];
}

/** The arguments of `checkSkill` for a skill of texts. */
export function textSkill(directory: string, texts: Readonly<Record<string, string>>): [SkillInput, CheckOptions] {
  return skillOf(
    directory,
    Object.entries(texts).map(([path, text]) => ({ path, text })),
  );
}
