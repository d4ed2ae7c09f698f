/** Owns what a compiled script calls for its modules (`__es`); the other side is src/pack/javascript/. Never loads code. */
import { directoryName, resolvePath } from "../../files/paths.ts";
import type { LineTable } from "./errors.ts";
import type { FsSync } from "./fs-sync.ts";
import type { Modules } from "./modules.ts";

/** What src/pack/compile-javascript.ts makes. */
export interface Script {
  (es: object, tick: () => void, require: undefined, exports: undefined, module: undefined): Promise<void>;
  readonly lines: LineTable;
}

/** Makes `__es` and the module `module`. */
export function makeImports(main: string, modules: () => Modules, sync: () => FsSync) {
  const mainModule: { value: unknown } = { value: { filename: main, id: ".", loaded: true, exports: {} } };
  const plain = (specifier: string) => specifier.replace(/^node:/, "");
  const named = (specifier: string) => modules().get(plain(specifier));
  const isNamed = (specifier: string) => modules().has(plain(specifier));
  const requireFrom = (importer: string) => {
    const require = (specifier: string): unknown => {
      const found = named(specifier);
      if (found !== undefined) {
        return found;
      }
      const path = resolvePath(directoryName(importer), specifier);
      if (/^[./]/.test(specifier) && path.endsWith(".json") && sync().existsSync(path)) {
        return JSON.parse(String(sync().readFileSync(path, "utf8")));
      }
      throw missing(specifier, "require", importer);
    };
    return Object.assign(require, {
      resolve: requireResolver(importer),
      cache: {},
      main: mainModule.value,
      extensions: {},
    });
  };
  const requireResolver = (importer: string) => (specifier: string) => {
    if (isNamed(specifier)) {
      return specifier;
    }
    const path = resolvePath(directoryName(importer), specifier);
    if (!/^[./]/.test(specifier) || !sync().existsSync(path)) {
      throw missing(specifier, "require", importer);
    }
    return path;
  };
  const es = {
    builtin: (name: string) => named(name),
    missing,
    /** A `require` in a module that has none. */
    get __es_no_require(): never {
      throw new ReferenceError("require is not defined");
    },
    get mainModule() {
      return mainModule.value;
    },
    main: (module: unknown) => {
      mainModule.value = module;
      return module;
    },
    resolver: (importer: string) => (specifier: string) =>
      isNamed(specifier) ? `node:${plain(specifier)}` : `file://${resolvePath(directoryName(importer), specifier)}`,
    requireResolver,
    import: async (specifier: unknown) => {
      const found = named(String(specifier));
      if (found === undefined) {
        throw missing(String(specifier), "import", main);
      }
      return { ...(found as object), default: found };
    },
  };
  const createRequire = (from: string | URL) => requireFrom(String(from).replace(/^file:\/\//, ""));
  const module = {
    createRequire,
    get builtinModules() {
      return modules().names;
    },
    isBuiltin: isNamed,
    register: () => undefined,
  };
  return { es, module: Object.assign(module, { Module: module }) };
}

/** The error for a module that was not packed. */
function missing(specifier: string, kind: string, importer: string): Error {
  if (kind === "require") {
    const error = new Error(`Cannot find module '${specifier}'\nRequire stack:\n- ${importer}`);
    return Object.assign(error, { code: "MODULE_NOT_FOUND", requireStack: [importer] });
  }
  const relative = /^[./]/.test(specifier);
  const what = relative ? `module '${resolvePath(directoryName(importer), specifier)}'` : `package '${specifier}'`;
  return Object.assign(new Error(`Cannot find ${what} imported from ${importer}`), { code: "ERR_MODULE_NOT_FOUND" });
}
