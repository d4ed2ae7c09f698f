/** Owns an awk program's variables, arrays and fields; never what an expression means. */
import type { AwkFunction, AwkProgram, Expression } from "./ast.ts";
import { AwkError } from "./lexer.ts";
import { Input, toNumber, toText, type Value } from "./values.ts";

export type AwkArray = Map<string, Value>;

/** Fields that a record may have. */
const MOST_FIELDS = 1_000_000;

/** How fields are found, given to the record by who can make regular expressions. */
export type Split = (text: string, separator: string) => string[];

export class Variables {
  readonly #globals = new Map<string, Value | AwkArray>();
  /** Variables of the functions that run, the innermost last. */
  readonly #frames: Map<string, Value | AwkArray>[] = [];
  readonly #split: Split;
  #record = "";
  #fields: Value[] | null = [];
  #isStale = false;

  constructor(split: Split, environment: Readonly<Record<string, string>>) {
    this.#split = split;
    const initial: Record<string, Value> = { FS: " ", OFS: " ", ORS: "\n", RS: "\n", SUBSEP: "\x1c", CONVFMT: "%.6g" };
    for (const [name, value] of Object.entries({ ...initial, OFMT: "%.6g", NR: 0, FNR: 0, RSTART: 0, RLENGTH: -1 })) {
      this.#globals.set(name, value);
    }
    const variables = Object.entries(environment).map(([name, text]): [string, Value] => [name, new Input(text)]);
    this.#globals.set("ENVIRON", new Map(variables));
  }

  enter(frame: Map<string, Value | AwkArray>): void {
    this.#frames.push(frame);
    if (this.#frames.length > 1000) {
      throw new AwkError("function calls are nested too deep");
    }
  }

  leave(): void {
    this.#frames.pop();
  }

  #home(name: string): Map<string, Value | AwkArray> {
    const frame = this.#frames.at(-1);
    return frame?.has(name) === true ? frame : this.#globals;
  }

  get(name: string): Value {
    if (name === "NF") {
      return this.#all().length;
    }
    const value = this.#home(name).get(name);
    if (value instanceof Map) {
      throw new AwkError(`type error: ${name} is an array`);
    }
    return value;
  }

  text(name: string): string {
    return toText(this.get(name));
  }

  set(name: string, value: Value): void {
    if (name === "NF") {
      const fields = this.#all();
      const count = Math.trunc(toNumber(value));
      this.#fields = Array.from({ length: bounded(count) }, (_, i) => fields[i]);
      this.#isStale = true;
    }
    const home = this.#home(name);
    if (home.get(name) instanceof Map) {
      throw new AwkError(`type error: ${name} is an array`);
    }
    home.set(name, value);
  }

  array(name: string): AwkArray {
    const home = this.#home(name);
    const found = home.get(name);
    if (found instanceof Map) {
      return found;
    }
    if (found !== undefined) {
      throw new AwkError(`type error: ${name} is no array`);
    }
    const made: AwkArray = new Map();
    home.set(name, made);
    return made;
  }

  isArray(name: string): boolean {
    return this.#home(name).get(name) instanceof Map;
  }

  setRecord(text: string): void {
    this.#record = text;
    this.#fields = null;
    this.#isStale = false;
  }

  field(index: number): Value {
    if (index === 0) {
      if (this.#isStale) {
        this.#record = this.#all()
          .map((value) => toText(value, this.text("CONVFMT")))
          .join(this.text("OFS"));
        this.#isStale = false;
      }
      return new Input(this.#record);
    }
    return this.#all()[bounded(index) - 1];
  }

  setField(index: number, value: Value): void {
    if (index === 0) {
      this.setRecord(toText(value));
      return;
    }
    const fields = this.#all();
    while (fields.length < bounded(index)) {
      fields.push(undefined);
    }
    fields[index - 1] = value;
    this.#isStale = true;
  }

  #all(): Value[] {
    this.#fields ??= this.#split(this.#record, this.text("FS")).map((text) => new Input(text));
    return this.#fields;
  }
}

function bounded(index: number): number {
  if (!(index >= 0 && index <= MOST_FIELDS)) {
    throw new AwkError(`there is no field ${index}`);
  }
  return index;
}

/** Which parameters of the functions are arrays: those used as such, also by functions they are handed on to. */
export function arrayParameters(program: AwkProgram): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map([...program.functions.keys()].map((name) => [name, new Set<string>()]));
  let before = -1;
  let now = 0;
  while (now !== before) {
    before = now;
    for (const [name, made] of program.functions) {
      mark(made, found.get(name) ?? new Set(), program, found);
    }
    now = [...found.values()].reduce((sum, names) => sum + names.size, 0);
  }
  return found;
}

function mark(
  made: AwkFunction,
  names: Set<string>,
  program: AwkProgram,
  found: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const add = (name: string | undefined) => {
    if (name !== undefined && made.params.includes(name)) {
      names.add(name);
    }
  };
  const nameOf = (value: Expression | undefined) => (value?.type === "variable" ? value.name : undefined);
  JSON.stringify(made.body, (_key, node) => {
    if (typeof node === "object" && node !== null && "type" in node) {
      if ("array" in node) {
        add(node.array);
      }
      if (node.type === "builtin" && (node.name === "split" || node.name === "asort" || node.name === "asorti")) {
        add(nameOf(node.args[node.name === "split" ? 1 : 0]));
      }
      if (node.type === "call") {
        const { params = [] } = program.functions.get(node.name) ?? {};
        const handed = params.flatMap((param, i) => (found.get(node.name)?.has(param) ? [nameOf(node.args[i])] : []));
        handed.forEach(add);
      }
    }
    return node;
  });
}
