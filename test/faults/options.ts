import { parseArgs } from "node:util";
import { wholeNumber } from "../support/arguments.ts";

export const USAGE = `usage: npm run test:faults -- [--pairs N|all] [--seed S] [--part TEXT]
  [--case TEXT] [--bail]

  --pairs N    pairs of faults, drawn by seed, besides every single one (300); all: every one
  --seed S     of that draw (1)
  --part TEXT  the profiles and operations alone whose name holds it: bucket, aws create, …
  --bail       no further than the first that is wrong
  --case TEXT  the cases alone whose name begins so; of pairs too, with --pairs all`;

export interface Options {
  readonly pairs: number;
  readonly seed: number;
  readonly part: string;
  readonly wanted: string;
  readonly bail: boolean;
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      part: { type: "string", default: "" },
      case: { type: "string", default: "" },
      bail: { type: "boolean", default: false },
    },
  });
  const pairs =
    values.pairs === "all" ? Number.POSITIVE_INFINITY : wholeNumber("pairs", values.pairs);
  const { part, bail } = values;
  return { pairs, seed: wholeNumber("seed", values.seed), part, wanted: values.case, bail };
}
