/**
 * Owns the run contract: what the sending side (runners/) hands to the receiving side (sandbox/), and what comes back.
 * Plain data and two capabilities; never code that runs anything. CONTRACT.md §3 "A `run`", DESIGN.md §2 and §7.
 */
import type { Digest } from "./digest.ts";

/** Version of this contract. Edge and runner deploy apart, so a runner refuses a number it does not know. */
export const RUN_PROTOCOL = 1;

/**
 * What JavaScript runs share an isolate with, as the operator decides (DESIGN.md §7): nothing (`run`), or the runs of the same script for the
 * same tenant, by the same verified actor (`actor`) or by anybody (`tenant`).
 */
export const ISOLATIONS = ["run", "actor", "tenant"] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** The languages the sandbox runs. */
export type Runtime = "python" | "bash" | "javascript";

/** Every budget of one run, with its unit in its name. The one that was hit is named in {@link RunResult.limit}. */
export interface RunLimits {
  /** Wall clock, milliseconds. */
  readonly timeout_ms: number;
  /** CPU time, milliseconds. Enforced by the platform's loader; locally by instruction counting. */
  readonly cpu_ms: number;
  /** Memory a script may allocate, bytes. */
  readonly memory_bytes: number;
  /** Standard output and standard error, each, bytes of UTF-8. Output beyond it is cut; nothing is stopped. */
  readonly output_bytes: number;
  /** How many new or changed files come back. */
  readonly files: number;
  /** Bytes all files written by a run may hold together. */
  readonly file_bytes: number;
  /** How many processes a run may start, itself not counted. */
  readonly processes: number;
  /** How many requests may leave a run. Counted outside the sandbox, as all of the network is. */
  readonly network_calls: number;
  /** Bytes of the bodies of all requests and answers together. */
  readonly network_bytes: number;
}

/** What a run may use where nobody says otherwise. */
export const DEFAULT_RUN_LIMITS: RunLimits = {
  timeout_ms: 30_000,
  cpu_ms: 30_000,
  memory_bytes: 64 * 1024 * 1024,
  output_bytes: 1024 * 1024,
  files: 100,
  file_bytes: 16 * 1024 * 1024,
  processes: 64,
  network_calls: 256,
  network_bytes: 64 * 1024 * 1024,
};

/** A file of the skill, by digest: its bytes are asked for through {@link RunHost.readFiles} when they are needed. */
export interface RunSkillFile {
  /** Relative to the skill's root, with `/`. */
  readonly path: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** A file the caller gives to one run; it lies over the skill's files. */
export interface RunInputFile {
  /** Relative to the skill's root, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** One run, as the edge asks for it. Holds no authority: files and network come through {@link RunHost}. */
export interface RunRequest {
  readonly protocol: typeof RUN_PROTOCOL;
  /** Unique to this run. */
  readonly id: string;
  /** What may share a warm isolate: the tenant's name. */
  readonly isolation: string;
  /**
   * Which JavaScript runs share a warm isolate: those of the same script and tenant with the same text here. Absent: each has its own.
   * Python and shell do not need it.
   */
  readonly share?: string;
  readonly skill: { readonly name: string; readonly digest: Digest };
  readonly script: {
    /** Relative to the skill's root. */
    readonly path: string;
    readonly runtime: Runtime;
    readonly digest: Digest;
    /** Blob that holds what the pack step compiled the script to; null where nothing is compiled (Python, shell). */
    readonly compiled: Digest | null;
  };
  /** Words after the script's name. */
  readonly argv: readonly string[];
  readonly stdin: string;
  /** Every file of the skill, SKILL.md among them. */
  readonly skill_files: readonly RunSkillFile[];
  /** Blobs of Python packages that the skill was packed with: zips, each unpacked beside the standard library. */
  readonly packages?: readonly Digest[];
  /** The skill's compiled scripts: what `node` can run when shell or Python call it. */
  readonly programs?: readonly { readonly path: string; readonly compiled: Digest }[];
  /** Files of this call only. */
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** Loopback ports that the operator's rules name: a connection to one goes out, to any other it stays in the run. Absent: none. */
  readonly loopback_ports?: readonly number[];
  /**
   * When it was sent, milliseconds since 1970, by a sender that gives runs up which do not begin: one that was long on its way does not begin
   * before {@link RunHost.readFiles} has answered once more. Absent where nobody does that.
   */
  readonly sent_at?: number;
  /** What the run is part of, as `traceparent` of W3C Trace Context; absent outside of a trace. */
  readonly traceparent?: string;
}

/** What a run may reach outside the sandbox. The edge implements it, fresh for each run; it holds rules and secrets, the sandbox does not. */
export interface RunHost {
  /**
   * Bytes of files of this run's skill (or of its compiled scripts), in the order asked for.
   * Throws for a digest that is not part of the skill.
   */
  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]>;
  /** The network of the run. Answers a refusal (status 403, `x-egress: refused`) for what the operator's rules do not allow. */
  fetch(request: Request): Promise<Response>;
}

/** The budgets that {@link RunResult.limit} can name. */
export const RUN_LIMIT_NAMES = ["cpu", "wall", "memory", "files", "processes", "network"] as const;
/** The limit that ended or cut a run: `wall` is `timeout_ms`, `files` also `file_bytes`, `network` calls and bytes. */
export type RunLimitName = (typeof RUN_LIMIT_NAMES)[number];

/** Tells whether a value is the name of a budget. */
export function isRunLimitName(value: unknown): value is RunLimitName {
  return RUN_LIMIT_NAMES.some((name) => name === value);
}

/** A new or changed file that a run left behind. */
export interface RunOutputFile {
  /** Relative to the skill's root, with `/`, no `..` part. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly media_type: string;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
}

/** What a run answers, in the spelling it travels in everywhere (CONTRACT.md §3). */
export interface RunResult {
  /** Null when the run was stopped. */
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timed_out: boolean;
  /** True when output or files were cut. */
  readonly truncated: boolean;
  /** The budget that stopped or cut the run, or null. */
  readonly limit: RunLimitName | null;
  readonly duration_ms: number;
  readonly files: readonly RunOutputFile[];
}

/** Why a runner has no result of a run: the sandbox answers this in place of a result, so that nothing depends on error classes over RPC. */
export interface RunRefusal {
  readonly refused: "runner-busy" | "runner-failed" | "runner-lost";
  readonly message: string;
  readonly retry_after_ms?: number;
}

/** The runner's door, as the edge's service binding sees it. */
export interface RunnerService {
  run(request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal>;
}
