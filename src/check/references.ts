/** Owns the check that links of SKILL.md lead to files of the skill. Never finds links. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { resolvePath } from "../model/path.ts";
import type { Manifest } from "./manifest.ts";
import { type MarkdownLink, markdownLinks } from "./markdown-links.ts";

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Reports each target once that leaves the skill or is not there. */
export function checkReferences(manifest: Manifest, paths: Iterable<string>): Diagnostic[] {
  const known = new Set<string>();
  for (const path of paths) {
    addWithDirectories(known, path.normalize("NFC"));
  }
  const seen = new Set<string>();
  return markdownLinks(manifest.body).flatMap((link) => {
    if (seen.has(link.target)) {
      return [];
    }
    seen.add(link.target);
    return checkLink(link, known, manifest) ?? [];
  });
}

function addWithDirectories(known: Set<string>, path: string): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const part = path.slice(0, end);
    if (known.has(part)) {
      return;
    }
    known.add(part);
  }
}

function checkLink(link: MarkdownLink, known: ReadonlySet<string>, manifest: Manifest): Diagnostic | null {
  const target = link.target.trim();
  if (HAS_SCHEME.test(target) || target.startsWith("//")) {
    return null;
  }
  const written = target.replace(/[?#].*$/s, "");
  if (written === "") {
    return null;
  }
  // A file may really be called "100%.md" or "a#b.md", so the target counts as it stands, too.
  const resolved = [decodePercent(written), written, target].map((path) => resolvePath("", path)?.normalize("NFC"));
  if (resolved.some((path) => path !== undefined && (path === "" || known.has(path)))) {
    return null;
  }
  const place = { file: manifest.file, line: manifest.bodyLine + link.line - 1, column: link.column };
  if (resolved[0] === undefined) {
    return diagnostic("reference-outside", `The link to "${target}" leads out of the skill`, {
      ...place,
      hint: "copy the file into the skill",
    });
  }
  const hint = "add the file, or mend the path: it counts from the skill's directory";
  return diagnostic("reference-missing", `The link leads to "${target}", which the skill does not have`, {
    ...place,
    hint,
  });
}

function decodePercent(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
