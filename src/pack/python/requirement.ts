/** Owns what a package says that it needs (PEP 508), and whether that counts in the sandbox. Never looks for packages. */
import { satisfies } from "@renovatebot/pep440";
import { packageName } from "../../check/python-requirements.ts";

/** A package that is needed. */
export interface Requirement {
  /** In the spelling of PEP 503. */
  readonly name: string;
  /** Names of sets of further packages, `security` in `requests[security]`. */
  readonly extras: readonly string[];
  /** Which versions will do, `>=2,<3`; empty for any. */
  readonly versions: string;
  /** When it counts; empty for always. */
  readonly marker: string;
}

/** The sandbox as markers know it. */
const SANDBOX: Readonly<Record<string, string>> = {
  python_version: "3.13",
  python_full_version: "3.13.0",
  os_name: "posix",
  sys_platform: "linux",
  platform_system: "Linux",
  platform_machine: "wasm32",
  platform_release: "",
  platform_version: "",
  platform_python_implementation: "CPython",
  implementation_name: "cpython",
  implementation_version: "3.13.0",
};

/** Over a text whose blanks are single ones. */
const REQUIREMENT =
  /^(?<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?![\w.-]) ?(?:\[(?<extras>[^\]]*)\])? ?\(?(?<versions>[^;()@]*)\)? ?(?:;(?<marker>.*))?$/s;

/** Characters of a requirement; a longer one is none. */
const MAX_REQUIREMENT = 2_000;

/** Reads one requirement; null for what is none, or leads to an address. */
export function parseRequirement(text: string): Requirement | null {
  const {
    name,
    extras = "",
    versions = "",
    marker = "",
  } = REQUIREMENT.exec(text.trim().replace(/\s+/g, " "))?.groups ?? {};
  return name === undefined || text.length > MAX_REQUIREMENT
    ? null
    : {
        name: packageName(name),
        extras: extras.split(",").flatMap((extra) => (extra.trim() === "" ? [] : [packageName(extra.trim())])),
        versions: versions.replace(/\s+/g, ""),
        marker: marker.trim(),
      };
}

/** What the METADATA of a package states. */
export function requirementsIn(metadata: string): Requirement[] {
  const head = metadata.split(/\r?\n\r?\n/, 1)[0] ?? "";
  return [...head.matchAll(/^Requires-Dist:\s*(.+)$/gim)].flatMap(([, text = ""]) => parseRequirement(text) ?? []);
}

/** Whether a requirement counts in the sandbox when these extras are asked for. What cannot be read counts. */
export function appliesToSandbox({ marker }: Requirement, extras: readonly string[] = []): boolean {
  return marker === "" || ["", ...extras].some((extra) => new MarkerReader(marker, { ...SANDBOX, extra }).read());
}

/** The operands and signs of a marker. */
const TOKEN = /\s*(?:"([^"]*)"|'([^']*)'|(===|[<>=!~]=|[<>()]|\bnot\s+in\b|[a-z_]+))/gy;

class MarkerReader {
  readonly #tokens: { readonly text: string; readonly isValue: boolean }[];
  readonly #facts: Readonly<Record<string, string>>;
  #at = 0;

  constructor(marker: string, facts: Readonly<Record<string, string>>) {
    this.#facts = facts;
    this.#tokens = [...marker.matchAll(TOKEN)].map(([, double, single, sign = ""]) => ({
      text: double ?? single ?? sign.replace(/\s+/g, " "),
      isValue: sign === "",
    }));
  }

  read(): boolean {
    return this.#either();
  }

  #either(): boolean {
    let result = this.#both();
    while (this.#take("or")) {
      result = this.#both() || result;
    }
    return result;
  }

  #both(): boolean {
    let result = this.#one();
    while (this.#take("and")) {
      result = this.#one() && result;
    }
    return result;
  }

  #one(): boolean {
    if (this.#take("(")) {
      const inner = this.#either();
      this.#take(")");
      return inner;
    }
    const [left, sign, right] = [this.#value(), this.#tokens[this.#at++]?.text, this.#value()];
    return left === null || right === null || sign === undefined ? true : compare(left, sign, right);
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = token?.text === text && !token.isValue;
    this.#at += isIt ? 1 : 0;
    return isIt;
  }

  #value(): string | null {
    const token = this.#tokens[this.#at++];
    return token === undefined ? null : token.isValue ? token.text : (this.#facts[token.text] ?? null);
  }
}

function compare(left: string, sign: string, right: string): boolean {
  if (sign === "in" || sign === "not in") {
    return right.includes(left) === (sign === "in");
  }
  const isVersion = /^\d+(?:\.\d+)*(?:\.\*)?$/;
  if (isVersion.test(left) && isVersion.test(right)) {
    return satisfies(left, `${sign}${right}`, { prereleases: true });
  }
  const texts: Readonly<Record<string, boolean>> = {
    "==": left === right,
    "===": left === right,
    "!=": left !== right,
    "<": left < right,
    "<=": left <= right,
    ">": left > right,
    ">=": left >= right,
  };
  return texts[sign] ?? true;
}
