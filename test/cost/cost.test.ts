import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { US_EAST_1 } from "../../src/service/stores/prices.ts";
import { StoreCosts } from "../../src/service/stores/store-costs.ts";
import { dollarsOf, renderCosts } from "./document.ts";
import { measureAll, measureBucket, measureIdleBucket, measureKept } from "./operations.ts";
import { BUCKET, BUCKET_IDLE, COSTS, KEPT, RATES } from "./table.ts";

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "cost.md");

test("every operation costs what the table says", async () => {
  expect(await measureAll()).toEqual(COSTS);
});

test("an append leaves what the table says, to the next hundred bytes", async () => {
  const { dynamo, s3 } = await measureKept();
  const rounded = (bytes: number): number => Math.ceil(bytes / 100) * 100;
  expect({ dynamo: rounded(dynamo), s3: rounded(s3) }).toEqual(KEPT);
});

test("in a bucket appends cost what the table says, and an idle node nothing", async () => {
  for (const [i, of] of RATES.entries()) {
    expect(await measureBucket(...of), `${of[0]} a minute`).toEqual(BUCKET[i]);
  }
  expect(await measureIdleBucket()).toEqual(BUCKET_IDLE);
});

test("docs/cost.md is made of the table", () => {
  expect(readFileSync(DOCUMENT, "utf8")).toBe(renderCosts(US_EAST_1));
});

describe("dollars", () => {
  test("of a commit are those of its units and its puts", () => {
    const { dynamo, s3 } = dollarsOf(US_EAST_1, COSTS["commit one table, one new snapshot"]);
    expect(dynamo).toBeCloseTo((8 * 0.625 + 3 * 0.125) / 1e6, 12);
    expect(s3).toBeCloseTo((3 * 0.005) / 1e3, 12);
  });

  test("are counted as requests are sent, by the prices given", async () => {
    const metrics = createMetrics();
    const costs = new StoreCosts(metrics, { ...US_EAST_1, writeUnits: 1, s3Puts: 2, s3Gets: 3 });
    costs.pointer({ operation: "PutItem", readUnits: 0, writeUnits: 5 });
    costs.pointer({ operation: "Query", readUnits: 8, writeUnits: 0 });
    for (const operation of ["PutObject", "GetObject", "DeleteObjects"]) costs.blob({ operation });
    const printed = metrics.print();
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, "m").exec(printed)?.[1]);
    const dollars = "firn_store_dollars_total";
    expect(value(`${dollars}{store="pointer",operation="PutItem"}`)).toBeCloseTo(5e-6, 12);
    expect(value(`${dollars}{store="pointer",operation="Query"}`)).toBeCloseTo(1e-6, 12);
    expect(value(`${dollars}{store="blob",operation="PutObject"}`)).toBeCloseTo(2e-6, 12);
    expect(value(`${dollars}{store="blob",operation="GetObject"}`)).toBeCloseTo(3e-6, 12);
    expect(value(`${dollars}{store="blob",operation="DeleteObjects"}`)).toBe(0);
    expect(value(`firn_pointer_units_total{operation="Query",kind="read"}`)).toBe(8);
  });
});
