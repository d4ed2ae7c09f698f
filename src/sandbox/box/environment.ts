/** Owns the environment a run's first program finds; it holds nothing of the service. */
import { HOME, SKILL_ROOT } from "../files/layout.ts";

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME,
  PATH: "/usr/bin:/bin",
  LANG: "C.UTF-8",
  TMPDIR: "/tmp",
  PWD: SKILL_ROOT,
};
