/** Owns where the sandbox differs from native runs, each with its reason; what stands here is held to be different. */

const BY_VERSION = "recorded with CPython 3.13.0; the sandbox has 3.13.2, which words this message otherwise";

/** By the script's name. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "argparse-choice.py": BY_VERSION,
};
