import { SeededPrng } from "../../src/base/prng.ts";
import { describeRecorded, JOIN_WAYS, SPILL, TABLE_WAYS } from "./recorded-ways.ts";

/*
 * Each file as the planner chooses, with little memory, and by one way to join, which is drawn, so
 * that runs add up. `queries.over.ts` takes every way.
 */

const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now());
const prng = new SeededPrng(seed);
const joins = Object.keys(JOIN_WAYS);

describeRecorded((name) => {
  const drawn = joins[Math.floor(prng.float() * joins.length)] ?? "";
  return ["chosen", drawn, SPILL, ...(name === "inverted" ? Object.keys(TABLE_WAYS) : [])];
});
