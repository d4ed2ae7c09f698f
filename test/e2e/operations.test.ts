import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ENVIRONMENT } from "../../src/cli/flags.ts";
import { writeFiles } from "../helpers/cli.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const TEXT = readFileSync(join(ROOT, "docs/operations.md"), "utf8");

/** Every line that is to be typed, in order. */
const LINES = [...TEXT.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""]) =>
  block.split("\n").filter((line) => line !== ""),
);

/** What each line prints on standard output, beside its exit status of 0. */
const PROMISED: readonly [line: string, stdout: RegExp][] = [
  ["init my-skills/greet", /^my-skills\/greet\n$/],
  ["check my-skills --strict", /^$/],
  ["run greet greet", /Ada/],
  ["deploy my-skills", /^platform {2}live {2}sha256:\w{64} {2}new\n$/],
  ["echo", /^$/],
  ["check my-skills --strict", /^$/],
  [
    "diff live my-skills",
    /^platform {2}skills: 1 changed\n {2}~ greet {2}\d+ → \d+ bytes\n {6}~ SKILL\.md {2}\d+ → \d+ bytes\n$/,
  ],
  ["deploy my-skills --channel preview-1", /^platform {2}preview-1 {2}sha256:\w{64} {2}new\n$/],
  ["show greet --from preview-1", /^4\. Say goodbye, too\.$/m],
  ["promote preview-1", /^platform {2}live {2}sha256:\w{64} {2}was sha256:\w{64}\n$/],
  ["status", /^platform {2}sha256:\w{64} {2}1 skill {2}\S+ {2}tester\n$/],
  ["history", /^live {2}sha256:\w{64} {2}deploy {2}\S+ {2}tester\n {6}sha256:\w{64} {2}deploy {2}\S+ {2}tester\n$/],
  ["rollback", /^$/],
  ["show greet", /^(?![\s\S]*Say goodbye)greet {2}\[platform\]/],
  ["diff preview-1 live", /^platform {2}skills: 1 changed\n/],
  ["prune --dry-run", /^0 bundles and 0 blobs would be removed, 2 and 6 kept\n$/],
  ["prune --keep 10", /^0 bundles and 0 blobs removed, 2 and 6 kept\n$/],
  ["token create", /^es_platform_[\w-]{43}\n$/],
  ["token list", /^\S+ {2}read,run {2}live {2}\S+\n$/],
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-operations-"));
  writeFiles(folder, { "bin/npx": `#!/bin/sh\nshift\nexec '${process.execPath}' '${ROOT}src/cli.ts' "$@"\n` });
  chmodSync(join(folder, "bin/npx"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function typed(line: string): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, USER: "tester" };
  const child = spawn("sh", ["-ec", line], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [status]] = await Promise.all([
    child.stdout.setEncoding("utf8").toArray(),
    child.stderr.setEncoding("utf8").toArray(),
    once(child, "exit"),
  ]);
  return { status, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("docs/operations.md", () => {
  it("leads a new user from nothing to live and back, line by line", async () => {
    expect(LINES).toHaveLength(PROMISED.length);
    for (const [i, line] of LINES.entries()) {
      const [part, promised] = PROMISED[i] ?? ["", /^$/];
      const { status, stdout, stderr } = await typed(line);
      expect([line.includes(part), line, status, status === 0 ? "" : stderr]).toEqual([true, line, 0, ""]);
      expect(`${line}\n${stdout}`.slice(line.length + 1)).toMatch(promised);
    }
  });

  it("names every variable that stands for a flag, and the commands that change what is live", () => {
    expect(Object.values(ENVIRONMENT).filter((variable) => !TEXT.includes(`\`${variable}\``))).toEqual([]);
    const needed = ["deploy", "promote", "rollback", "diff", "prune", "history", "status", "completion"];
    expect(needed.filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual([]);
    expect(needed.filter((name) => !new RegExp(`\\b${name}\\b`).test(TEXT))).toEqual([]);
  });
});
