import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalEdge, startEdge } from "../../scripts/local-edge.ts";
import { COMMANDS } from "../../src/cli/commands.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** The commands of each block that is to be run, but for those that install, start or test the project. */
const blocks = [...README.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map((match) => (match[1] ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("npm ")))
  .filter((lines) => lines.length > 0);

let folder = "";
let edge: LocalEdge;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  cpSync(join(ROOT, "skills-bundle"), join(folder, "skills-bundle"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npx"), `#!/bin/sh\nshift\nexec '${process.execPath}' '${ROOT}src/cli.ts' "$@"\n`);
  chmodSync(join(folder, "bin/npx"), 0o755);
  edge = await startEdge([join(folder, "skills-bundle"), "--state", join(folder, "served"), "--port", "0"]);
});
afterAll(async () => {
  await edge.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a line as somebody does who has followed README so far. */
async function run(line: string): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const typed = line.replaceAll("http://127.0.0.1:8787", edge.url).replace(/^curl /, "curl -sS --fail-with-body ");
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}`, TOKEN: edge.token };
  const child = spawn("sh", ["-ec", typed], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [status]] = await Promise.all([
    child.stdout.setEncoding("utf8").toArray(),
    child.stderr.setEncoding("utf8").toArray(),
    once(child, "exit"),
  ]);
  return { status: status as number | null, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** What README promises of a line's output. */
const PROMISED: Readonly<Record<string, RegExp>> = {
  "/v1/context": /<available_skills>/,
  "/v1/tools/load_skill": /"is_error":false/,
  "/v1/tools/read_skill_resource": /quantity,unit/,
  "/v1/tools/run_skill_script": /26\.2 miles = 42\.1648128 kilometers.*"exit_code":0.*"files":\[\]/,
  "edge-skills pack": /^sha256:[0-9a-f]{64}\n$/,
  "edge-skills deploy": /^platform {2}(?:live|preview) {2}sha256:/m,
  "edge-skills status": /^platform {2}sha256:[0-9a-f]{64} {2}6 skills /,
  "edge-skills list": /^refund {2}\[tenant-a\]/m,
  "deploy .edge-skills/bundle": /^tenant-b {2}preview {2}sha256:[0-9a-f]{64} {2}new$/m,
  "edge-skills show": /^refund {2}\[tenant-a\]/,
  "edge-skills run": /^26\.2 miles = 42\.1648128 kilometers\n$/,
  "edge-skills history": /^live {2}sha256:/,
  "edge-skills token create": /^es_tenant-a_[\w-]{43}\n$/,
};

describe("README.md", () => {
  it.each(blocks.map((lines, i) => [i + 1, lines] as const))(
    "its block %d of commands does what it promises",
    async (_, lines) => {
      for (const line of lines) {
        const outcome = await run(line);
        expect([line, outcome.status, outcome.status === 0 ? "" : outcome.stderr]).toEqual([line, 0, ""]);
        for (const [part, promised] of Object.entries(PROMISED)) {
          expect(line.includes(part) ? outcome.stdout : "").toMatch(line.includes(part) ? promised : /^$/);
        }
      }
    },
  );

  it("has in its blocks every line that something is promised of", () => {
    const lines = blocks.flat();
    expect(Object.keys(PROMISED).filter((part) => !lines.some((line) => line.includes(part)))).toEqual([]);
  });

  it("promises a demo, which plays a whole session and exits with 0", async () => {
    const child = spawn(process.execPath, [join(ROOT, "scripts/demo.ts")], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, [status]] = await Promise.all([
      child.stdout.setEncoding("utf8").toArray(),
      child.stderr.setEncoding("utf8").toArray(),
      once(child, "exit"),
    ]);
    expect([status, stderr.join("")]).toEqual([0, ""]);
    expect(stdout.join("")).toMatch(/26\.2 miles = 42\.1648128 kilometers[\s\S]*All of it was right\.\n$/);
  });
});

describe("the documents", () => {
  const files = [
    "README.md",
    "skills-bundle/README.md",
    ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
  ];
  const words = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const calls = [
      ...text.matchAll(/`(?:npx )?edge-skills ([a-z][^`]*)`/g),
      ...text.matchAll(/^npx edge-skills (.*)$/gm),
    ];
    return calls.map((match) => [file, (match[1] ?? "").replace(/\s+/g, " ")] as const);
  });

  it("name commands and flags that there are", () => {
    expect(words.length).toBeGreaterThan(10);
    const wrong = words.filter(([, text]) => {
      const command = COMMANDS.find(({ name }) => `${text} `.startsWith(`${name} `));
      const flags = text.split(" -- ")[0]?.match(/(?<= )--?[a-z][a-z-]*/g) ?? [];
      const known = command?.options.flatMap(({ long, short }) => [long, short]) ?? [];
      return command === undefined || flags.some((flag) => !known.includes(flag));
    });
    expect(wrong).toEqual([]);
  });
});
