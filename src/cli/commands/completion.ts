/** Owns `edge-skills completion`: scripts by which shells complete commands and flags. Made from the list of commands, never by hand. */
import { SkillsError } from "../../model/errors.ts";
import type { CommandSpec } from "../command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** Makes the command; `commands` is asked when it runs, since it is one of them. */
export function completionOf(commands: () => readonly CommandSpec[]): CommandSpec {
  return {
    name: "completion",
    summary: "print a script by which a shell completes commands and flags",
    arguments: [["<shell>", SHELLS.join(", ")]],
    options: [],
    examples: [
      "completion bash   # source <(edge-skills completion bash)",
      "completion zsh    # the same, in ~/.zshrc after compinit",
      "completion fish   # edge-skills completion fish | source",
    ],
    async run([shell], _flags, { terminal }) {
      const words = wordsOf(commands());
      if (shell === "bash") {
        terminal.result(bashScript(words));
      } else if (shell === "zsh") {
        terminal.result(`autoload -U +X bashcompinit && bashcompinit\n${bashScript(words)}`);
      } else if (shell === "fish") {
        terminal.result(fishScript(words));
      } else {
        throw new SkillsError("usage", `Cannot complete for "${shell}"`, { candidates: [...SHELLS] });
      }
      return 0;
    },
  };
}

/** What may follow some words: `""` for the first word, `token` for the second. */
interface Words {
  readonly after: string;
  readonly words: readonly { readonly word: string; readonly summary: string }[];
}

function wordsOf(commands: readonly CommandSpec[]): Words[] {
  const groups = [...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0] ?? ""] : [])))];
  const heads = commands.filter(({ name }) => !name.includes(" "));
  return [
    {
      after: "",
      words: [
        ...heads.map(({ name, summary }) => ({ word: name, summary })),
        ...groups.map((word) => ({ word, summary: `${word} …` })),
      ],
    },
    ...groups.map((group) => ({
      after: group,
      words: commands.flatMap(({ name, summary }) =>
        name.startsWith(`${group} `) ? [{ word: name.slice(group.length + 1), summary }] : [],
      ),
    })),
    ...commands.map(({ name, options }) => ({
      after: name,
      words: [
        ...options.map(({ long, description }) => ({ word: long ?? "", summary: description })),
        { word: "--help", summary: "show help" },
      ],
    })),
  ];
}

/** Flags after `-`, else names of commands, else files. */
function bashScript(all: readonly Words[]): string {
  const cases = all.map(({ after, words }) => `    "${after}") words="${words.map(({ word }) => word).join(" ")}" ;;`);
  return `_edge_skills() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" name="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "$name" in
      "") name="$word" ;;
${all
  .filter(({ after }) => after !== "" && all.some((other) => other.after.startsWith(`${after} `)))
  .map(({ after }) => `      "${after}") name="${after} $word" ;;`)
  .join("\n")}
    esac
  done
  case "$name" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edge_skills edge-skills`;
}

function fishScript(all: readonly Words[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, (sign) => `\\${sign}`)}'`;
  const lines = all.flatMap(({ after, words }) =>
    words.map(({ word, summary }) => {
      const condition =
        after === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${after.split(" ").at(-1)}`;
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c edge-skills -n ${quoted(condition)} ${what} -d ${quoted(summary)}`;
    }),
  );
  return lines.join("\n");
}
