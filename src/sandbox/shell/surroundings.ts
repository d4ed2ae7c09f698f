/** Owns the environment that a command hands on to what it starts (`find -exec`, `timeout`, `env`): what is exported; never functions. */

/** How just-bash starts something in a shell of its own. */
interface Starting {
  readonly env?: Readonly<Record<string, string>>;
  /** `env` is all there is. */
  readonly replaceEnv?: boolean;
}

/** Names that a program finds in its environment; the rest are words and marks of the shell. */
const NAME = /^(?:[A-Za-z_]\w*|BASH_FUNC_.+%%)$/;

/** What is started finds what is exported, and over it what the command says. */
export function sandboxSurroundings(given: Starting | undefined, exported: Readonly<Record<string, string>>): Starting {
  return given?.replaceEnv === true ? given : { ...given, env: { ...exported, ...given?.env } };
}

/** The names that a shell exports at its beginning: those of its environment. */
export function sandboxExported(
  own: ReadonlySet<string>,
  { env = {}, replaceEnv = false }: Starting = {},
): Set<string> {
  const given = Object.keys(env).filter((name) => NAME.test(name));
  return new Set(replaceEnv ? given : [...own, ...given]);
}
