import { createHash } from "node:crypto";
import { parseArgs } from "node:util";

export interface Options {
  /** Begins none later than so many minutes after the start: the rest is left to other runs. */
  readonly minutes: number;
  /** Decides the order of the patches: with another seed others come first. */
  readonly seed: string;
  readonly isVerbose: boolean;
  /** Judges only patches whose names hold one of the texts; all where there is none. */
  readonly wanted: readonly string[];
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      verbose: { type: "boolean", default: false },
      minutes: { type: "string", default: "Infinity" },
      seed: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) throw new Error(`--minutes is no positive number: ${values.minutes}`);
  return { minutes, seed: values.seed, isVerbose: values.verbose, wanted: positionals };
}

/** The files of those that are wanted, in the order in which they are judged. */
export function inTurn({ seed, wanted }: Options, files: readonly string[]): readonly string[] {
  const turn = (file: string) => createHash("sha256").update(`${seed}\0${file}`).digest("hex");
  return files
    .filter((file) => wanted.length === 0 || wanted.some((text) => file.includes(text)))
    .map((file) => ({ file, at: turn(file) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ file }) => file);
}
