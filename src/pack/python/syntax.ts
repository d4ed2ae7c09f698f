/** Owns which Python sources do not compile, told by the sandbox's own interpreter. Never runs a source. */
import { startPython } from "./interpreter.ts";

/** A Python file. */
export interface PythonSource {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Why a source does not compile. */
export interface PythonFault {
  /** CPython's own words. */
  readonly message: string;
  /** Counted from 1; null where CPython names none. */
  readonly line: number | null;
}

/** As many bytes as one interpreter reads. */
const MAX_BATCH_BYTES = 4 << 20;
/** What is longer is found out when it runs. */
const MAX_SOURCE_BYTES = 512 * 1024;

/** Reads sources that stand one after the other, and compiles each; written without modules that take long to load. */
const COMPILE = `
import sys
data = open("/sources", "rb").read()
faults = []
start = 0
for number, length in enumerate(open("/lengths").read().split()):
    end = start + int(length)
    try:
        compile(data[start:end], "script", "exec", dont_inherit=True)
    except SyntaxError as error:
        faults.append(f"{number} {error.lineno or 0} {ascii(error.msg or 'invalid syntax')[1:-1]}")
    except (ValueError, RecursionError, MemoryError, OverflowError):
        pass
    start = end
open("/faults", "w").write("\\n".join(faults))
`;

/** Collects the Python sources of a pack, so that few interpreters are started for many of them. */
export class PythonSyntax<Owner> {
  #waiting: (PythonSource & { readonly owner: Owner })[] = [];
  #bytes = 0;
  #work: Promise<unknown> = Promise.resolve();
  readonly #faults = new Map<Owner, Map<string, PythonFault>>();

  /** Takes a source of an owner. */
  add(owner: Owner, source: PythonSource): void {
    if (source.bytes.byteLength > MAX_SOURCE_BYTES) {
      return;
    }
    this.#waiting.push({ ...source, owner });
    this.#bytes += source.bytes.byteLength;
    if (this.#bytes > MAX_BATCH_BYTES) {
      this.#compile();
    }
  }

  /** The faults of all sources that were taken, by owner and path. */
  async faults(): Promise<ReadonlyMap<Owner, ReadonlyMap<string, PythonFault>>> {
    this.#compile();
    await this.#work;
    return this.#faults;
  }

  #compile(): void {
    const sources = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#work = this.#work.then(async () => {
      const faults = await faultsOf(sources);
      for (const [at, { owner, path }] of sources.entries()) {
        const fault = faults.get(at);
        if (fault !== undefined) {
          this.#faults.set(owner, (this.#faults.get(owner) ?? new Map<string, PythonFault>()).set(path, fault));
        }
      }
    });
  }
}

async function faultsOf(sources: readonly PythonSource[]): Promise<ReadonlyMap<number, PythonFault>> {
  if (sources.length === 0) {
    return new Map();
  }
  const { FS, run } = await startPython();
  FS.writeFile("/sources", Buffer.concat(sources.map(({ bytes }) => bytes)));
  FS.writeFile("/lengths", new TextEncoder().encode(sources.map(({ bytes }) => bytes.byteLength).join(" ")));
  try {
    run(COMPILE, "Python sources cannot be looked at");
  } catch {
    // One that takes the interpreter down is looked at alone, and if it does so again, it is left to the run.
    return sources.length === 1 ? new Map() : halves(sources);
  }
  const text = new TextDecoder().decode(FS.readFile("/faults"));
  const lines = text === "" ? [] : text.split("\n");
  return new Map(
    lines.map((line) => {
      const [, number = "", at = "", message = ""] = /^(\d+) (\d+) (.*)$/s.exec(line) ?? [];
      return [Number(number), { message: spoken(message), line: at === "0" ? null : Number(at) }];
    }),
  );
}

async function halves(sources: readonly PythonSource[]): Promise<ReadonlyMap<number, PythonFault>> {
  const middle = Math.ceil(sources.length / 2);
  const [first, second] = [await faultsOf(sources.slice(0, middle)), await faultsOf(sources.slice(middle))];
  return new Map([...first, ...[...second].map(([at, fault]) => [at + middle, fault] as const)]);
}

/** The text of what `ascii()` wrote. */
function spoken(message: string): string {
  return message.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/g, (_, two, four, eight, sign) => {
    const code = two ?? four ?? eight;
    return code === undefined ? sign : String.fromCodePoint(Number.parseInt(code, 16));
  });
}
