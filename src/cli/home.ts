import type { Command } from "commander";
import { padEnd, paint, type Screen } from "./screen.ts";

/** Which commands stand together, by their task; the rest operates. */
const GROUPS: readonly (readonly [task: string, names: readonly string[]])[] = [
  ["look", ["ls", "describe", "find", "log", "diff", "files", "stats", "check"]],
  ["change", ["rm", "undrop", "mv", "tag", "branch", "rollback", "protect"]],
  ["follow", ["watch", "audit", "top"]],
  ["set up", ["context", "import", "completion"]],
];

const EXAMPLES: readonly (readonly [line: string, does: string])[] = [
  ["firn serve", "start a server on ./.firn"],
  ["firn ls -l lake.glacier", "what is there"],
  ["firn log lake.glacier.cores", "snapshots, branches and tags"],
  ["firn COMMAND --help", "every option"],
];

/** What `firn` alone prints: its commands on one screen. */
export function homeText(
  program: Command,
  version: string,
  screen: Pick<Screen, "hasColour" | "columns">,
): string {
  const all = program.commands.map((command) => command.name());
  const grouped = new Set(GROUPS.flatMap(([, names]) => names));
  const nouns = program.commands
    .filter((command) => command.helpGroup() === MODEL_GROUP)
    .map((command) => command.name());
  const operate = all.filter((name) => !grouped.has(name) && !nouns.includes(name));
  const [setUp, ...tasks] = [...GROUPS].reverse();
  const rows = [...tasks.reverse(), ["model", nouns], ["operate", operate], setUp] as const;
  const lines = rows.flatMap((row) => {
    const [task = "", names = []] = row ?? [];
    const known = names.filter((name) => all.includes(name));
    const wrapped = wrap(known, screen.columns - INDENT);
    return wrapped.map((text, i) => {
      const head = padEnd(i === 0 ? task : "", INDENT - 2);
      return `  ${paint(screen, "dim", head)}${paint(screen, "cyan", text)}`;
    });
  });
  const width = Math.max(...EXAMPLES.map(([line]) => line.length));
  const examples = EXAMPLES.map(
    ([line, does]) => `  ${padEnd(line, width)}   ${paint(screen, "dim", does)}`,
  );
  const title = `${paint(screen, "bold", "firn")} ${version}`;
  const motto = paint(screen, "dim", "A lakehouse catalog that needs nothing but a bucket.");
  return `\n  ${title}   ${motto}\n\n${lines.join("\n")}\n\n${examples.join("\n")}\n\n`;
}

/** Heading of the commands that the table of operations makes. */
export const MODEL_GROUP = "The whole model:";
const INDENT = 12;

function wrap(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + word.length <= columns) {
      lines[lines.length - 1] = `${last}  ${word}`;
    } else lines.push(word);
  }
  return lines;
}
