/** Owns `edge-skills function serve`: a function that runs scripts as processes, to be put into a container. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Option } from "commander";
import { SkillsError } from "../../model/errors.ts";
import { startFunctionServer } from "../../node/function-server.ts";
import { isBundle } from "../../pack/write-bundle.ts";
import type { CommandContext, CommandSpec, Flags } from "../command.ts";
import { CONFIG_FLAG, isOn, JSON_FLAG, numberFlag, optionalText, textFlag } from "../flags.ts";
import { unlessAborted } from "../interrupt.ts";
import { describeErrors, packInput, readBundleLayers } from "../pack-input.ts";
import { shelfOf } from "../skill-shelf.ts";

const DEFAULT_PORT = 8788;
const SECRET = "EDGE_SKILLS_FUNCTION_SECRET";

const PORT_FLAG = new Option("--port <n>", "port to listen on; 0 for a free one").default(String(DEFAULT_PORT));
const HOST_FLAG = new Option("--host <address>", "address to listen on; 0.0.0.0 in a container").default("127.0.0.1");
const SKILLS_FLAG = new Option(
  "--from <what>",
  "a directory of skills or a packed bundle: only their scripts run; by default each run brings its skill",
);
const UID_FLAG = new Option("--uid <n>", "user and group to run scripts as; needs root");

export const functionServe: CommandSpec = {
  name: "function serve",
  summary:
    "run scripts that an edge sends here, as processes of this machine. Nothing keeps a script in: run it in a container or on a machine " +
    "of its own, never beside anything worth protecting. Both sides sign with the secret in EDGE_SKILLS_FUNCTION_SECRET",
  arguments: [],
  options: [PORT_FLAG, HOST_FLAG, SKILLS_FLAG, UID_FLAG, CONFIG_FLAG, JSON_FLAG],
  examples: ["function serve --port 8788", "function serve --host 0.0.0.0 --from ./dist --uid 65534"],
  async run(_args, flags, context) {
    const { terminal, signal, env } = context;
    const secret = env[SECRET] ?? "";
    if (secret === "") {
      throw new SkillsError("usage", `Cannot serve a function without a secret: ${SECRET} is not set`, {
        hint: `make one: export ${SECRET}=$(openssl rand -hex 32), and put the same at the edge: edge-skills secret put NAME`,
      });
    }
    const skill = await skillsOf(flags, context);
    const uid = numberFlag(flags, "uid");
    const port = numberFlag(flags, "port") ?? DEFAULT_PORT;
    const host = textFlag(flags, "host");
    const server = await startFunctionServer({
      secret,
      port,
      host,
      ...(skill === null ? {} : { skill }),
      ...(uid === null ? {} : { uid }),
      onError: (error) => terminal.say(`${terminal.style("red", "error")} ${String(error)}`),
    }).catch((cause: unknown) => {
      throw notServing(`${host}:${port}`, cause);
    });
    try {
      terminal.result(
        isOn(flags, "json")
          ? JSON.stringify({ ready: { url: server.url.href } })
          : `Scripts run at ${server.url.href}, as processes of this machine. Ctrl-C ends it.`,
      );
      await unlessAborted(signal, new Promise<never>(() => undefined)).catch(() => undefined);
      return 0;
    } finally {
      await server.stop();
    }
  },
};

function notServing(where: string, cause: unknown): SkillsError {
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : { message: String(cause) };
  if (code === "EADDRINUSE") {
    return new SkillsError("port-taken", `Cannot listen on ${where}: something else does`, {
      cause,
      hint: "give another --port, or 0 for a free one",
    });
  }
  const hint = code === undefined ? {} : { hint: "--host is an address of this machine, --port one that you may use" };
  return new SkillsError("usage", `Cannot serve at ${where}: ${message}`, { cause, ...hint });
}

async function skillsOf(flags: Flags, context: CommandContext) {
  const from = optionalText(flags, "from");
  if (from === null) {
    return null;
  }
  const path = resolve(context.cwd, from);
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    throw new SkillsError("usage", `Cannot open "${from}": it is no directory and no bundle`);
  }
  const shelf = shelfOf(isBundle(path) ? readBundleLayers(path) : await packed(from, flags, context));
  return async (digest: Parameters<typeof shelf.get>[0]) => shelf.get(digest)?.() ?? null;
}

async function packed(from: string, flags: Flags, context: CommandContext) {
  const input = await packInput([from], flags, context);
  describeErrors(input, from, context.terminal);
  return input.layers;
}
