import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { runCli, startEdge } from "../../../scripts/local-edge.ts";
import { directoryOf, skillMd } from "../../helpers/cli.ts";

const CLI = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url).href);
const WAIT = { timeout: 30_000, interval: 50 };
const SKILL = {
  "skills/slow/SKILL.md": skillMd("slow"),
  "skills/slow/scripts/sleep.py": 'print("begun", flush=True)\nwhile True:\n    pass\n',
};

/** The processes that a process has started, by what Linux knows of it. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").flatMap((word) => (word === "" ? [] : [Number(word)]));
}

function isAlive(pid: number): boolean {
  try {
    // One that has ended and was not collected by init yet is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function expectNoneLeft(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(0);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), WAIT);
}

async function statusOf(child: ChildProcess): Promise<number | null> {
  const [status] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
  return status as number | null;
}

function start(words: readonly string[], cwd: string): ChildProcess {
  return spawn(process.execPath, [CLI, ...words], { cwd, stdio: ["ignore", "pipe", "pipe"] });
}

describe("the process of edge-skills", { timeout: 60_000 }, () => {
  it.each(["SIGHUP", "SIGINT", "SIGTERM"] as const)(
    "dev ends with 0 on %s also while a script runs, with its tokens revoked and no process left",
    async (signal) => {
      const cwd = directoryOf(SKILL);
      const state = join(cwd, "state");
      const edge = await startEdge([join(cwd, "skills"), "--state", state, "--port", "0"]);
      const children = childrenOf(edge.process.pid ?? 0);
      const call = fetch(`${edge.url}/v1/tools/run_skill_script`, {
        method: "POST",
        headers: { Authorization: `Bearer ${edge.token}` },
        body: JSON.stringify({ skill_name: "slow", script_name: "sleep.py" }),
      }).then(
        (response) => response.text(),
        () => "cut off",
      );
      const health = await fetch(`${edge.url}/healthz`);
      expect(health.status).toBe(200);

      edge.process.kill(signal);
      expect(await statusOf(edge.process)).toBe(0);
      await expectNoneLeft(children);
      await call;
      const { stdout } = await runCli(["token", "list", "--state", state, "--json"]);
      expect(JSON.parse(stdout)).toEqual({ tokens: [] });
    },
  );

  it("dev ends with 0 on Ctrl-C, which ends its children at once as well, with its tokens revoked", async () => {
    const cwd = directoryOf(SKILL);
    const words = ["dev", "skills", "--state", "state", "--port", "0"];
    const child = spawn(process.execPath, [CLI, ...words], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const stderr = child.stderr.setEncoding("utf8").toArray();
    await vi.waitFor(() => expect(String(child.stdout.read())).toContain("Ctrl-C ends it"), WAIT);
    const children = childrenOf(child.pid ?? 0);
    // A terminal sends the signal to the whole group.
    process.kill(-(child.pid ?? 0), "SIGINT");
    expect([await statusOf(child), (await stderr).join("")]).toEqual([0, ""]);
    await expectNoneLeft(children);
    const { stdout } = await runCli(["token", "list", "--state", join(cwd, "state"), "--json"]);
    expect(JSON.parse(stdout)).toEqual({ tokens: [] });
  });

  it("dev ends with 0 when it is told to while it starts", async () => {
    const cwd = directoryOf(SKILL);
    const child = start(["dev", "skills", "--port", "0"], cwd);
    await vi.waitFor(() => expect(childrenOf(child.pid ?? 0)).not.toEqual([]), WAIT);
    const children = childrenOf(child.pid ?? 0);
    child.kill("SIGTERM");
    expect(await statusOf(child)).toBe(0);
    await expectNoneLeft(children);
  });

  it("a command that is interrupted ends with the status of its signal, and no process left", async () => {
    const cwd = directoryOf(SKILL);
    const child = start(["run", "slow", "sleep.py", "--from", "skills"], cwd);
    await vi.waitFor(() => expect(childrenOf(child.pid ?? 0).length).toBeGreaterThanOrEqual(2), WAIT);
    const children = childrenOf(child.pid ?? 0);
    child.kill("SIGINT");
    expect(await statusOf(child)).toBe(130);
    await expectNoneLeft(children);
  });

  it("ends with 0 when whoever reads its result has seen enough", async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`skills/skill-${i}/SKILL.md`, skillMd(`skill-${i}`)]),
    );
    const child = start(["list", "--from", "skills"], directoryOf(skills));
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await statusOf(child)).toBe(0);
  });

  it("passes a script's output and exit status through, and asks nobody else, whatever the settings say of callers", async () => {
    const cwd = directoryOf({
      "skills/talk/SKILL.md": skillMd("talk"),
      "skills/talk/scripts/talk.sh": 'echo "out $1"\necho err >&2\ncat data.txt > copy.txt\nexit 7\n',
      "data.txt": "given",
      "edge-skills.json": JSON.stringify({
        approval: { run_skill_script: "ask" },
        tenants: { acme: { approval: { run_skill_script: "ask" } } },
      }),
    });
    const words = ["run", "talk", "talk.sh", "--in", "data.txt", "--out", "back", "--from", "skills", "--", "--json"];
    expect(await runCli(words, { cwd })).toEqual({ status: 7, stdout: "out --json\n", stderr: "err\n" });
    expect(readFileSync(join(cwd, "back/copy.txt"), "utf8")).toBe("given");
  });

  it("tells which limits of the settings a script hit, on standard error", async () => {
    const cwd = directoryOf({
      "skills/much/SKILL.md": skillMd("much"),
      "skills/much/scripts/print.sh": "printf 0123456789\n",
      "skills/much/scripts/start.sh": "bash -c :; bash -c : 2> /dev/null; echo $?\n",
      "edge-skills.json": JSON.stringify({ limits: { output_bytes: 5, processes: 1 } }),
    });
    const run = (script: string) => runCli(["run", "much", script, "--from", "skills"], { cwd });
    expect([await run("print.sh"), await run("start.sh")]).toEqual([
      {
        status: 0,
        stdout: "01234",
        stderr: "there was more output or there were more files than the limits let through\n",
      },
      { status: 0, stdout: "254\n", stderr: "it hit the limit processes\n" },
    ]);
  });
});

describe("the package's command", () => {
  const ROOT = fileURLToPath(new URL("../../..", import.meta.url).href);

  it("runs where a package manager has copied the package to, and says nothing of its own", async () => {
    const cwd = directoryOf({ "skills/a/SKILL.md": skillMd("a") });
    const modules = join(cwd, "node_modules");
    const own = join(modules, "edge-skills");
    cpSync(join(ROOT, "src"), join(own, "src"), { recursive: true, filter: (path) => !path.endsWith("/generated") });
    cpSync(join(ROOT, "package.json"), join(own, "package.json"));
    const manifest: { bin: Record<string, string>; dependencies: object } = JSON.parse(
      readFileSync(join(own, "package.json"), "utf8"),
    );
    for (const name of Object.keys(manifest.dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
    }
    const bin = join(own, manifest.bin["edge-skills"] ?? "");
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "check", "skills"], { cwd, encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, "", "1 skill, 0 errors, 0 warnings\n"]);
  });
});
