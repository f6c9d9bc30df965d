import { afterAll, describe } from "vitest";
import { openDynamoSite } from "../support/dynamo-pointers.ts";
import { useService } from "../support/pointer-kind.ts";

/*
 * A share of what the catalog's tests show over the reference model of pointers, over DynamoDB's
 * double through the real SDK: faults at calls of the store, random histories, receipts.
 */
const site = await openDynamoSite();
useService(site.open);
afterAll(() => site.close());

describe.each([
  ["faults", () => import("../catalog/faults.test.ts")],
  ["model", () => import("../catalog/model.test.ts")],
  ["idempotency", () => import("../catalog/idempotency.test.ts")],
  ["reuse of keys", () => import("../catalog/key-reuse.test.ts")],
  ["snapshots", () => import("../catalog/snapshots.test.ts")],
  ["catalog", () => import("../catalog/catalog.test.ts")],
] as const)("over DynamoDB: %s", async (_name, load) => {
  await load();
});
