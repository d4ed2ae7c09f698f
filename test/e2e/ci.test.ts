import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { decodePointer, type Pointer } from "../../src/bundle/pointer-format.ts";
import { skillMd, writeFiles } from "../helpers/cli.ts";
import { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } from "../helpers/cloudflare/account.ts";
import { CloudflareStandIn } from "../helpers/cloudflare/stand-in.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const workflow = parse(readFileSync(`${ROOT}.github/workflows/skills.yml`, "utf8")) as {
  readonly jobs: {
    readonly skills: { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] };
  };
};
const job = workflow.jobs.skills;

let folder = "";
let standIn: CloudflareStandIn;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "edge-skills-ci-"));
  standIn = await CloudflareStandIn.start();
  writeFiles(folder, {
    "bin/npx": `#!/bin/sh\nshift\nexec '${process.execPath}' '${ROOT}src/cli.ts' "$@"\n`,
    "edge-skills.json": JSON.stringify({ targets: { production: { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET } } }),
  });
  chmodSync(join(folder, "bin/npx"), 0o755);
});
afterAll(async () => {
  await standIn.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  for (const name of ["skills", "temp"]) {
    rmSync(join(folder, name), { recursive: true, force: true });
  }
  writeFiles(folder, { "temp/summary.md": "" });
});

/** What GitHub would put for the expressions of the workflow. */
function expanded(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => values[expression] ?? expect.fail(expression));
}

/** Runs the job's steps as GitHub does, but for installing; answers the last one that ran, and what it printed. */
async function runJob({ deploy, number }: { readonly deploy: boolean; readonly number: string }) {
  const values = {
    "inputs.directory": "skills",
    "inputs.target": "production",
    "github.event.number || github.run_number": number,
    "github.sha": `commit-${number}`,
    "secrets.CLOUDFLARE_API_TOKEN": API_TOKEN,
    "secrets.CLOUDFLARE_ACCOUNT_ID": ACCOUNT,
  };
  const resolved = (env: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expanded(value, values)]));
  const outcomes: { name: string; status: number; stdout: string }[] = [];
  for (const { name = "", run, if: condition, env } of job.steps) {
    const isMeant =
      run !== undefined && name !== "Install" && (condition === undefined || (condition === "inputs.deploy" && deploy));
    if (!isMeant || outcomes.some(({ status }) => status !== 0)) {
      continue;
    }
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", expanded(run, values)], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        PATH: `${join(folder, "bin")}:${process.env.PATH}`,
        GITHUB_ACTOR: "octocat",
        GITHUB_STEP_SUMMARY: join(folder, "temp/summary.md"),
        RUNNER_TEMP: join(folder, "temp"),
        CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
        EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
        ...resolved(job.env),
        ...resolved(env),
      },
    });
    const [stdout, [status]] = await Promise.all([child.stdout.setEncoding("utf8").toArray(), once(child, "exit")]);
    outcomes.push({ name, status: status as number, stdout: stdout.join("") });
  }
  return outcomes;
}

function pointer(channel: string): Pointer | null {
  const object = standIn.r2.get(`channel/platform/${channel}`);
  return object === undefined ? null : decodePointer(object.bytes);
}

describe(".github/workflows/skills.yml", () => {
  it("ends at the check when a skill has errors, with annotations at their lines, and sends nothing", async () => {
    writeFiles(folder, { "skills/bad/SKILL.md": "---\nname: bad\n---\n", "skills/good/SKILL.md": skillMd("good") });
    const outcomes = await runJob({ deploy: true, number: "6" });
    expect(outcomes).toEqual([
      {
        name: "Check",
        status: 1,
        stdout: expect.stringMatching(/^::error file=skills\/bad\/SKILL\.md,.*title=description-missing::/m),
      },
    ]);
    expect(standIn.seen).toEqual([]);
  });

  it("previews a change, tells what it changes, and leaves live alone", async () => {
    writeFiles(folder, { "skills/one/SKILL.md": skillMd("one", "first\n") });
    const outcomes = await runJob({ deploy: false, number: "7" });
    expect(outcomes.map(({ name, status }) => [name, status])).toEqual([
      ["Check", 0],
      ["Pack", 0],
      ["Tell what changes", 0],
      ["Preview", 0],
    ]);
    expect(readFileSync(join(folder, "temp/summary.md"), "utf8")).toMatch(
      /^```\nplatform {2}skills: 1 added\n {2}\+ one {2}/,
    );
    expect([pointer("live"), pointer("preview-7")?.history[0]]).toEqual([
      null,
      expect.objectContaining({ by: "octocat", commit: "commit-7" }),
    ]);
  });

  it("deploys what was previewed, byte for byte, with who and from which commit", async () => {
    writeFiles(folder, { "skills/one/SKILL.md": skillMd("one", "second\n") });
    const outcomes = await runJob({ deploy: true, number: "8" });
    expect(outcomes.at(-1)).toMatchObject({ name: "Deploy", status: 0 });
    const live = pointer("live");
    expect(live?.bundle).toBe(pointer("preview-8")?.bundle);
    expect(live?.history).toEqual([
      { bundle: live?.bundle, at: expect.any(String), by: "octocat", reason: "deploy", commit: "commit-8" },
    ]);
    expect(existsSync(join(folder, "temp/bundle/bundle.json"))).toBe(true);
  });

  it("is what docs/ci.md says", () => {
    const text = readFileSync(`${ROOT}docs/ci.md`, "utf8");
    for (const { name, run } of job.steps) {
      if (run !== undefined && name !== "Install") {
        expect(text).toContain(`| ${name}`);
      }
    }
  });
});
