/** Owns finding the git commit that skills come from. Asks git and nothing else; never changes a repository. */
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { CommandContext } from "./command.ts";

const run = promisify(execFile);

/**
 * The commit of the repository that directories lie in, with `-dirty` when they hold what is not committed; null when there is none, or git is
 * not there. `EDGE_SKILLS_COMMIT` names it where the directories do not tell: a bundle that was packed elsewhere.
 */
export async function commitOf(
  directories: readonly string[],
  { cwd, env }: Pick<CommandContext, "cwd" | "env">,
): Promise<string | null> {
  const named = env.EDGE_SKILLS_COMMIT ?? "";
  const [first] = directories;
  if (named !== "" || first === undefined) {
    return named === "" ? null : named;
  }
  try {
    const git = async (...words: string[]) => (await run("git", ["-C", resolve(cwd, first), ...words])).stdout.trim();
    const commit = await git("rev-parse", "--verify", "HEAD");
    const paths = directories.map((directory) => resolve(cwd, directory));
    const changes = await git("--no-optional-locks", "status", "--porcelain", "--", ...paths);
    return changes === "" ? commit : `${commit}-dirty`;
  } catch {
    return null;
  }
}
