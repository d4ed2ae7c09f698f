/** Owns `edge-skills dev`: packs, serves the edge locally, watches, and deploys again on change. */

import { resolve } from "node:path";
import { Option } from "commander";
import { deploy } from "../../deploy/deploy.ts";
import { type LocalPlatform, startLocalPlatform } from "../../deploy/local-platform.ts";
import { createLocalTarget } from "../../deploy/local-target.ts";
import { type RunnerProcess, startRunnerProcess } from "../../deploy/runner-process.ts";
import type { DeployTarget } from "../../deploy/target.ts";
import { counted } from "../../model/counted.ts";
import { PLATFORM_LAYER } from "../../model/layer.ts";
import type { PackMemory } from "../../pack/pack-memory.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { EGRESS_FLAG, egressText } from "../egress-flags.ts";
import { CONFIG_FLAG, isOn, JSON_FLAG, numberFlag, STATE_FLAG, textFlag } from "../flags.ts";
import { freePort } from "../free-port.ts";
import { IssuedTokens } from "../issued-tokens.ts";
import { allowedBySettings, logTeller } from "../log-lines.ts";
import { keepPackCache, openPackCache } from "../pack-cache.ts";
import { describeProblems, directoriesOf, type PackedInput, packInput } from "../pack-input.ts";
import { WHEELS_FLAG } from "../packages-flags.ts";
import { readSettings } from "../settings.ts";
import { tellUrl, withState } from "../state-lock.ts";
import { DirectoryWatch } from "../watch-directories.ts";
import { whoDeploys } from "../who.ts";
import { openTarget } from "../with-target.ts";

const DEFAULT_PORT = 8787;
const CHANNEL = "live";
const PORT_FLAG = new Option(
  "--port <n>",
  `port on 127.0.0.1; default ${DEFAULT_PORT}, or a free one when that is taken`,
);

