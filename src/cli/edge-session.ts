/** Owns a local edge for the length of one command, over what `--from` names: a directory, a packed bundle, or a deployed channel. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Option } from "commander";
import { type DeployableLayer, deploy } from "../deploy/deploy.ts";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { RunnerProcess } from "../deploy/runner-process.ts";
import { SkillsError } from "../model/errors.ts";
import { isChannelName, PLATFORM_LAYER } from "../model/layer.ts";
import { isBundle } from "../pack/write-bundle.ts";
import type { CommandContext, Flags } from "./command.ts";
import { askEdge } from "./edge-client.ts";
import { egressText } from "./egress-flags.ts";
import { textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";
import { IssuedTokens } from "./issued-tokens.ts";
import { describeProblems, packInput, readBundleLayers } from "./pack-input.ts";
import { readSettings } from "./settings.ts";
import { openTarget } from "./with-target.ts";

export const FROM_FLAG = new Option(
  "--from <what>",
  "a directory of skills, a packed bundle, or a deployed channel",
).default("live");

/** An edge to ask. */
export interface EdgeSession {
  /** Layers that have skills, the platform first. */
  readonly layers: readonly string[];
  /** Asks as a tenant (or as the platform) and answers the JSON of a good answer. */
  ask(tenant: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Opens an edge over what the flags name, uses it, and closes it whatever happens. */
export async function withEdge<T>(
  flags: Flags,
  context: CommandContext,
  runner: RunnerProcess | null,
  use: (session: EdgeSession) => Promise<T>,
): Promise<T> {
  const { text, config } = readSettings(flags, context);
  const egress = egressText(flags, config, context);
  const origin = await originOf(textFlag(flags, "from"), flags, context);
  const platform = await context.startPlatform({
    state: origin.state,
    ...(runner === null ? {} : { runner }),
    ...(text === null ? {} : { config: text }),
    ...(egress === null ? {} : { egress }),
    onLog: (line) => context.terminal.say(line),
  });
  const target = await createLocalTarget(platform, origin.state ?? "memory");
  const tokens = new IssuedTokens(target, origin.channel);
  const tokenOf = new Map<string, string>();
  try {
    await deploy(target, origin.layers, { channel: origin.channel, by: "edge-skills", now: () => new Date() });
    const layers = await target.listLayers(origin.channel);
    if (layers.length === 0) {
      tellEmpty(origin, context);
    }
    const session: EdgeSession = {
      layers,
      async ask(tenant, path, body) {
        const token = tokenOf.get(tenant) ?? (await tokens.issue(tenant, ["read", "run"]));
        tokenOf.set(tenant, token);
        return askEdge(platform.url, token, path, body);
      },
    };
    return await unlessAborted(context.signal, use(session));
  } finally {
    const { state } = origin;
    await tokens.revoke(state === null ? null : () => openTarget(state, context)).finally(() => target.close());
  }
}

/** A channel that nothing was deployed to: the default one is told of, any other is a slip. */
function tellEmpty({ channel, state }: Origin, { terminal }: CommandContext): void {
  const hint = `try: edge-skills deploy skills-bundle${channel === FROM_FLAG.defaultValue ? "" : ` --channel ${channel}`}`;
  if (channel !== FROM_FLAG.defaultValue) {
    throw new SkillsError(
      "bundle-unknown",
      `Cannot open "${channel}": it is no directory, and nothing is deployed to a channel of this name`,
      { hint },
    );
  }
  if (state !== null) {
    terminal.say(`Nothing is deployed to channel "${channel}"; ${hint}`);
  }
}

/** Where the skills come from: layers to put into an edge that is kept nowhere, or a channel of the local state. */
interface Origin {
  readonly state: string | null;
  readonly channel: string;
  readonly layers: readonly DeployableLayer[];
}

async function originOf(from: string, flags: Flags, context: CommandContext): Promise<Origin> {
  const path = resolve(context.cwd, from);
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    if (!isChannelName(from)) {
      throw new SkillsError("usage", `Cannot open "${from}": it is no directory, no bundle and no channel`);
    }
    return { state: resolve(context.cwd, textFlag(flags, "state")), channel: from, layers: [] };
  }
  if (isBundle(path)) {
    return { state: null, channel: "live", layers: readBundleLayers(path) };
  }
  const packed = await packInput([from], context);
  describeProblems(packed, context.terminal);
  return { state: null, channel: "live", layers: packed.layers };
}

/** The tenant to ask as when none is named: the platform, or the only layer there is. */
export function defaultTenant(session: EdgeSession): string {
  const [first, second] = session.layers;
  return first !== undefined && second === undefined ? first : PLATFORM_LAYER;
}
