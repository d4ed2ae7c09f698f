/** Makes directories for a test and removes them when it ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "edge-skills-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes texts below a directory, a new one by default; answers it. */
export function plant(texts: Readonly<Record<string, string | Uint8Array>>, top = temporaryDirectory()): string {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  return top;
}

/** A SKILL.md that has nothing wrong with it. */
export function manifest(name: string, body = "Follow the steps.\n"): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}`;
}
