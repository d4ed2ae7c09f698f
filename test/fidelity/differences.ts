/** Owns where the sandbox differs from native runs: what it does in place of what was recorded, and why that must be. docs/scripts.md tells authors. */
import type { Outcome } from "./scripts.ts";

/** One difference: the parts of the outcome that are others. */
export interface Difference {
  readonly reason: string;
  readonly outcome: Partial<Outcome>;
}

const ONE_THREAD = "one thread: what starts a thread runs it at once, and only then goes on";
const ONE_AT_A_TIME = "one thing at a time: parts of a pipe and programs in the background run one after the other";
const NO_COMPILED_CODE = "no compiled code but the interpreter's own";
const NO_SECOND_PROCESS = "an interpreter is an instance of WebAssembly, which cannot be copied while it runs";
const NO_CODE_FROM_TEXT = "the platform runs no code that comes as a text; scripts are compiled when they are packed";
const NOT_IN_THE_SHELL = "just-bash, of which the shell is made, does not have it";
const NO_FORK =
  "OSError: [Errno 38] Function not implemented: an interpreter of the sandbox cannot be copied, use subprocess";
const NODE_FAILS = { exit_code: 1, last: "Node.js v24.21.0" };

/** By the script's name. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  "argparse-choice.py": {
    reason: "recorded with CPython 3.13.0; the sandbox has 3.13.2, which words this message otherwise",
    outcome: { last: "tool: error: argument --mode: invalid choice: 'fast' (choose from slow, quick)" },
  },
  "await-never.mjs": {
    reason: "places have no column, and where a promise is awaited is not known",
    outcome: { last: "Warning: Detected unsettled top-level await at /skill/scripts/await-never.mjs" },
  },
  "differs-background.sh": { reason: ONE_AT_A_TIME, outcome: { stdout: "background\nforeground\n" } },
  "differs-bzip2.sh": {
    reason: "no command that is not listed: bzip2 and xz are not",
    outcome: {
      exit_code: 127,
      stdout: "",
      last: "scripts/differs-bzip2.sh: line 1: bunzip2: command not found",
    },
  },
  "differs-coproc.sh": {
    reason: ONE_AT_A_TIME,
    outcome: {
      exit_code: 2,
      stdout: "",
      last: "scripts/differs-coproc.sh: line 1: syntax error: the sandbox's shell has no `coproc'",
    },
  },
  "differs-ctypes.py": {
    reason: NO_COMPILED_CODE,
    outcome: {
      exit_code: 1,
      stdout: "",
      last: "ModuleNotFoundError: No module named '_ctypes': the sandbox runs no compiled code but Python's own, and has no terminal",
    },
  },
  "differs-deep-functions.sh": {
    reason: "the shell's own stack is that of its isolate: calls may be 200 deep",
    outcome: {
      exit_code: 126,
      stdout: "",
      last: "scripts/differs-deep-functions.sh: line 1: f: maximum recursion depth (200) exceeded",
    },
  },
  "differs-errno.py": {
    reason: "numbers of errors are those of the C library beneath this Python; texts and constants are as on Linux",
    outcome: { stdout: "44 True [Errno 2] No such file or directory: 'nowhere.txt'\n" },
  },
  "differs-eval.js": { reason: NO_CODE_FROM_TEXT, outcome: { ...NODE_FAILS, stdout: "before\n" } },
  "differs-exec-sync.js": {
    reason: "an isolate cannot wait for a program without letting go of its thread",
    outcome: { ...NODE_FAILS, stdout: "before\n" },
  },
  "differs-fork.py": {
    reason: NO_SECOND_PROCESS,
    outcome: { exit_code: 1, stdout: "", last: NO_FORK },
  },
  "differs-lzma.py": {
    reason: NO_COMPILED_CODE,
    outcome: {
      exit_code: 1,
      stdout: "",
      last: "ModuleNotFoundError: No module named '_lzma': the sandbox runs no compiled code but Python's own, and has no terminal",
    },
  },
  "differs-node-written.js": { reason: NO_CODE_FROM_TEXT, outcome: { stdout: "failed\n" } },
  "differs-pipe-order.sh": { reason: ONE_AT_A_TIME, outcome: { last: "the right part begins" } },
  "differs-process.py": {
    reason: NO_SECOND_PROCESS,
    outcome: { exit_code: 1, stdout: "", last: NO_FORK },
  },
  "differs-select.sh": {
    reason: NOT_IN_THE_SHELL,
    outcome: {
      exit_code: 2,
      stdout: "",
      last: "scripts/differs-select.sh: line 1: syntax error: the sandbox's shell has no `select'",
    },
  },
  "differs-server.mjs": {
    reason: "an isolate has no sockets: nobody could reach a server in it",
    outcome: { ...NODE_FAILS, stdout: "" },
  },
  "differs-sqlite-function.py": {
    reason: "the database engine is another instance of WebAssembly, which cannot call into Python's",
    outcome: {
      exit_code: 1,
      stdout: "",
      last: "sqlite3.NotSupportedError: create_function is not available in this sandbox: the database engine cannot call Python",
    },
  },
  "differs-syntax-error.sh": {
    reason: "a script is read as a whole before its first line runs",
    outcome: {
      stdout: "",
      last: "scripts/differs-syntax-error.sh: line 3: syntax error near unexpected token `fi'",
    },
  },
  "differs-threads-consumer.py": {
    reason: ONE_THREAD,
    outcome: {
      stdout: "done\n",
      last: "RuntimeError: deadlock: this lock is held and there is no other thread in the sandbox to release it",
    },
  },
  "differs-threads-order.py": { reason: ONE_THREAD, outcome: { stdout: "worker waits for its turn\nmain goes on\n" } },
  "differs-trap-debug.sh": {
    reason: NOT_IN_THE_SHELL,
    outcome: {
      stdout: "line\n",
      last: "scripts/differs-trap-debug.sh: line 1: trap: DEBUG: the sandbox's shell has no such trap",
    },
  },
  "differs-worker.mjs": { reason: NO_CODE_FROM_TEXT, outcome: { ...NODE_FAILS, stdout: "before\n" } },
};
