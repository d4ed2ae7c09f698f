/** Owns where the sandbox differs from native runs, each with its reason; what stands here is held to be different. */

const BY_VERSION = "recorded with CPython 3.13.0; the sandbox has 3.13.2, which words this message otherwise";
const NO_PLACE =
  "just-bash does not know at which line of which file a statement stands, so its own messages begin with `bash:`";

/** By the script's name. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "argparse-choice.py": BY_VERSION,
  "errexit-if.sh": "a fault of just-bash: `set -e` holds inside a function that is called before `||`",
  "not-found.sh": NO_PLACE,
  "unset-var.sh": NO_PLACE,
  "xargs.sh": "a fault of just-bash: `xargs -I` takes words where it should take lines",
};
