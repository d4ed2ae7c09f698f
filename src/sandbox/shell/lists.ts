/**
 * Owns what `declare`, `local`, `readonly` and their kin do with lists: the names are declared, and the lists assigned as any. just-bash
 * would make texts of them, which loses what they expand to. Never runs anything.
 */

interface Part {
  readonly type: string;
  readonly value?: string;
}

interface Word {
  readonly parts: readonly Part[];
}

interface Command {
  readonly type: string;
  readonly name: Word | null;
  readonly args: readonly Word[];
  readonly assignments: readonly unknown[];
  readonly redirections: readonly unknown[];
  line?: number;
}

/** One list of a declaration. */
export interface DeclaredList {
  readonly name: string;
  readonly append: boolean;
  readonly elements: readonly Word[];
}

/** just-bash's makers of syntax trees, as far as they are needed. */
interface Build {
  simpleCommand(
    name: Word | null,
    args: readonly Word[],
    assignments: readonly unknown[],
    redirections: readonly unknown[],
  ): Command;
  assignment(name: string, value: null, append: boolean, elements: readonly Word[]): unknown;
  statement(pipelines: readonly unknown[]): unknown;
  pipeline(commands: readonly unknown[]): unknown;
  group(body: readonly unknown[]): object;
  word(parts: readonly Part[]): Word;
  literal(text: string): Part;
}

/**
 * The command, or a group of what it means.
 * @param lists those among its words, where only their names are left
 */
export function sandboxLists(command: Command, lists: readonly DeclaredList[], build: Build): object {
  const name = textOf(command.name);
  const args = command.args.map(textOf);
  // In a function `declare` makes local variables, and of every kind.
  const isLocalMap = name === "local" && args.some((arg) => /^-\w*A/.test(arg));
  const called = isLocalMap ? "declare" : name;
  const wordOf = (text: string) => build.word([build.literal(text)]);
  if (command.name === null && command.assignments.length > 1 && command.redirections.length === 0) {
    // One after the other: what one assigns, such as IFS, holds for the next.
    const one = (assignment: unknown) => ({ ...command, assignments: [assignment] });
    return build.group(command.assignments.map((assignment) => statement(build, one(assignment))));
  }
  if (lists.length === 0) {
    return isLocalMap ? { ...command, name: wordOf(called) } : command;
  }
  const fixed = called === "readonly" || args.some((arg) => /^-\w*r/.test(arg));
  const [maker, words] = fixed ? writable(called, command.args, wordOf) : [called, command.args];
  const made = (word: string, given: readonly Word[], assignments: readonly unknown[] = []) =>
    statement(build, { ...build.simpleCommand(wordOf(word), given, assignments, []), line: command.line ?? 0 });
  const assigned = lists.map(({ name: variable, append, elements }) =>
    statement(build, {
      ...build.simpleCommand(null, [], [build.assignment(variable, null, append, elements)], command.redirections),
      line: command.line ?? 0,
    }),
  );
  const names = lists.map((list) => wordOf(list.name));
  return build.group([
    made(maker, words, command.assignments),
    ...assigned,
    ...(fixed ? [made("readonly", names)] : []),
  ]);
}

/** The same declaration of what may still be written. */
function writable(
  name: string,
  args: readonly Word[],
  wordOf: (text: string) => Word,
): readonly [name: string, args: readonly Word[]] {
  const words = args.map((arg) => {
    const text = textOf(arg);
    return /^-\w*r/.test(text) ? wordOf(text.replace("r", "")) : arg;
  });
  const kept = words.filter((word) => textOf(word) !== "-");
  return name === "readonly" ? ["declare", [wordOf("-g"), ...kept]] : [name, kept];
}

function statement(build: Build, command: Command): unknown {
  return build.statement([build.pipeline([command])]);
}

/** The text of a word that is one; empty for others. */
function textOf(word: Word | null): string {
  const [part, ...others] = word?.parts ?? [];
  return part?.type === "Literal" && others.length === 0 ? (part.value ?? "") : "";
}
