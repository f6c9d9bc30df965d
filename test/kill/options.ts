import { parseArgs } from "node:util";
import { wholeNumber } from "../support/arguments.ts";

export interface Options {
  readonly rounds: number;
  readonly seed: number;
  /** Whether the engine is killed at each of its named steps, rather than a server under load. */
  readonly isMatrix: boolean;
  /** Only steps whose names hold the text. */
  readonly steps: string;
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "100" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      matrix: { type: "boolean", default: false },
      steps: { type: "string", default: "" },
    },
  });
  return {
    rounds: wholeNumber("rounds", values.rounds),
    seed: wholeNumber("seed", values.seed),
    isMatrix: values.matrix,
    steps: values.steps,
  };
}