export const dev: CommandSpec = {
  name: "dev",
  state: "alone",
  summary: "serve skills on a local edge, and again whenever they change",
  arguments: [["[dir...]", "skill directories; default skills-bundle"]],
  options: [PORT_FLAG, WHEELS_FLAG, EGRESS_FLAG, STATE_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: ["dev", "dev ./my-skills --port 9000"],
  async run([dirs], flags, context) {
    try {
      await packAndServe(directoriesOf(dirs), flags, context);
    } catch (error) {
      // Being asked to end is how this command ends, also while it starts. What fails then has been cut off.
      if (!context.signal.aborted) {
        throw error;
      }
    }
    return 0;
  },
};

async function packAndServe(directories: readonly string[], flags: Flags, context: CommandContext): Promise<void> {
  const { terminal, cwd, signal } = context;
  // All that can be wrong with the call first, then what takes time.
  const { text, config } = readSettings(flags, context);
  const egress = egressText(flags, config, context);
  const port = await freePort(numberFlag(flags, "port"), DEFAULT_PORT);
  const state = resolve(cwd, textFlag(flags, "state"));
  // Watched before it is read, so that no change is missed.
  const watch = new DirectoryWatch(
    directories.map((directory) => resolve(cwd, directory)),
    state,
    (error) => terminal.say(`${terminal.style("yellow", "warning")} changes are not seen any more: ${error.message}`),
  );
  const work = async (): Promise<void> => {
    const memory = openPackCache(state);
    const packed = await packInput(directories, flags, context, { memory });
    keepPackCache(state, memory);
    describeProblems(packed, terminal);
    const runner = await startRunnerProcess({
      onRestart: (why) => (signal.aborted ? undefined : terminal.say(`sandbox restarted: ${why}`)),
    });
    const service = { packed, directories, memory, watch, runner, port, config: text, egress };
    await serve(service, flags, context).finally(() => runner.stop());
  };
  try {
    await withState(state, context.command, work);
  } finally {
    watch.close();
  }
}

/** What is served, and with what. */
interface Service {
  readonly packed: PackedInput;
  readonly directories: readonly string[];
  readonly memory: PackMemory;
  readonly watch: DirectoryWatch;
  readonly runner: RunnerProcess;
  readonly port: number;
  readonly config: string | null;
  readonly egress: string | null;
}

async function serve(service: Service, flags: Flags, context: CommandContext): Promise<void> {
  const { terminal, cwd, signal } = context;
  const { packed, directories, memory, watch, runner, port, config, egress } = service;
  const state = textFlag(flags, "state");
  const platform = await startLocalPlatform({
    state: resolve(cwd, state),
    port,
    runner,
    ...(config === null ? {} : { config }),
    ...(egress === null ? {} : { egress }),
    onLog: logTeller(terminal, allowedBySettings),
  });
  const target = await createLocalTarget(platform, state);
  const tokens = new IssuedTokens(target, CHANNEL);
  try {
    await deployPacked(target, packed, context);
    tellUrl(resolve(cwd, state), platform.url.origin);
    await announce(platform, packed, tokens, flags, context);
    let broken = brokenSkills(packed);
    await watch.follow(signal, async () => {
      broken = await redeploy(target, () => packInput(directories, flags, context, { memory }), broken, context);
    });
  } finally {
    await tokens.revoke(() => openTarget(state, context)).finally(() => target.close());
  }
}

async function deployPacked(target: DeployTarget, packed: PackedInput, { env }: CommandContext): Promise<void> {
  await deploy(target, packed.layers, { channel: CHANNEL, by: whoDeploys(env), now: () => new Date() });
}

/** The paths of the skills that cannot be served, and of none for what belongs to no skill. */
function brokenSkills({ skills, diagnostics }: PackedInput): ReadonlySet<string> {
  const broken = skills.filter((skill) => !skill.ok).map((skill) => skill.path);
  return new Set(diagnostics.some(({ severity }) => severity === "error") ? [...broken, ""] : broken);
}

/**
 * A broken edit is told and changes nothing: the last good bundle stays. What was broken before keeps nothing else from being served.
 * Answers what is broken in what is served now.
 */
async function redeploy(
  target: DeployTarget,
  pack: () => Promise<PackedInput>,
  before: ReadonlySet<string>,
  context: CommandContext,
): Promise<ReadonlySet<string>> {
  const { terminal } = context;
  try {
    const packed = await pack();
    describeProblems(packed, terminal);
    const broken = brokenSkills(packed);
    if ([...broken].some((path) => !before.has(path))) {
      terminal.say(
        terminal.style("yellow", "Not deployed: the skills above have errors. The last good bundle is served."),
      );
      return before;
    }
    const report = await deploy(target, packed.layers, {
      channel: CHANNEL,
      by: whoDeploys(context.env),
      now: () => new Date(),
    });
    const moved = report.layers.filter((layer) => layer.moved);
    if (moved.length > 0) {
      terminal.say(
        `Deployed ${moved.map((layer) => layer.layer).join(", ")}: ${counted(report.blobs.uploaded, "blob")} new, ${report.blobs.unchanged} unchanged.`,
      );
    }
    return broken;
  } catch (error) {
    if (!context.signal.aborted) {
      terminal.say(`${terminal.style("red", "error")} ${error instanceof Error ? error.message : String(error)}`);
    }
    return before;
  }
}

async function announce(
  platform: LocalPlatform,
  packed: PackedInput,
  tokens: IssuedTokens,
  flags: Flags,
  { terminal }: CommandContext,
): Promise<void> {
  const url = platform.url.origin;
  const token = await tokens.issue(PLATFORM_LAYER, ["read", "run"]);
  const operator = await tokens.issue(PLATFORM_LAYER, ["admin"]);
  const tenants: Record<string, string> = {};
  for (const { name } of packed.layers.filter((layer) => layer.name !== PLATFORM_LAYER)) {
    tenants[name] = await tokens.issue(name, ["read", "run"]);
  }
  if (isOn(flags, "json")) {
    const ready = { url, token, operator_token: operator, tenant_tokens: tenants };
    terminal.result(JSON.stringify({ ready }));
    return;
  }
  terminal.result(welcome(url, token, operator, tenants, packed));
}

function welcome(
  url: string,
  token: string,
  operator: string,
  tenants: Record<string, string>,
  packed: PackedInput,
): string {
  const skill = packed.served.find((name) => name === "unit-converter") ?? packed.served[0] ?? "some-skill";
  const lines = [
    `edge-skills serves ${counted(packed.served.length, "skill")} at ${url}`,
    "",
    `  token for agents     ${token}`,
    `  token for operators  ${operator}`,
    ...Object.entries(tenants).map(([tenant, value]) => `  token for ${tenant.padEnd(10)} ${value}`),
    "",
    "Try:",
    `  export TOKEN=${token}`,
    `  curl -H "Authorization: Bearer $TOKEN" ${url}/v1/context`,
    `  curl -H "Authorization: Bearer $TOKEN" ${url}/v1/tools/load_skill -d '{"skill_name":"${skill}"}'`,
  ];
  if (skill === "unit-converter") {
    const call = {
      skill_name: skill,
      script_name: "scripts/convert.py",
      arguments: { value: 26.2, from: "miles", to: "kilometers" },
    };
    lines.push(
      `  curl -H "Authorization: Bearer $TOKEN" ${url}/v1/tools/run_skill_script -d '${JSON.stringify(call)}'`,
    );
  }
  lines.push("", `Approvals, skills and tokens for people: ${url}/console, with the token for operators`);
  return [...lines, "", "Watching for changes. Ctrl-C ends it."].join("\n");
}
