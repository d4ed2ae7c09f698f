/** Owns how errors of a script read: Node.js's words, with the places of the script's own files; never when a script ends. */
import { builtin } from "./builtins.ts";
import { NODE_VERSION } from "./process.ts";

/** For each line of the compiled script: file and line it came from; as written by src/pack/javascript/wrap.ts. */
export interface LineTable {
  readonly files: readonly string[];
  readonly at: readonly number[];
}

/** V8's view of one call (the part used here). */
interface CallSite {
  getFileName(): string | null;
  getLineNumber(): number | null;
  getFunctionName(): string | null;
  getTypeName(): string | null;
  getMethodName(): string | null;
  isConstructor(): boolean;
  isAsync?(): boolean;
  toString(): string;
}

const SCRIPT = "script.js";
/** Names that bundling gave to the body of a file. */
const BODY = /^(?:skill|missing|node):|^module\.exports$|^__require$|^__init$|^fn$/;

/** Makes every stack of the isolate show the skill's files instead of the compiled script, and nothing of the sandbox. */
export function mapStacks(lines: LineTable): void {
  Object.defineProperty(Error, "prepareStackTrace", {
    configurable: true,
    writable: true,
    enumerable: false,
    value: (error: unknown, sites: readonly CallSite[]) => {
      hideOwn(error);
      const head = headOf(error);
      const frames = sites.map((site) => frame(site, lines)).filter((line) => line !== null);
      return [head, ...frames].join("\n");
    },
  });
}

/** To be called before an error is shown: its stack is made when that is first read, and what it shows of itself is then as in Node.js. */
export function readStack(error: unknown): void {
  if (error instanceof Error) {
    void error.stack;
    readStack(error.cause);
  }
}

/** Errors of the platform's modules carry as their own what Node.js has in their class. */
function hideOwn(error: unknown): void {
  if (typeof error === "object" && error !== null && Object.hasOwn(error, "toString") && Object.hasOwn(error, "code")) {
    for (const name of ["toString", "name"]) {
      const own = Object.getOwnPropertyDescriptor(error, name);
      if (own?.configurable === true) {
        Object.defineProperty(error, name, { ...own, enumerable: false });
      }
    }
  }
}

function headOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "Error";
  }
}

function frame(site: CallSite, lines: LineTable): string | null {
  const file = site.getFileName();
  if (file === null || !file.endsWith(SCRIPT)) {
    return null;
  }
  const place = placeOf(site.getLineNumber() ?? 0, lines);
  if (place === null) {
    return null;
  }
  const name = site.getFunctionName();
  const shown = name === null || BODY.test(name) ? (name === null ? null : "Object.<anonymous>") : name;
  const prefix = `${site.isAsync?.() ? "async " : ""}${site.isConstructor() ? "new " : ""}`;
  return shown === null ? `    at ${prefix}${place}` : `    at ${prefix}${shown} (${place})`;
}

function placeOf(row: number, lines: LineTable): string | null {
  const file = lines.files[lines.at[(row - 1) * 2] ?? -1];
  return file?.startsWith("/skill/") ? `${file}:${lines.at[(row - 1) * 2 + 1]}` : null;
}

/**
 * The text on standard error when nobody caught an error.
 * @param sourceLine the text of a line of a file, or null
 */
export function uncaught(error: unknown, sourceLine: (file: string, line: number) => string | null): string {
  const { inspect } = builtin("util");
  readStack(error);
  const shown = typeof error === "object" && error !== null ? inspect(error) : `Uncaught ${inspect(error)}`;
  const [, file, line] = /\(?(\/skill\/[^\n]*?):(\d+)\)?$/m.exec(shown) ?? [];
  const source = file === undefined ? null : sourceLine(file, Number(line));
  const place = source === null ? "" : `${file}:${line}\n${source}\n\n`;
  return `${place}${shown}\n\nNode.js v${NODE_VERSION}\n`;
}
