/** Owns which shell scripts do not parse, told by the sandbox's own parser (src/sandbox/shell/syntax.ts, as it was built). Never runs a script. */
import { fileURLToPath } from "node:url";

/** The parser, as `scripts/build-sandbox.ts` makes it. */
export const SHELL_SYNTAX = new URL("../sandbox/generated/shell-syntax.js", import.meta.url);

/** Why a script does not parse. */
interface ShellFault {
  readonly message: string;
  /** Counted from 1; null where the parser does not know it. */
  readonly line: number | null;
}

interface ShellSyntax {
  shellFault(script: Uint8Array): ShellFault | null;
}

let loading: Promise<ShellSyntax> | null = null;

/** What is wrong with a script; null when it parses. The parser is loaded with the first script. Throws when the sandbox is not built. */
export async function shellFault(script: Uint8Array): Promise<ShellFault | null> {
  loading ??= load();
  return (await loading).shellFault(script);
}

async function load(): Promise<ShellSyntax> {
  try {
    return (await import(SHELL_SYNTAX.href)) as ShellSyntax;
  } catch (cause) {
    throw new Error(`"${fileURLToPath(SHELL_SYNTAX)}" is not built: run \`node scripts/build-sandbox.ts\``, { cause });
  }
}
