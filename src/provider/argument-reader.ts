/**
 * Owns reading the fields of a tool call's arguments, told so that a model can mend what does not fit. By hand: a schema library would be most
 * of what importing this project costs.
 */
import { isTooDeep, MAX_DEPTH } from "../model/depth.ts";
import { SkillsError } from "../model/errors.ts";
import type { JsonValue } from "../model/record.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Reads the fields of one object of the arguments. */
export class ArgumentReader {
  readonly #fields: Fields;
  readonly #path: string;

  /** Throws `arguments-invalid` for what is no object. `path` leads to it and ends in a dot; it is empty for the arguments themselves. */
  constructor(value: unknown, path = "") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw needed(path === "" ? "the arguments" : `"${path.slice(0, -1)}"`, "an object");
    }
    this.#fields = value as Fields;
    this.#path = path;
  }

  string(key: string): string {
    const value = this.#own(key);
    if (typeof value !== "string") {
      throw this.#needed(key, "a string");
    }
    return value;
  }

  /** A text that may be missing or null. */
  optionalString(key: string): string | null {
    return this.#isAbsent(key) ? null : this.string(key);
  }

  /** One of some texts, which may be missing. */
  optionalChoice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | null {
    const value = this.#own(key);
    const choice = choices.find((known) => known === value);
    if (choice === undefined && value !== undefined) {
      throw this.#needed(key, `one of ${choices.map((known) => JSON.stringify(known)).join(", ")}`);
    }
    return choice ?? null;
  }

  /** A whole number that may be missing or null. */
  optionalInteger(key: string, minimum: number): number | null {
    if (this.#isAbsent(key)) {
      return null;
    }
    const value = this.#own(key);
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw this.#needed(key, "a number");
    }
    if (!Number.isSafeInteger(value)) {
      throw this.#needed(key, "a whole number");
    }
    if (value < minimum) {
      throw this.#needed(key, `at least ${minimum}`);
    }
    return value;
  }

  /** An object that may be missing or null. */
  optionalObject(key: string): ArgumentReader | null {
    return this.#isAbsent(key) ? null : new ArgumentReader(this.#own(key), `${this.#path}${key}.`);
  }

  /** A list of objects that may be missing or null. */
  objects(key: string): ArgumentReader[] {
    const value = this.#own(key) ?? [];
    if (!Array.isArray(value)) {
      throw this.#needed(key, "an array");
    }
    return value.map((item: unknown, i) => new ArgumentReader(item, `${this.#path}${key}.${i}.`));
  }

  /** Whatever is there, as it came. */
  json(key: string): JsonValue | undefined {
    const value = this.#fields[key];
    if (isTooDeep(value)) {
      throw this.#needed(key, `what lies at most ${MAX_DEPTH} lists and objects deep`);
    }
    return value as JsonValue | undefined;
  }

  #own(key: string): unknown {
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  #isAbsent(key: string): boolean {
    return (this.#own(key) ?? null) === null;
  }

  #needed(key: string, what: string): SkillsError {
    return needed(`"${this.#path}${key}"`, what);
  }
}

function needed(where: string, what: string): SkillsError {
  return new SkillsError("arguments-invalid", `Cannot use ${where}: ${what} is needed`);
}
