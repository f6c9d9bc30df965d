import { describe } from "vitest";
import { useEngine } from "../support/pointer-kind.ts";

/*
 * What the catalog's tests show over the reference model of pointers they show over the engine too:
 * random histories and receipts here, orders of calls and faults in `test/over/`.
 */
useEngine();

describe.each([
  ["model", () => import("./model.test.ts")],
  ["idempotency", () => import("./idempotency.test.ts")],
  ["reuse of keys", () => import("./key-reuse.test.ts")],
  ["snapshots", () => import("./snapshots.test.ts")],
  ["catalog", () => import("./catalog.test.ts")],
] as const)("over the engine: %s", async (_name, load) => {
  await load();
});
