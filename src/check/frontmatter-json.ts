/** Owns the frontmatter as other readers see it: YAML's own types, numbers and truth values among them. What is served here has texts only. */
import { parse } from "yaml";
import type { JsonObject } from "../model/record.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { readManifestText } from "./text.ts";

/** The YAML package compares each key with each other, so it is given only what it can read in no time. */
const MAX_LENGTH = 32 * 1024;
const MAX_LINES = 1_000;

/** The frontmatter of a SKILL.md as a strict reader takes it; null where that would refuse it, or read something JSON cannot hold. */
export function frontmatterJson(manifest: Uint8Array): JsonObject | null {
  const { text } = readManifestText(manifest, "SKILL.md");
  const { parts } = text === null ? { parts: null } : splitFrontmatter(text, "SKILL.md");
  if (parts === null || parts.yaml.length > MAX_LENGTH || parts.yaml.split("\n").length > MAX_LINES) {
    return null;
  }
  try {
    const value: unknown = parse(parts.yaml, { logLevel: "error" });
    const json: unknown = JSON.parse(JSON.stringify(value));
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as JsonObject) : null;
  } catch {
    return null;
  }
}
