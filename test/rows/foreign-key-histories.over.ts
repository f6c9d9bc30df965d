import { expect, it } from "vitest";
import { foreignKeyHistories } from "./support/foreign-key-histories.ts";

it("no history of a hundred thousand leaves a row that refers to none", {
  timeout: 3_600_000,
}, async () => {
  const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000_000);
  expect(await foreignKeyHistories(100_000, seed)).toEqual([]);
});
