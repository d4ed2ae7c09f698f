/** Owns naming paths in errors as the script spelled them, as Node.js does; never what a call does. */
import { FileError } from "../../files/errors.ts";

/** The same calls, whose errors name paths as they were given. */
export function asGiven<Calls extends object>(calls: Calls, absolute: (path: string) => string): Calls {
  const wrapped = Object.entries(calls).map(([name, call]: [string, unknown]) => [
    name,
    typeof call === "function" ? namingAsGiven(call as (...args: unknown[]) => unknown, absolute) : call,
  ]);
  return Object.fromEntries(wrapped) as Calls;
}

function namingAsGiven(call: (...args: unknown[]) => unknown, absolute: (path: string) => string) {
  return (...args: unknown[]): unknown => {
    try {
      return call(...args);
    } catch (error) {
      if (!(error instanceof FileError) || error.path === undefined) {
        throw error;
      }
      const spelled = (path: string) =>
        args
          .slice(0, 2)
          .find((arg): arg is string => typeof arg === "string" && arg !== "" && absolute(arg) === path) ?? path;
      const { code, syscall, path, dest } = error;
      throw new FileError(code, syscall, spelled(path), dest === undefined ? undefined : spelled(dest));
    }
  };
}
