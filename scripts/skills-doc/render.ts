/** Owns the words of the list of diagnostics in docs/skills.md. Never writes a file. */
import { DIAGNOSTIC_GUIDE } from "../../src/check/diagnostic-guide.ts";
import { PROFILES, underProfile } from "../../src/check/profiles.ts";
import { DIAGNOSTIC_SEVERITY, type DiagnosticCode, diagnostic } from "../../src/model/diagnostics.ts";
import { EXAMPLES, type Example } from "./examples.ts";

const BEGIN = "<!-- diagnostics: written by `npm run docs` -->";
const END = "<!-- end of diagnostics -->";

/** The document with its list of diagnostics as the code has them now. */
export function withDiagnostics(document: string): string {
  const [before, rest = ""] = document.split(BEGIN);
  const after = rest.split(END)[1] ?? "";
  const codes = Object.keys(DIAGNOSTIC_GUIDE) as DiagnosticCode[];
  return `${before}${BEGIN}\n\n${codes.map(section).join("\n")}\n${END}${after}`;
}

function section(code: DiagnosticCode): string {
  const { title, mend } = DIAGNOSTIC_GUIDE[code];
  return `### \`${code}\`: ${severities(code)}\n\n${title}.\n\n${shown(EXAMPLES[code])}\n*Mend*: ${mend}\n`;
}

/** The severity, and what stricter profiles make of it. */
function severities(code: DiagnosticCode): string {
  const plain = DIAGNOSTIC_SEVERITY[code];
  const stricter = PROFILES.filter(
    (profile) => underProfile(diagnostic(code, "", { file: "skill.md" }), profile).severity !== plain,
  );
  return stricter.length === 0
    ? plain
    : `${plain}, an error under ${stricter.map((profile) => `\`${profile}\``).join(" and ")}`;
}

function shown(example: Example): string {
  if ("words" in example) {
    return `*Example*: ${example.words}\n`;
  }
  const files = Object.entries(example.files).map(([path, text]) => {
    const name = path.startsWith("../") ? path.slice(3) : `bird-log/${path}`;
    return `\`${name}\`\n\n\`\`\`\`text\n${text}${text.endsWith("\n") ? "" : "\n"}\`\`\`\`\n`;
  });
  return `*Example*: ${files.join("\n")}`;
}
