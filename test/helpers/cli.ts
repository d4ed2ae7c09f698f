/** Runs commands of the command line within the test's process, over a process that only takes notes. */
import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { StartPlatform } from "../../src/cli/command.ts";
import { type HostProcess, main } from "../../src/cli/main.ts";
import { type LocalPlatform, startLocalPlatform } from "../../src/deploy/local-platform.ts";

/** How a command ended. */
export interface CliOutcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command finds around it. */
export interface CliSurroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Which streams are terminals. */
  readonly terminal?: readonly ("stdout" | "stderr")[];
  /** Default: a platform for each command, as in a process of its own. */
  readonly startPlatform?: StartPlatform;
}

/** Starts a platform once per state and settings, for commands that follow each other; a command that ends leaves it running. */
export class PlatformPool {
  readonly #running = new Map<string, Promise<LocalPlatform>>();
  /** Those that keep nothing and are in use: two commands at the same time share none of these. */
  readonly #taken = new Set<string>();

  readonly start: StartPlatform = async (options) => {
    const { state, config, egress, runner, mode } = options;
    const key = JSON.stringify([state, config, egress]);
    if (runner !== undefined || mode === "production" || (state === null && this.#taken.has(key))) {
      return startLocalPlatform(options);
    }
    if (state === null) {
      this.#taken.add(key);
    }
    const starting = this.#running.get(key) ?? startLocalPlatform(options);
    this.#running.set(key, starting);
    try {
      const platform = await starting;
      return {
        url: platform.url,
        kv: () => platform.kv(),
        r2: () => platform.r2(),
        tokensOf: (tenant) => platform.tokensOf(tenant),
        stop: async () => {
          if (state === null) {
            await forgetChannels(platform);
            this.#taken.delete(key);
          }
        },
      };
    } catch (error) {
      this.#running.delete(key);
      this.#taken.delete(key);
      throw error;
    }
  };

  /** Ends them all. */
  async stop(): Promise<void> {
    const platforms = await Promise.all(this.#running.values());
    this.#running.clear();
    await Promise.all(platforms.map((platform) => platform.stop()));
  }
}

/** Without pointers nothing is deployed; blobs that nothing leads to are seen by nobody. */
async function forgetChannels(platform: LocalPlatform): Promise<void> {
  const r2 = await platform.r2();
  const { objects } = await r2.list({ prefix: "channel/" });
  await Promise.all(objects.map(({ key }) => r2.delete(key)));
}

/** A process to give to `main`: it keeps what is written, and signals are emitted on it. */
export class FakeProcess extends EventEmitter implements HostProcess {
  readonly stdout: PassThrough & { isTTY?: boolean } = new PassThrough({ encoding: "utf8" });
  readonly stderr: PassThrough & { isTTY?: boolean } = new PassThrough({ encoding: "utf8" });
  readonly env: Readonly<Record<string, string>>;
  readonly #cwd: string;
  readonly #texts = { stdout: "", stderr: "" };

  constructor({ cwd = process.cwd(), env = { USER: "tester" }, terminal = [] }: CliSurroundings = {}) {
    super();
    this.#cwd = cwd;
    this.env = env;
    for (const name of ["stdout", "stderr"] as const) {
      this[name].on("data", (text: string) => {
        this.#texts[name] += text;
        this.emit("written");
      });
      if (terminal.includes(name)) {
        this[name].isTTY = true;
      }
    }
  }

  get texts(): Readonly<Record<"stdout" | "stderr", string>> {
    return { ...this.#texts };
  }

  cwd(): string {
    return this.#cwd;
  }
}

/** Runs a command to its end. */
export async function cli(words: readonly string[], surroundings: CliSurroundings = {}): Promise<CliOutcome> {
  const host = new FakeProcess(surroundings);
  const status = await main(words, host, surroundings.startPlatform);
  return { status, ...host.texts };
}

/** Runs a command with `--json`; answers the one document on standard output, and fails when there is anything else. */
export async function cliJson(
  words: readonly string[],
  surroundings: CliSurroundings = {},
): Promise<{ readonly status: number; readonly document: unknown; readonly stderr: string }> {
  const { status, stdout, stderr } = await cli([...words, "--json"], surroundings);
  return { status, document: JSON.parse(stdout), stderr };
}

/** A directory with these files, removed when the test is over. */
export function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFiles(directory, files);
  return directory;
}

/** Writes files below a directory. */
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The text of a SKILL.md. */
export function skillMd(name: string, body = "Follow the steps.\n"): string {
  return `---\nname: ${name}\ndescription: What ${name} does.\n---\n${body}`;
}
