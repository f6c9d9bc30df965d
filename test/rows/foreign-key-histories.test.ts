import { expect, it } from "vitest";
import { foreignKeyHistories } from "./support/foreign-key-histories.ts";

/** A share; `npm run test:over` has a hundred thousand. */
const COUNT = 1_500;

it("no history of concurrent transactions leaves a row that refers to none", async () => {
  const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000_000);
  expect(await foreignKeyHistories(COUNT, seed)).toEqual([]);
});
