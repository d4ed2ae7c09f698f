/** Owns whether the sandbox has what a script needs: its language, the modules it imports, the commands it calls. Never runs a script. */
import { directoryOf, resolvePath } from "../model/path.ts";
import type { Runtime } from "../model/run.ts";
import { type JavaScriptImport, javaScriptImports, packageOf } from "./javascript-imports.ts";
import { type PythonImport, pythonImports } from "./python-imports.ts";
import { listedRequirements, packageOfModule, requirementOf, scriptRequirements } from "./python-requirements.ts";
import { shellUse } from "./shell-commands.ts";
import type { ShellUse } from "./shell-use.ts";

/** What the sandbox provides. */
export interface SandboxTable {
  /** Importable Python modules by the first part of their names: the standard library's and provided ones. */
  readonly pythonModules: ReadonlySet<string>;
  /** Commands of the shell, built-in ones too. */
  readonly shellCommands: ReadonlySet<string>;
  /** Built-in modules of Node.js, without `node:`. */
  readonly nodeModules: ReadonlySet<string>;
  /** Functions of these modules that exist and fail when they are called: by module, then what to use in place of each. */
  readonly nodeMissing: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** What a script lacks. */
export interface Lack {
  readonly reason: string;
  /** Where it is asked for; no line for what the file as a whole needs. */
  readonly file: string;
  readonly line: number | null;
  /** The package that would provide it; null when none would. */
  readonly package: PackageName | null;
}

/** A package of which scripts can get what the sandbox lacks. */
export interface PackageName {
  readonly of: "python" | "npm";
  /** With its version if the skill states one. */
  readonly name: string;
}

/** Texts of a skill's files, by path; null for what is no text. */
export type ReadText = (path: string) => string | null;

/** What scripts can use of their skill. */
export interface NeededFiles {
  readonly paths: ReadonlySet<string>;
  readonly readText: ReadText;
  /** Names of the npm packages that lie beside the files. */
  readonly npm: ReadonlySet<string>;
}

/** The part of bash's own commands that no list of programs names. */
const SHELL_BUILTINS: ReadonlySet<string> = new Set(
  (
    ": . [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit " +
    "export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly " +
    "return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait"
  ).split(" "),
);

const REQUIREMENTS = "requirements.txt";

/** How long a script may be to be read for its needs. */
const MAX_SCRIPT_LENGTH = 512 * 1024;

/** Finds what scripts of one skill lack; each file is read once, however many scripts import it. */
export class NeedsReader {
  readonly #paths: ReadonlySet<string>;
  readonly #readText: ReadText;
  readonly #table: SandboxTable;
  readonly #npm: ReadonlySet<string>;
  readonly #modules: ReadonlyMap<string, readonly string[]>;
  readonly #python = new Map<string, readonly PythonImport[]>();
  readonly #javaScript = new Map<string, readonly JavaScriptImport[]>();
  readonly #shell = new Map<string, ShellUse>();
  #shellFunctions: ReadonlySet<string> | null = null;

  constructor({ paths, readText, npm }: NeededFiles, table: SandboxTable) {
    this.#paths = paths;
    this.#readText = readText;
    this.#npm = npm;
    this.#table = table;
    this.#modules = pythonModulesOf(paths);
  }

  /** Everything that is known to keep a script of the given language from running, each once. */
  missing(path: string, runtime: Runtime): readonly Lack[] {
    if (runtime === "python") {
      return this.#missingModules(path);
    }
    return runtime === "bash" ? this.#missingCommands(path) : this.#missingPackages(path);
  }

  #text(path: string): string {
    return (this.#readText(path) ?? "").slice(0, MAX_SCRIPT_LENGTH);
  }

  #missingModules(script: string): readonly Lack[] {
    const lacks = new Map<string, Lack>();
    const files = new Set([script]);
    for (const file of files) {
      const imports = remembered(this.#python, file, () => pythonImports(this.#text(file)));
      for (const { module, name, line } of imports) {
        const own = this.#modules.get(module);
        if (own === undefined && !this.#table.pythonModules.has(module) && !lacks.has(module)) {
          const { text, stated } = this.#stated(module, file);
          const reason = `it imports the Python module "${module}", which the sandbox does not have (${file}, line ${line}${text})`;
          const bringer = stated ?? packageOfModule(module);
          lacks.set(module, { reason, file, line, package: bringer === null ? null : { of: "python", name: bringer } });
        }
        for (const next of own ? this.#pythonFiles(name, directoryOf(file), own) : []) {
          files.add(next);
        }
      }
    }
    return [...lacks.values()];
  }

