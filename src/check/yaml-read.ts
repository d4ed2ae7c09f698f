/**
 * Owns the turning of YAML nodes into texts, lists and ordered mappings: aliases, duplicate keys, where each field stands.
 * Never repairs and never knows a field.
 */
import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import type { UnusualYaml } from "./reference-validator.ts";
import { parseYaml, YamlFault } from "./yaml-parse.ts";
import { isMapping, toJsonText, type YamlMapping, type YamlValue } from "./yaml-value.ts";

/** How much all aliases together may repeat, in nodes plus characters. */
const MAX_ALIAS_WEIGHT = 256 * 1024;

/** Where something stands, in UTF-16 units from the start of the YAML text. */
export interface YamlPlace {
  readonly key: number;
  readonly value: number;
}

/** A YAML text that was read. */
export interface YamlReading {
  readonly mapping: YamlMapping;
  /** Keys that a mapping has twice, each once, with the offset of the last one. */
  readonly duplicates: ReadonlyMap<string, number>;
  /** Where the fields of the top level stand. */
  readonly places: ReadonlyMap<string, YamlPlace>;
  /** Forms that strict readers do not take, each with the offset of the first. */
  readonly unusual: ReadonlyMap<UnusualYaml, number>;
}

/** Reads a YAML text whose top level must be a mapping; nothing at all is an empty mapping. Throws a {@link YamlFault}, nothing else. */
export function readYaml(text: string): YamlReading {
  try {
    return new NodeReader().read(parseYaml(text));
  } catch (error) {
    throw error instanceof YamlFault ? error : new YamlFault(String(error), 0);
  }
}

/** A value with what it costs to repeat it. */
interface Weighed {
  readonly value: YamlValue;
  readonly weight: number;
}

class NodeReader {
  readonly #anchors = new Map<string, Weighed>();
  readonly #duplicates = new Map<string, number>();
  readonly #places = new Map<string, YamlPlace>();
  readonly #unusual = new Map<UnusualYaml, number>();
  #aliasWeight = 0;

  read(contents: Node | null): YamlReading {
    if (contents !== null && !isMap(contents) && !isNothing(contents)) {
      throw new YamlFault("it holds no fields of the form `key: value`", contents.range?.[0] ?? 0);
    }
    const { value } = this.#read(contents, 0);
    return {
      mapping: isMapping(value) ? value : new Map(),
      duplicates: this.#duplicates,
      places: this.#places,
      unusual: this.#unusual,
    };
  }

  #read(node: unknown, depth: number): Weighed {
    this.#look(node);
    if (isAlias(node)) {
      return this.#alias(node.source, offsetOf(node) ?? 0);
    }
    const read = this.#content(node, depth);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) {
      this.#anchors.set(node.anchor, read);
    }
    return read;
  }

  #look(node: unknown): void {
    const forms: Readonly<Record<UnusualYaml, boolean>> = {
      flow: (isMap(node) || isSeq(node)) && node.flow === true,
      tag: (isScalar(node) || isMap(node) || isSeq(node)) && node.tag !== undefined,
      anchor: isAlias(node) || ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined),
    };
    for (const form of ["flow", "tag", "anchor"] as const) {
      if (forms[form] && !this.#unusual.has(form)) {
        this.#unusual.set(form, offsetOf(node) ?? 0);
      }
    }
  }

  #content(node: unknown, depth: number): Weighed {
    if (isScalar(node)) {
      // An escape such as "\ud800" is half a character; storage and the wire know only whole ones.
      const value = String(node.value ?? "").toWellFormed();
      return { value, weight: 1 + value.length };
    }
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#read(item, depth + 1));
      return { value: items.map((item) => item.value), weight: items.reduce((sum, item) => sum + item.weight, 1) };
    }
    if (!isMap(node)) {
      return { value: "", weight: 1 };
    }
    const mapping = new Map<string, YamlValue>();
    let weight = 1;
    for (const pair of node.items) {
      const key = this.#read(pair.key, depth + 1);
      const value = this.#read(pair.value, depth + 1);
      const name = typeof key.value === "string" ? key.value : toJsonText(key.value);
      this.#note(name, pair, mapping.has(name), depth);
      mapping.set(name, value.value);
      weight += key.weight + value.weight;
    }
    return { value: mapping, weight };
  }

  #note(name: string, pair: { readonly key: unknown; readonly value: unknown }, again: boolean, depth: number): void {
    const key = offsetOf(pair.key) ?? 0;
    if (again) {
      this.#duplicates.set(name, key);
    }
    if (depth === 0) {
      this.#places.set(name, { key, value: offsetOf(pair.value) ?? key });
    }
  }

  #alias(name: string, offset: number): Weighed {
    const target = this.#anchors.get(name);
    if (!target) {
      throw new YamlFault(`"*${name}" points to no earlier anchor "&${name}"`, offset);
    }
    this.#aliasWeight += target.weight;
    if (this.#aliasWeight > MAX_ALIAS_WEIGHT) {
      throw new YamlFault("its aliases expand without bound", offset);
    }
    return target;
  }
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

function isNothing(node: Node): boolean {
  return isScalar(node) && node.type === "PLAIN" && node.source === "";
}
