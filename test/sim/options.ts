import { parseArgs } from "node:util";
import { wholeNumber } from "../support/arguments.ts";
import type { Suite } from "./harness/sim.ts";
import { SUITES } from "./suites.ts";

export const USAGE: string = `usage: npm run sim --
  [--suite ${SUITES.map(({ name }) => name).join("|")}]
  [--seeds N] [--seed S] [--minutes M] [--from S] [--trace N] [--bail]

  --seeds N     so many seeds, from --from on (500; from 1)
  --minutes M   as many seeds as fit
  --seed S      that one alone, with the end of its trace
  --bail        no further than the first that fails
  --trace N     so many lines of the trace of a seed that fails (60)`;

const MAX_FAILURES = 5;

export interface Options {
  readonly suite: Suite;
  readonly from: number;
  readonly seeds: number;
  readonly minutes: number | undefined;
  readonly alone: boolean;
  readonly traceLines: number;
  readonly maxFailures: number;
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: "string", default: "catalog" },
      seeds: { type: "string", default: "500" },
      from: { type: "string", default: "1" },
      seed: { type: "string" },
      minutes: { type: "string" },
      trace: { type: "string", default: "60" },
      bail: { type: "boolean", default: false },
    },
  });
  const suite = SUITES.find(({ name }) => name === values.suite);
  if (suite === undefined) throw new Error(`no suite ${values.suite}`);
  const alone = values.seed !== undefined;
  return {
    suite,
    from: wholeNumber("seed", values.seed ?? values.from),
    seeds: alone ? 1 : wholeNumber("seeds", values.seeds),
    minutes: values.minutes === undefined ? undefined : wholeNumber("minutes", values.minutes),
    alone,
    traceLines: wholeNumber("trace", values.trace),
    maxFailures: values.bail ? 1 : MAX_FAILURES,
  };
}
