/** Owns findings as workflow commands of GitHub Actions, which shows them at the lines of a change. Never judges. */
import type { LocatedDiagnostic } from "./sarif.ts";

const COMMANDS = { error: "error", warning: "warning", info: "notice" } as const;

/** One line for each finding: `::error file=…,line=…,col=…,title=…::…`. */
export function annotations(found: readonly LocatedDiagnostic[]): string[] {
  return found.map(({ problem: { severity, code, message, line, column, hint }, path }) => {
    const properties = { file: path, line, col: column, title: code };
    const given = Object.entries(properties).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}=${escaped(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`],
    );
    const text = hint === undefined ? message : `${message}\n${hint}`;
    return `::${COMMANDS[severity]} ${given.join(",")}::${escaped(text)}`;
  });
}

/** Nothing that a skill holds begins a command of its own. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
