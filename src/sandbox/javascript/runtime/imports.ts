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

/** A module of the skill that a file may ask for when it runs. */
interface Provided {
  readonly import?: () => Promise<unknown>;
  readonly require?: () => unknown;
}

/** What `require` tries after a path. */
const REQUIRED_ENDS = ["", ".js", ".json", ".cjs", ".mjs", ".ts", "/index.js", "/index.cjs", "/index.ts"];

/** Makes `__es` and the module `module`. */
export function makeImports(
  main: string,
  modules: () => Modules,
  sync: () => FsSync,
  awaited: (value: unknown) => unknown,
  onCommonMain: () => void,
) {
  const mainModule: { value: unknown } = { value: { filename: main, id: ".", loaded: true, exports: {} } };
  const plain = (specifier: string) => specifier.replace(/^node:/, "");
  const named = (specifier: string) => modules().get(plain(specifier));
  const isNamed = (specifier: string) => modules().has(plain(specifier));
  const provided = new Map<string, Provided>();
  const isPath = (specifier: string) => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier);
  const pathFrom = (importer: string, specifier: string) =>
    specifier.startsWith("file:")
      ? decodeURIComponent(new URL(specifier).pathname)
      : resolvePath(directoryName(importer), specifier);
  const isFile = (path: string) => sync().statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  /** What the packer put into the script because a file might ask for it. */
  const providedFor = (importer: string, specifier: string, ends: readonly string[]): Provided | undefined => {
    const path = isPath(specifier) ? pathFrom(importer, specifier) : null;
    const keys = [JSON.stringify([importer, specifier]), ...(path === null ? [] : ends.map((end) => path + end))];
    return keys.map((key) => provided.get(key)).find((found) => found !== undefined);
  };
  const requireFrom = (importer: string) => {
    const require = (specifier: string): unknown => {
      const found = named(specifier);
      if (found !== undefined) {
        return found;
      }
      const module = providedFor(importer, specifier, REQUIRED_ENDS);
      if (module?.require !== undefined) {
        return module.require();
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
    const path = pathFrom(importer, specifier);
    const end = isPath(specifier) ? REQUIRED_ENDS.find((end) => isFile(path + end)) : undefined;
    if (end === undefined) {
      throw missing(specifier, "require", importer);
    }
    return path + end;
  };
  const importFrom = async (importer: string, specifier: string): Promise<unknown> => {
    const found = named(specifier);
    if (found !== undefined) {
      return Object.assign(Object.create(Object.getPrototypeOf(found)), found, { default: found });
    }
    const module = providedFor(importer, specifier, [""]);
    if (module?.import === undefined) {
      throw missing(specifier, "import", importer);
    }
    return await module.import();
  };
  const es = {
    awaited,
    builtin: (name: string) => named(name),
    missing,
    /** A `require` in a module that has none. */
    get __es_no_require(): never {
      throw new ReferenceError("require is not defined");
    },
    get mainModule() {
      return mainModule.value;
    },
    main: (module: object) => {
      onCommonMain();
      const path = directoryName(main);
      const facts = {
        id: ".",
        path,
        filename: main,
        loaded: false,
        children: [],
        paths: [`${path}/node_modules`],
        parent: null,
      };
      mainModule.value = Object.assign(module, facts);
      return module;
    },
    resolver: (importer: string) => (specifier: string) =>
      isNamed(specifier) ? `node:${plain(specifier)}` : `file://${resolvePath(directoryName(importer), specifier)}`,
    requireResolver,
    import: (specifier: unknown) => importFrom(main, String(specifier)),
    importer: (importer: string) => (specifier: unknown) => importFrom(importer, String(specifier)),
    requireFrom,
    provide: (modules: readonly (readonly [key: string, module: Provided])[]) => {
      for (const [key, module] of modules) {
        provided.set(key, module);
      }
    },
  };
  const createRequire = (from: string | URL) => requireFrom(decodeURIComponent(String(from).replace(/^file:\/\//, "")));
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
