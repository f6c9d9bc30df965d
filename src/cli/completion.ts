import type { Command, Option } from "commander";

/** A word that may stand next, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly help: string;
}

/** What may stand next on a line. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** Names are wanted, too: of what is in the catalog, or of contexts. */
  readonly names: "catalog" | "context" | undefined;
}

/** Arguments that are names of what is in the catalog. */
const NAMES = /^(?:name|new-name|table|table@at|(?:catalog|namespace|view)(?:\..*)?|target)$/;

/**
 * What may stand next.
 *
 * @param words of the line after `firn`; the last one, which may be empty, is to be completed.
 */
export function complete(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? "";
  let command = program;
  let positional = 0;
  let awaiting: Option | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaiting !== undefined) {
      awaiting = undefined;
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      awaiting = option?.required === true && !word.includes("=") ? option : undefined;
    } else {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined) positional++;
      else command = next;
    }
  }
  if (awaiting !== undefined) {
    const choices = (awaiting.argChoices ?? []).map((word) => ({ word, help: "" }));
    const names = awaiting.long === "--context" ? "context" : undefined;
    return { candidates: matching(choices, typed), names };
  }
  if (typed.startsWith("-"))
    return { candidates: matching(optionsOf(command), typed), names: undefined };
  const below = command.commands
    .filter((each) => !each.name().startsWith("__"))
    .map((each) => ({ word: each.name(), help: firstSentence(each.description()) }));
  const expected = command.registeredArguments[positional];
  const choices = (expected?.argChoices ?? []).map((word) => ({ word, help: "" }));
  const argument = expected?.name() ?? "";
  const isContext = command.parent?.name() === "context" && /^(?:use|delete)$/.test(command.name());
  return {
    candidates: matching(positional === 0 ? [...below, ...choices] : choices, typed),
    names: isContext ? "context" : NAMES.test(argument) ? "catalog" : undefined,
  };
}

function optionsOf(command: Command): readonly Candidate[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description }) => ({ word: long ?? short ?? "", help: description }));
}

function matching(all: readonly Candidate[], typed: string): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(typed));
}

function firstSentence(text: string): string {
  return text.split(/\.(?:\s|$)/, 1)[0] ?? "";
}

/** One candidate a line, as the scripts of the shells read them. */
export function completionText(candidates: readonly Candidate[]): string {
  return candidates.map(({ word, help }) => `${word}\t${help}\n`).join("");
}

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** What a shell runs to complete lines of `firn`. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // The words of bash end at `:` and `@`, which stand in names, so the line itself is split.
  bash: `# firn completion for bash: source <(firn completion bash)
_firn() {
  local line="\${COMP_LINE:0:COMP_POINT}" cur="\${COMP_WORDS[COMP_CWORD]}" words IFS=$' \\t'
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local last="\${words[-1]}" IFS=$'\\n'
  [[ $last == *"$cur" ]] || cur="$last"
  COMPREPLY=($(firn __complete -- "\${words[@]:1}" 2>/dev/null | cut -f1))
  COMPREPLY=("\${COMPREPLY[@]#"\${last%"$cur"}"}")
  [[ \${COMPREPLY[0]} == *. ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _firn firn
`,
  zsh: `#compdef firn
# firn completion for zsh: source <(firn completion zsh)
_firn() {
  local -a items
  local line
  for line in "\${(@f)$(firn __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && items+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe firn items
}
compdef _firn firn
`,
  fish: `# firn completion for fish: firn completion fish | source
complete -c firn -f -a '(firn __complete -- (commandline -opc)[2..] (commandline -ct))'
`,
};
