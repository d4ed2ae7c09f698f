/** Owns starting `edge-skills dev` as a user would, in a process of its own. For the demo, the bench and end-to-end tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

/** What `dev --json` prints when it is ready. */
export interface ReadyEdge {
  readonly url: string;
  /** May read and run. */
  readonly token: string;
  /** May do everything. */
  readonly operator_token: string;
  /** A token that may read and run, by tenant. */
  readonly tenant_tokens: Readonly<Record<string, string>>;
}

/** A running edge. */
export interface LocalEdge extends ReadyEdge {
  readonly process: ChildProcess;
  /** Ends it as Ctrl-C does; answers its exit status. */
  stop(): Promise<number | null>;
}

/** Starts an edge over some directories. Throws with what it printed when it ends before it is ready. */
export function startEdge(args: readonly string[]): Promise<LocalEdge> {
  return startReady([CLI, "dev", ...args, "--json"]);
}

/** Starts a program that says, as `dev` does, when it is ready. */
export async function startReady(words: readonly string[]): Promise<LocalEdge> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "pipe"] });
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const line = once(createInterface(child.stdout), "line").then(([text]) => String(text));
  const first = await Promise.race([line, exited]);
  if (typeof first !== "string") {
    throw new Error(`${words.join(" ")} ended with ${first}:\n${told}`);
  }
  const { ready } = JSON.parse(first) as { ready: ReadyEdge };
  return {
    ...ready,
    process: child,
    stop() {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** Runs a command to its end; answers what it printed and its exit status. */
export async function runCli(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ["ignore", "pipe", "pipe"], ...options });
  const collect = async (stream: NodeJS.ReadableStream): Promise<string> => {
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) {
      text += chunk;
    }
    return text;
  };
  const [stdout, stderr, [status]] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    once(child, "exit"),
  ]);
  return { status: status as number | null, stdout, stderr };
}
