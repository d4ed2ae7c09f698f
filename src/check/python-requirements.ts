/** Owns which packages a Python script asks for: its PEP 723 block, and `requirements.txt`. Never fetches or compares versions. */

/** A package that is asked for. */
export interface PythonRequirement {
  /** As written, with its version: `PyYAML>=6`. */
  readonly text: string;
  /** Its name in the one spelling of PEP 503: lower case, single hyphens. */
  readonly name: string;
}

/** How many are read; more is no list of what a script needs. */
const MAX_REQUIREMENTS = 200;

const REQUIREMENT = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?=$|[\s<>=!~;@[(,])/;

/** Packages whose module has another name, by module. */
const DISTRIBUTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["bs4", ["beautifulsoup4"]],
  ["cv2", ["opencv-python", "opencv-python-headless"]],
  ["Crypto", ["pycryptodome"]],
  ["dateutil", ["python-dateutil"]],
  ["docx", ["python-docx"]],
  ["dotenv", ["python-dotenv"]],
  ["fitz", ["pymupdf"]],
  ["git", ["gitpython"]],
  ["jwt", ["pyjwt"]],
  ["magic", ["python-magic"]],
  ["OpenSSL", ["pyopenssl"]],
  ["PIL", ["pillow"]],
  ["pptx", ["python-pptx"]],
  ["serial", ["pyserial"]],
  ["skimage", ["scikit-image"]],
  ["sklearn", ["scikit-learn"]],
  ["yaml", ["pyyaml"]],
]);

/** The dependencies of a script's PEP 723 block; empty when it has none. */
export function scriptRequirements(source: string): PythonRequirement[] {
  const toml = scriptBlock(source);
  const list = /^dependencies[ \t]*=[ \t]*\[((?:[^\]"'#]|"[^"\n]*"|'[^'\n]*'|#[^\n]*\n)*)\]/m.exec(toml)?.[1] ?? "";
  const texts = [...list.matchAll(/"([^"\n]*)"|'([^'\n]*)'|#[^\n]*/g)];
  return requirementsOf(texts.flatMap(([, double, single]) => double ?? single ?? []));
}

/** The text of the first block `# /// script … # ///`; empty when there is none. */
function scriptBlock(source: string): string {
  const lines = source.split(/\r\n?|\n/);
  const start = lines.findIndex((line) => /^# \/\/\/ script\s*$/.test(line));
  const length =
    start < 0 ? -1 : lines.slice(start + 1).findIndex((line) => !/^#(?: |$)/.test(line) || /^# \/\/\/\s*$/.test(line));
  const block = lines.slice(start + 1, start + 1 + length);
  return length < 0 || !lines[start + 1 + length]?.startsWith("# ///")
    ? ""
    : block.map((line) => line.slice(2)).join("\n");
}

/** What a `requirements.txt` names; options and addresses are left out. */
export function listedRequirements(text: string): PythonRequirement[] {
  return requirementsOf(text.split(/\r\n?|\n/).map((line) => line.replace(/(?:^|\s)#.*$/s, "").trim()));
}

/** The requirement that brings a module; null when none of them is known to. */
export function requirementOf(module: string, requirements: readonly PythonRequirement[]): PythonRequirement | null {
  const names = [packageName(module), ...(DISTRIBUTIONS.get(module) ?? [])];
  return requirements.find(({ name }) => names.includes(name)) ?? null;
}

/** Modules of CPython, and of packages with compiled parts, that no wheel brings to the sandbox. */
const NOT_IN_WHEELS: ReadonlySet<string> = new Set(
  (
    "_ctypes ctypes curses dbm ensurepip idlelib lib2to3 lzma msvcrt nt readline syslog tkinter turtle venv winreg winsound " +
    "PIL cv2 cryptography fitz lightgbm lxml matplotlib numba numpy onnxruntime pandas playwright polars psycopg2 pyarrow pydantic " +
    "pydantic_core scipy selenium skimage sklearn spacy tensorflow tokenizers torch torchvision transformers xgboost"
  ).split(" "),
);

/** The package that brings a module by its usual name; null for one that no pure-Python package brings. */
export function packageOfModule(module: string): string | null {
  return NOT_IN_WHEELS.has(module) ? null : (DISTRIBUTIONS.get(module)?.[0] ?? packageName(module));
}

function requirementsOf(texts: readonly string[]): PythonRequirement[] {
  return texts.slice(0, MAX_REQUIREMENTS).flatMap((text) => {
    const name = REQUIREMENT.exec(text)?.[0];
    return name === undefined ? [] : [{ text, name: packageName(name) }];
  });
}

/** A package's name in the one spelling of PEP 503: lower case, single hyphens. */
export function packageName(name: string): string {
  return name.replace(/[-_.]+/g, "-").toLowerCase();
}