  /** Where a missing module is asked for, to be read behind the place of its import. */
  #stated(module: string, file: string): { readonly text: string; readonly stated: string | null } {
    const own = requirementOf(module, scriptRequirements(this.#text(file)));
    if (own !== null) {
      return { text: `; the script asks for the package "${own.text}"`, stated: own.text };
    }
    const lists = [directoryOf(file), ""].map((directory) =>
      directory === "" ? REQUIREMENTS : `${directory}/${REQUIREMENTS}`,
    );
    const list = lists.find((path) => requirementOf(module, listedRequirements(this.#text(path))) !== null);
    const listed = list === undefined ? null : requirementOf(module, listedRequirements(this.#text(list)));
    return listed === null
      ? { text: "", stated: null }
      : { text: `; ${list} asks for the package "${listed.text}"`, stated: listed.text };
  }

  /** The files that an import of the skill's own module loads: the nearest one of that name and the packages on the way to it. */
  #pythonFiles(name: string, directory: string, own: readonly string[]): string[] {
    const parts = name.split(".");
    const found = parts.flatMap((_, index) => {
      const base = [directory, ...parts.slice(0, index + 1)].filter((part) => part !== "").join("/");
      return [`${base}.py`, `${base}/__init__.py`].filter((path) => this.#paths.has(path));
    });
    return found.length > 0 ? found : own.slice(0, 1);
  }

  #missingCommands(script: string): readonly Lack[] {
    const lacks = new Map<string, Lack>();
    const { commands, defined, optional, sources } = this.#shellUse(script);
    for (const { name, line } of commands) {
      const known = programName(name);
      const there =
        known === null ||
        SHELL_BUILTINS.has(known) ||
        this.#table.shellCommands.has(known) ||
        defined.has(known) ||
        optional.has(known) ||
        (sources && this.#definedElsewhere(known));
      if (!there && !lacks.has(known)) {
        const reason = `it calls the command "${known}", which the sandbox does not have (line ${line})`;
        lacks.set(known, { reason, file: script, line, package: null });
      }
    }
    return [...lacks.values()];
  }

  #definedElsewhere(name: string): boolean {
    this.#shellFunctions ??= new Set(
      [...this.#paths]
        .filter((path) => /\.(?:sh|bash)$/.test(path))
        .flatMap((path) => [...this.#shellUse(path).defined]),
    );
    return this.#shellFunctions.has(name);
  }

  #shellUse(path: string): ShellUse {
    return remembered(this.#shell, path, () => shellUse(this.#text(path)));
  }

  #missingPackages(script: string): readonly Lack[] {
    const lacks = new Map<string, Lack>();
    const files = new Set([script]);
    for (const file of files) {
      const imports = remembered(this.#javaScript, file, () => javaScriptImports(this.#text(file)));
      for (const { specifier, names, line } of imports) {
        const name = packageOf(specifier);
        const without = this.#table.nodeMissing.get(specifier.replace(/^node:/, ""));
        for (const lacking of names.filter((one) => without?.has(one) && !lacks.has(one))) {
          const instead = `use ${without?.get(lacking)}`;
          const reason = `it uses ${lacking} of "${specifier}", which the sandbox cannot have: ${instead} (${file}, line ${line})`;
          lacks.set(lacking, { reason, file, line, package: null });
        }
        if (name === null) {
          for (const next of this.#javaScriptFiles(specifier, directoryOf(file))) {
            files.add(next);
          }
        } else if (!this.#hasNodeModule(name) && !this.#npm.has(name) && !lacks.has(name)) {
          const reason = `it imports "${name}", which the sandbox does not have (${file}, line ${line})`;
          lacks.set(name, { reason, file, line, package: name.includes(":") ? null : { of: "npm", name } });
        }
      }
    }
    return [...lacks.values()];
  }

  #hasNodeModule(name: string): boolean {
    const plain = name.replace(/^node:/, "");
    return this.#table.nodeModules.has(plain) || this.#table.nodeModules.has(plain.split("/", 1)[0] ?? plain);
  }

  #javaScriptFiles(specifier: string, directory: string): string[] {
    const base = resolvePath(directory, specifier);
    if (base === null || !specifier.startsWith(".")) {
      return [];
    }
    const stem = base.replace(/\.[cm]?js$/, "");
    const endings = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", "/index.js", "/index.ts"];
    const found = [base, ...endings.map((end) => base + end), `${stem}.ts`, `${stem}.mts`].find((path) =>
      this.#paths.has(path),
    );
    return found && /\.[cm]?[jt]sx?$/.test(found) ? [found] : [];
  }
}

/** Modules that the skill's own files make importable, by name: a script may put any directory on its path. */
function pythonModulesOf(paths: ReadonlySet<string>): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  for (const path of paths) {
    if (path.endsWith(".py")) {
      const parts = path.slice(0, -".py".length).split("/");
      for (const part of parts) {
        const files = modules.get(part) ?? [];
        modules.set(part, files);
        if (part === parts.at(-1)) {
          files.push(path);
        }
      }
    }
  }
  return modules;
}

/** The name a command is looked up by; null for a path, which may lead to a file of the skill. */
function programName(command: string): string | null {
  if (!command.includes("/")) {
    return command;
  }
  return /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/.exec(command)?.[1] ?? null;
}

function remembered<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
