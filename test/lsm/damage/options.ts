import { parseArgs } from "node:util";
import { wholeNumber } from "../../support/arguments.ts";

export const USAGE = `usage: npm run fuzz -- --store [--seeds N] [--seed S] [--cases N]
  [--only TEXT]

  --seeds N    so many directories, from --seed on (1; from the clock)
  --cases N    so many damages of each, chosen by its seed (all)
  --only TEXT  those whose names hold the text`;

export interface Options {
  /** The first seed. */
  readonly first: number;
  readonly seeds: number;
  readonly cases: number;
  /** Only damages whose names hold the text. */
  readonly only: string;
}

/** Of the arguments behind `--store`. @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string", default: "1" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      cases: { type: "string", default: String(Number.MAX_SAFE_INTEGER) },
      only: { type: "string", default: "" },
    },
  });
  return {
    first: wholeNumber("seed", values.seed),
    seeds: wholeNumber("seeds", values.seeds),
    cases: wholeNumber("cases", values.cases),
    only: values.only,
  };
}
