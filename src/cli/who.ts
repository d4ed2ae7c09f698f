/** Owns who is named in a channel's history. */
import { userInfo } from "node:os";

/** The name of whoever runs the command: the CI's actor, else the user. */
export function whoDeploys(env: Readonly<Record<string, string | undefined>>): string {
  return env.EDGE_SKILLS_ACTOR ?? env.GITHUB_ACTOR ?? env.USER ?? userInfo().username;
}
