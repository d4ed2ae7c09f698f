/**
 * Owns which modules are compiled into a script because it may ask for them when it runs, and the module that tells the sandbox of them;
 * never how they are asked for.
 */
import { posix } from "node:path";

/** A module that a file asks for by name through a `require` of its own making. */
export interface NamedModule {
  /** Absolute. */
  readonly importer: string;
  readonly specifier: string;
}

/** What the files of one script ask for when they run. */
export class LateModules {
  readonly #named = new Map<string, NamedModule>();
  readonly #computed = new Map<string, Set<"import" | "require">>();

  /** Notes what a file asks for. */
  note(importer: string, named: readonly string[], computed: ReadonlySet<"import" | "require">): void {
    for (const specifier of named) {
      this.#named.set(JSON.stringify([importer, specifier]), { importer, specifier });
    }
    for (const how of computed) {
      this.#computed.set(importer, (this.#computed.get(importer) ?? new Set()).add(how));
    }
  }

  get isEmpty(): boolean {
    return this.#named.size === 0 && this.#computed.size === 0;
  }

  /**
   * The text of a module that gives them to the sandbox.
   * @param files the skill's modules, absolute, without the script itself
   */
  moduleText(files: readonly string[]): string {
    const named = [...this.#named.values()]
      .map(({ importer, specifier }) => JSON.stringify([importer, specifier]))
      .sort()
      .map((key) => `  [${JSON.stringify(key)}, { require: () => require(${JSON.stringify(`asked:${key}`)}) }],`);
    const how = new Set([...this.#computed.values()].flatMap((ways) => [...ways]));
    const reachable = how.size === 0 ? [] : files;
    const computed = reachable.map((path) => {
      const text = JSON.stringify(path);
      const ways = [
        ...(how.has("import") ? [`import: () => import(${text})`] : []),
        ...(how.has("require") ? [`require: () => require(${text})`] : []),
      ];
      return `  [${text}, { ${ways.join(", ")} }],`;
    });
    return `__es.provide([\n${[...named, ...computed].join("\n")}\n]);\n`;
  }

  /**
   * The files that may be meant, nearest first, up to a size.
   * @param sizes bytes by absolute path
   */
  reachable(sizes: ReadonlyMap<string, number>): string[] {
    const from = [...this.#computed.keys()].map((path) => posix.dirname(path));
    const near = (path: string) => (from.some((dir) => path.startsWith(`${dir}/`)) ? 0 : 1);
    let left = MOST_BYTES;
    return [...sizes]
      .sort(([a], [b]) => near(a) - near(b) || (a < b ? -1 : 1))
      .filter(([, size]) => {
        left -= size;
        return left >= 0;
      })
      .map(([path]) => path);
  }
}

/** Bytes of modules that are compiled into a script because it might ask for them. */
const MOST_BYTES = 1 << 20;
