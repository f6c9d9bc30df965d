import { parseArgs } from "node:util";
import { wholeNumber } from "../../support/arguments.ts";
import type { Campaign } from "./campaign.ts";
import { CAMPAIGNS } from "./campaigns.ts";

export const USAGE: string = `usage: npm run test:ambiguity -- [--ops N] [--seed S] [--store NAME]

  --ops N       operations of each campaign (5000)
  --seed S      of the faults and of the operations (1)
  --store NAME  one campaign alone: ${CAMPAIGNS.map(({ name }) => name).join(", ")}`;

export interface Options {
  readonly ops: number;
  readonly seed: number;
  readonly campaigns: readonly Campaign[];
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ops: { type: "string", default: "5000" },
      seed: { type: "string", default: "1" },
      store: { type: "string" },
    },
  });
  const campaigns = CAMPAIGNS.filter(
    ({ name }) => values.store === undefined || name === values.store,
  );
  if (campaigns.length === 0) throw new Error(`no campaign ${values.store}`);
  return { ops: wholeNumber("ops", values.ops), seed: wholeNumber("seed", values.seed), campaigns };
}
