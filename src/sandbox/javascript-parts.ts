/**
 * Owns which modules of the runtime the isolate of a script is given: each one costs every start of it, used or not, so it gets those that
 * its text can lead to. Never loads any.
 */

/** What may reach any module, by a name that is only known when the script runs. */
const ANY =
  /__es\.(?:import|importer|requireFrom)\(|createRequire|getBuiltinModule|\bprocess\s*\[|globalThis|\bglobal\b/;

/** A module that only some scripts need, and the words without which a script cannot need it. */
const LATE: readonly (readonly [name: string, words: RegExp])[] = [
  ["run-files.js", /\bfs\b|child_process|chdir|matchesGlob|loadEnvFile/],
  ["late.js", /child_process|http|readline/],
  ["network.js", /\bfetch\b|http/],
  ["parse-args.js", /parseArgs/],
  [
    "platform.js",
    /builtin\("(?:cluster|crypto|net|os|perf_hooks|punycode|v8|zlib)"\)|getSystemError|\btable\b|\bkill\b/,
  ],
];

/** The modules that a script needs of all there are. */
export function partsFor<Module>(
  compiled: string,
  modules: Readonly<Record<string, Module>>,
): Readonly<Record<string, Module>> {
  if (ANY.test(compiled)) {
    return modules;
  }
  const unneeded = LATE.filter(([, words]) => !words.test(compiled)).map(([name]) => name);
  return Object.fromEntries(Object.entries(modules).filter(([name]) => !unneeded.includes(name)));
}
