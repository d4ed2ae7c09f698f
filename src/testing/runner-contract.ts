/** Owns what every runner of scripts promises, by small scripts in the languages it runs. One suite for all; knows no test runner. */
import { type Digest, digestOf } from "../model/digest.ts";
import type { SkillFile, SkillRecord, SkillScript } from "../model/record.ts";
import { DEFAULT_RUN_LIMITS, type RunInputFile, type RunLimits, type RunResult, type Runtime } from "../model/run.ts";
import type { ScriptRunner } from "../model/runner.ts";
import { type ContractCase, promise } from "./contract-case.ts";
import { type ContractScript, contractScript } from "./contract-scripts.ts";

/** An implementation to be held to the contract. */
export interface RunnerUnderContract {
  readonly create: () => ScriptRunner | Promise<ScriptRunner>;
  /** The language the scripts of the suite are in. */
  readonly runtime: Runtime;
  /** What the packer made of the suite's scripts, for a runner that takes JavaScript compiled; default: as they are written. */
  readonly compiled?: Readonly<Record<ContractScript, string>>;
}

type Language = Omit<RunnerUnderContract, "create">;

interface Attempt {
  readonly script: ContractScript;
  readonly argv?: readonly string[];
  readonly stdin?: string;
  readonly files?: readonly RunInputFile[];
  readonly limits?: Partial<RunLimits>;
}

const ODD_WORDS = ["plain", "with blank", "", "--flag=ä", "$HOME;`ls`", "a\nb", "'\"\\"];

/**
 * The cases of the contract for one language.
 *
 * @example
 * for (const { name, run } of runnerContract({ create: () => myRunner, runtime: "python" })) {
 *   test(name, run);
 * }
 */
export function runnerContract({ create, ...language }: RunnerUnderContract): ContractCase[] {
  const attempt = async (given: Attempt): Promise<RunResult> => runOnce(await create(), language, given);
  return [
    {
      name: "gives a script its words as they are",
      run: async () => {
        const { stdout, exit_code } = await attempt({ script: "words", argv: ODD_WORDS });
        same([exit_code, said(stdout)], [0, ODD_WORDS]);
      },
    },
    {
      name: "gives a script its input, and an empty one where there is none",
      run: async () => {
        const [given, none] = [await attempt({ script: "input", stdin: "ä\n" }), await attempt({ script: "input" })];
        same([given.stdout, none.stdout], ["[ä\n]", "[]"]);
      },
    },
    {
      name: "answers an exit status and both streams of a script that fails",
      run: async () => {
        const { exit_code, stdout, stderr, timed_out } = await attempt({ script: "fail" });
        same([exit_code, stdout.trim(), stderr.trim(), timed_out], [3, "before", "went wrong", false]);
      },
    },
    {
      name: "lets a script read its skill's files and those of the call",
      run: async () => {
        const files = [{ path: "given.txt", bytes: new TextEncoder().encode("from the call") }];
        const { stdout } = await attempt({ script: "files", files });
        same(said(stdout), ["from the skill", "from the call"]);
      },
    },
    {
      name: "gives back the files that a script wrote, and forgets them",
      run: async () => {
        const [first, second] = [await attempt({ script: "write" }), await attempt({ script: "write" })];
        const written = [{ path: "out/result.txt", content: "written once" }];
        const shown = (run: RunResult) => run.files.map(({ path, content }) => ({ path, content }));
        same([shown(first), shown(second)], [written, written]);
      },
    },
    {
      name: "stops a script when its time is up",
      run: async () => {
        const { exit_code, timed_out } = await attempt({ script: "endless", limits: { timeout_ms: 1_000 } });
        same([exit_code, timed_out], [null, true]);
      },
    },
    {
      name: "cuts output beyond its limit and says so",
      run: async () => {
        const { stdout, truncated, exit_code } = await attempt({ script: "long", limits: { output_bytes: 1_000 } });
        same([stdout.length <= 1_000, truncated, exit_code], [true, true, 0]);
      },
    },
  ];
}

async function runOnce(
  runner: ScriptRunner,
  { runtime, compiled: texts }: Language,
  given: Attempt,
): Promise<RunResult> {
  const { path, text: source } = contractScript(runtime, given.script);
  const contents = new Map<Digest, Uint8Array>();
  const fileOf = async (name: string, text: string): Promise<SkillFile> => {
    const bytes = new TextEncoder().encode(text);
    const digest = await digestOf(bytes);
    contents.set(digest, bytes);
    return { path: name, size: bytes.length, digest, media_type: "text/plain", text: true };
  };
  const manifest = await fileOf("SKILL.md", "---\nname: contract\ndescription: Tries a runner.\n---\n");
  const own = [await fileOf("data/own.txt", "from the skill"), await fileOf(path, source)];
  const compiled = runtime === "javascript" ? (await fileOf(path, texts?.[given.script] ?? source)).digest : null;
  const script: SkillScript = {
    path,
    description: null,
    runtime,
    parameters: {},
    runnable: true,
    reason: null,
    compiled,
  };
  const skill: SkillRecord = {
    name: "contract",
    aliases: [],
    digest: manifest.digest,
    description: "Tries a runner.",
    frontmatter: {},
    metadata: {},
    allowed_tools: [],
    body: "",
    manifest,
    files: own,
    scripts: [script],
  };
  return runner.run({
    skill,
    script,
    arguments: [...(given.argv ?? [])],
    argv: given.argv ?? [],
    stdin: given.stdin ?? "",
    files: given.files ?? [],
    limits: { ...DEFAULT_RUN_LIMITS, ...given.limits },
    isolation: "contract",
    signal: null,
    readFiles: async (digests) => digests.map((digest) => contents.get(digest) ?? new Uint8Array()),
  });
}

/** The JSON a script said; the text itself where it is none. */
function said(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return stdout;
  }
}

function same(actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  promise(got === wanted, `got ${got}, not ${wanted}`);
}
