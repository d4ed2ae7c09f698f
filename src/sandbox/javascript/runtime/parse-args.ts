/** Owns `util.parseArgs`, which the platform lacks, with the errors that Node.js throws; never the parsing itself. */
import { parseArgs as parse } from "@pkgjs/parseargs";

type ParseArgs = typeof parse;

/** An error as Node.js makes them: its code shows in its text and not in its name. */
class CodedTypeError extends TypeError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  override toString(): string {
    return `TypeError [${this.code}]: ${this.message}`;
  }
}

export const parseArgs: ParseArgs = (config) => {
  try {
    return parse(config);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") {
      throw new CodedTypeError(error.code, error.message);
    }
    throw error;
  }
};
