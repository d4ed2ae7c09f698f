/** Owns an edge for the length of one command, over what `--from` names: a directory, a packed bundle, a deployed channel, or an edge that is asked. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Option } from "commander";
import { deploy } from "../deploy/deploy.ts";
import type { DeployableLayer } from "../deploy/deployable.ts";
import { createEdgeApi, type EdgeAddress, type EdgeApi } from "../deploy/edge/edge-api.ts";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { RunnerProcess } from "../deploy/runner-process.ts";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName, PLATFORM_LAYER } from "../model/layer.ts";
import { isBundle } from "../pack/write-bundle.ts";
import type { CommandContext, Flags } from "./command.ts";
import { edgeAt, edgeOverTarget, isAddress } from "./edge-address.ts";
import { egressText } from "./egress-flags.ts";
import { TARGET_FLAG, textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";
import { IssuedTokens } from "./issued-tokens.ts";
import { logTeller } from "./log-lines.ts";
import { describeErrors, packInput, readBundleLayers } from "./pack-input.ts";
import { readSettings } from "./settings.ts";
import { withState } from "./state-lock.ts";
import { openTarget } from "./with-target.ts";

export const FROM_FLAG = new Option(
  "--from <what>",
  "a directory of skills, a packed bundle, a deployed channel, or an edge's address",
).default("live");

/** An edge to ask. */
export interface EdgeSession {
  /** Layers that have skills, the platform first. */
  readonly layers: readonly string[];
  /** `any`: it can be asked as each layer's tenant. `one`: a token says as whom, and `layers` has that one. */
  readonly callers: "any" | "one";
  /** Asks as a tenant (or as the platform) and answers the JSON of a good answer. */
  ask(tenant: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/**
 * The edge that is asked itself, without one of one's own: `--from` an address, or a channel of a target that has one. Null for what lies here.
 * Throws `usage` when the target is a Cloudflare account that does not say where its edge is.
 */
export function deployedEdge(flags: Flags, context: CommandContext): EdgeAddress | null {
  const from = textFlag(flags, "from");
  if (isAddress(from)) {
    return edgeAt(from, context);
  }
  const target = textFlag(flags, "target");
  if (target === TARGET_FLAG.defaultValue || isDirectory(resolve(context.cwd, from))) {
    return null;
  }
  const address = edgeOverTarget(flags, context);
  if (address === null) {
    throw new SkillsError(
      "usage",
      `Cannot read what is deployed to "${target}": the settings do not say where its edge is`,
      {
        hint: `edge-skills.json: { "targets": { "${target}": { "url": "https://…" } } }, or --target https://…`,
      },
    );
  }
  const { name, token, url } = address;
  return from === DEFAULT_CHANNEL
    ? address
    : { name, token, url: new URL(`c/${channelNamed(from)}/`, directoryOf(url)) };
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** So that a relative address goes below it. */
function directoryOf(url: URL): string {
  return url.href.replace(/[?#].*$/, "").replace(/\/*$/, "/");
}

function channelNamed(from: string): string {
  if (!isChannelName(from)) {
    throw new SkillsError("usage", `Cannot open "${from}": it is no directory, no bundle and no channel`);
  }
  return from;
}

/** Opens an edge over what the flags name, uses it, and closes it whatever happens. */
export async function withEdge<T>(
  flags: Flags,
  context: CommandContext,
  runner: RunnerProcess | null,
  use: (session: EdgeSession) => Promise<T>,
): Promise<T> {
  const deployed = deployedEdge(flags, context);
  if (deployed !== null) {
    return unlessAborted(context.signal, use(askedSession(createEdgeApi(deployed, context.signal))));
  }
  const origin = await originOf(textFlag(flags, "from"), flags, context);
  const work = () => withOrigin(origin, flags, context, runner, use);
  return origin.state === null ? work() : withState(origin.state, context.command, work);
}

async function withOrigin<T>(
  origin: Origin,
  flags: Flags,
  context: CommandContext,
  runner: RunnerProcess | null,
  use: (session: EdgeSession) => Promise<T>,
): Promise<T> {
  const { text, config } = readSettings(flags, context);
  const egress = egressText(flags, config, context);
  const platform = await context.startPlatform({
    state: origin.state,
    ...(runner === null ? {} : { runner }),
    ...(text === null ? {} : { config: withoutQuestions(text) }),
    ...(egress === null ? {} : { egress }),
    onLog: logTeller(context.terminal, (origin) => `--allow ${origin} lets it`),
  });
  const target = await createLocalTarget(platform, origin.state ?? "memory");
  const tokens = new IssuedTokens(target, origin.channel);
  const edges = new Map<string, EdgeApi>();
  const edgeFor = async (tenant: string): Promise<EdgeApi> => {
    const token = await tokens.issue(tenant, ["read", "run"]);
    return createEdgeApi({ name: target.name, url: platform.url, token }, context.signal);
  };
  try {
    await deploy(target, origin.layers, { channel: origin.channel, by: "edge-skills", now: () => new Date() });
    const layers = await target.listLayers(origin.channel);
    if (layers.length === 0) {
      tellEmpty(origin, context);
    }
    const session: EdgeSession = {
      layers,
      callers: "any",
      async ask(tenant, path, body) {
        const edge = edges.get(tenant) ?? (await edgeFor(tenant));
        edges.set(tenant, edge);
        return askIn(edge, path, body);
      },
    };
    return await unlessAborted(context.signal, use(session));
  } finally {
    const { state } = origin;
    await tokens.revoke(state === null ? null : () => openTarget(state, context)).finally(() => target.close());
  }
}

/** Whoever types a command here is the person who would be asked, and an edge that ends with the command cannot wait. */
function withoutQuestions(config: string): string {
  const {
    approval: _,
    tenants,
    ...rest
  } = JSON.parse(config) as { approval?: object; tenants?: Record<string, object> };
  const unasked = Object.entries(tenants ?? {}).map(([name, own]) => [name, { ...own, approval: undefined }] as const);
  return JSON.stringify({ ...rest, tenants: Object.fromEntries(unasked), approval: { run_skill_script: "never" } });
}

function askIn(edge: EdgeApi, path: string, body?: unknown): Promise<Record<string, unknown>> {
  return edge.ask(body === undefined ? "GET" : "POST", path, body);
}

/** A session with an edge that runs elsewhere. */
function askedSession(edge: EdgeApi): EdgeSession {
  const caller = edge.tenant ?? PLATFORM_LAYER;
  return {
    layers: [caller],
    callers: "one",
    ask(tenant, path, body) {
      if (tenant !== caller) {
        throw new SkillsError("usage", `Cannot ask ${edge.name} as "${tenant}": its token decides as whom`, {
          hint: `leave --tenant out, or use a token of that tenant`,
        });
      }
      return askIn(edge, path, body);
    },
  };
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
  if (!isDirectory(path)) {
    return { state: resolve(context.cwd, textFlag(flags, "state")), channel: channelNamed(from), layers: [] };
  }
  if (isBundle(path)) {
    return { state: null, channel: "live", layers: readBundleLayers(path) };
  }
  const packed = await packInput([from], flags, context);
  describeErrors(packed, from, context.terminal);
  return { state: null, channel: "live", layers: packed.layers };
}

/** The tenant to ask as when none is named: the platform, or the only layer there is. */
export function defaultTenant(session: EdgeSession): string {
  const [first, second] = session.layers;
  return first !== undefined && second === undefined ? first : PLATFORM_LAYER;
}
