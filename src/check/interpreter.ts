/** Owns which files are scripts and what runs them: the first line decides before the extension does. Never reads further than that line. */
import { baseName, extensionOf } from "../model/path.ts";
import type { Runtime } from "../model/run.ts";

/** What runs a script. */
export interface Interpreter {
  /** Null when the sandbox has no such language. */
  readonly runtime: Runtime | null;
  /** What the script asks for, in words for its reader: `ruby`, `PowerShell`. */
  readonly label: string;
}

const PYTHON: Interpreter = { runtime: "python", label: "python" };
const SHELL: Interpreter = { runtime: "bash", label: "bash" };
const JAVASCRIPT: Interpreter = { runtime: "javascript", label: "node" };

const BY_EXTENSION: ReadonlyMap<string, Interpreter> = new Map([
  [".py", PYTHON],
  [".sh", SHELL],
  [".bash", SHELL],
  ...[".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].map(
    (extension) => [extension, JAVASCRIPT] as const,
  ),
  ...Object.entries({
    ".ps1": "PowerShell",
    ".psm1": "PowerShell",
    ".rb": "ruby",
    ".pl": "perl",
    ".php": "php",
    ".lua": "lua",
    ".r": "R",
    ".jl": "julia",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".kt": "kotlin",
    ".kts": "kotlin",
    ".scala": "scala",
    ".groovy": "groovy",
    ".swift": "swift",
    ".cs": "dotnet",
    ".csx": "dotnet",
    ".fsx": "dotnet",
    ".dart": "dart",
    ".ex": "elixir",
    ".exs": "elixir",
    ".clj": "clojure",
    ".tcl": "tcl",
    ".awk": "awk",
    ".bat": "cmd.exe",
    ".cmd": "cmd.exe",
    ".vbs": "VBScript",
    ".applescript": "AppleScript",
    ".scpt": "AppleScript",
    ".zsh": "zsh",
    ".fish": "fish",
    ".ksh": "ksh",
    ".nu": "nushell",
  }).map(([extension, label]) => [extension, { runtime: null, label }] as const),
]);

/** How much of a file its first line may take. */
const MAX_FIRST_LINE = 512;

/** What runs a file; null when it is no script. `content` is the file's text. */
export function interpreterOf(path: string, content: string): Interpreter | null {
  if (content.startsWith("#!")) {
    const end = content.search(/[\r\n]/);
    return shebangInterpreter(content.slice(2, Math.min(end < 0 ? content.length : end, MAX_FIRST_LINE)));
  }
  // Declarations hold types only; there is nothing in them to run.
  return /\.d\.[cm]?ts$/.test(path) ? null : (BY_EXTENSION.get(extensionOf(path)) ?? null);
}

function shebangInterpreter(line: string): Interpreter {
  const words = line.trim().split(/\s+/);
  let program = baseName(words.shift() ?? "");
  if (program === "env") {
    program = baseName(words.find((word) => !word.startsWith("-") && !/^\w+=/.test(word)) ?? "");
  }
  const name = program.toLowerCase().replace(/\.exe$/, "");
  if (/^(?:python|pypy)[\d.]*$/.test(name) || (name === "uv" && words.includes("run"))) {
    return PYTHON;
  }
  if (/^(?:ba|da|a)?sh$/.test(name)) {
    return SHELL;
  }
  if (/^(?:node|nodejs|tsx|ts-node)$/.test(name)) {
    return JAVASCRIPT;
  }
  return { runtime: null, label: program === "" ? "an interpreter that its first line does not name" : program };
}
