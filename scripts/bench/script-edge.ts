/** Owns the edge that scripts are measured at: as deployed, with skills written for it, and what the same scripts take natively. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli, startReady } from "../local-edge.ts";

const EDGE = fileURLToPath(new URL("deployed-edge.ts", import.meta.url));

/** The interpreter itself: what a shell finds first may be a shim that starts it slowly. */
export const PYTHON = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout.trim();

/** Contents by path, as `skills/<skill>/<path>` each. */
export type SkillTexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A script of a skill. */
export interface Measured {
  readonly skill: string;
  readonly script: string;
  /** The program that runs it natively. */
  readonly native: string;
  /** Default: a token whose JavaScript runs have an isolate each. */
  readonly token?: string;
}

/** A running edge with its skills. */
export interface ScriptEdge {
  /** Milliseconds of a run. Throws when it fails. */
  run(measured: Measured): Promise<number>;
  /** Milliseconds of the same script in a subprocess. Throws when it fails. */
  native(measured: Measured): Promise<number>;
  /** Reads the skill, so that the edge knows it: what is left to be cold is the runner. */
  load(skill: string): Promise<void>;
  /** A token of a tenant. */
  token(tenant: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts an edge of its own, with a runner that has run nothing yet.
 * @param settings what `edge-skills.json` holds; paths in it are absolute
 */
export async function startScriptEdge(skills: SkillTexts, settings: object = {}): Promise<ScriptEdge> {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  const pathOf = (skill: string, path: string): string => join(directory, "skills", skill, path);
  for (const [skill, texts] of Object.entries(skills)) {
    const manifest = `---\nname: ${skill}\ndescription: Scripts that are measured.\n---\nRun them.\n`;
    for (const [path, text] of Object.entries({ "SKILL.md": manifest, ...texts })) {
      mkdirSync(dirname(pathOf(skill, path)), { recursive: true });
      writeFileSync(pathOf(skill, path), text);
    }
  }
  const file = join(directory, "edge-skills.json");
  writeFileSync(file, JSON.stringify(settings));
  const state = join(directory, "state");
  const { status, stderr } = await runCli(["deploy", join(directory, "skills"), "--state", state, "--config", file]);
  if (status !== 0) {
    throw new Error(stderr);
  }
  const edge = await startReady([EDGE, state, file]);

  const ask = async (tool: string, body: object, token = edge.token): Promise<void> => {
    const response = await fetch(`${edge.url}/v1/tools/${tool}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { is_error: boolean; content: string };
    if (answer.is_error) {
      throw new Error(answer.content);
    }
  };
  return {
    run: ({ skill, script, token }) =>
      timed(() => ask("run_skill_script", { skill_name: skill, script_name: script }, token)),
    native: ({ skill, script, native }) => timed(() => runNatively(native, pathOf(skill, `scripts/${script}`))),
    load: (skill) => ask("load_skill", { skill_name: skill }),
    token: async (tenant) => {
      const response = await fetch(`${edge.url}/v1/tokens?tenant=${tenant}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${edge.operator_token}` },
        body: JSON.stringify({ scopes: ["read", "run"] }),
      });
      return ((await response.json()) as { token: string }).token;
    },
    stop: async () => {
      await edge.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function runNatively(program: string, path: string): Promise<void> {
  const child = spawn(program, [path], { stdio: ["ignore", "ignore", "inherit"] });
  const [status] = await once(child, "exit");
  if (status !== 0) {
    throw new Error(`${program} ${path} ended with ${status}`);
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
