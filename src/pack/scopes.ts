/** Owns which directories a local agent would look for skills in: the project's and the user's, in order of who wins. Reads no skill. */
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { comparePaths } from "../model/record.ts";

/** A directory of skills that belongs to a project or to a user. */
export interface Scope {
  readonly scope: "project" | "user";
  /** `claude` for `.claude/skills`; `agents` for what is no client's own. */
  readonly client: string;
  /** Absolute. */
  readonly path: string;
}

/** What all clients share; each client's own directory wins over it. */
const SHARED = "agents";

/** The scopes that are there: `<project>/.<client>/skills`, `<project>/.agents/skills`, then the same of the user. */
export function findScopes(project: string, home: string): Scope[] {
  const own = scopesOf(resolve(project), "project");
  return isSame(project, home) ? scopesOf(resolve(home), "user") : [...own, ...scopesOf(resolve(home), "user")];
}

function scopesOf(directory: string, scope: Scope["scope"]): Scope[] {
  return clientsOf(directory)
    .map((client) => ({ scope, client, path: join(directory, `.${client}`, "skills") }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Clients by their hidden directories, in the order of their names, the shared one last. */
function clientsOf(directory: string): string[] {
  const names = namesIn(directory).filter((name) => /^\.[^.]/.test(name) && name !== ".git");
  const clients = names.map((name) => name.slice(1)).filter((client) => client !== SHARED);
  return [...clients.sort(comparePaths), SHARED];
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
