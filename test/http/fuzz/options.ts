import { parseArgs } from "node:util";
import { wholeNumber } from "../../support/arguments.ts";

export const USAGE = `usage: npm run fuzz -- [--requests N] [--seed N [--path P]]
       npm run fuzz -- --api native [--requests N] [--seed N]
       npm run fuzz -- --shapes N [--seed N] [--only TEXT]
       npm run fuzz -- --sql N [--seed N] [--only PATTERN]
       npm run fuzz -- --store`;
/** Of so many requests one is large, deep, wide or long in a way that strains the server. */
const REQUESTS_PER_SHAPE = 100;

export interface Options {
  readonly requests: number;
  readonly seed: number;
  readonly path: string | undefined;
  /** Requests of hostile size and shape. */
  readonly shapes: number;
  /** Only shapes whose names hold the text. */
  readonly only: string;
  /** Whose requests are made. */
  readonly api: "iceberg" | "native";
}

/** @throws Error for what cannot be run. */
export function readOptions(args: readonly string[]): Options {
  const options = {
    requests: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    shapes: { type: "string" },
    only: { type: "string" },
    api: { type: "string" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { path, only = "", api = "iceberg" } = values;
  if (api !== "iceberg" && api !== "native") throw new Error(`unknown api: ${api}`);
  const given = (name: "requests" | "shapes" | "seed"): number | undefined => {
    const text = values[name];
    return text === undefined ? undefined : wholeNumber(name, text);
  };
  const requests = given("requests") ?? (values.shapes === undefined ? 2_000 : 0);
  const shapes = given("shapes") ?? Math.ceil(requests / REQUESTS_PER_SHAPE);
  const seed = given("seed") ?? Math.trunc(Math.random() * 2 ** 30);
  if (requests + shapes < 1) throw new Error("no requests and no shapes");
  return { requests, seed, path, shapes: path === undefined ? shapes : 0, only, api };
}
