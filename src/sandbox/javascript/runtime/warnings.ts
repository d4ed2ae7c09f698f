/** Owns what `process.emitWarning` makes of what it is given; never who hears of it. */

export interface WarningOptions {
  readonly type?: string;
  readonly code?: string;
}

interface Warning extends Error {
  code?: string;
}

/** What `process.emitWarning` makes of its arguments. */
export function warningOf(warning: string | Error, type: string | WarningOptions | undefined, code?: string): Warning {
  if (warning instanceof Error) {
    return warning;
  }
  const options: WarningOptions =
    typeof type === "object" ? type : { ...(type ? { type } : {}), ...(code ? { code } : {}) };
  const facts = { name: options.type ?? "Warning", ...(options.code === undefined ? {} : { code: options.code }) };
  const error: Warning = new Error(warning);
  for (const [name, value] of Object.entries(facts)) {
    Object.defineProperty(error, name, { value, writable: true, configurable: true, enumerable: name === "code" });
  }
  return error;
}

export function warningText({ name, message, code }: Warning): string {
  return `(node:1) ${code === undefined ? "" : `[${code}] `}${name}: ${message}\n`;
}
