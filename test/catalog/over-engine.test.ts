import { describe } from "vitest";
import { useEngine } from "../support/pointer-kind.ts";

/*
 * What the catalog's tests show over the reference model of pointers they show over the engine too:
 * every order of calls, every fault at every call, random histories, receipts.
 */
useEngine();

describe.each([
  ["schedules", () => import("./schedules.test.ts")],
  ["faults", () => import("./faults.test.ts")],
  ["model", () => import("./model.test.ts")],
  ["idempotency", () => import("./idempotency.test.ts")],
  ["snapshots", () => import("./snapshots.test.ts")],
  ["catalog", () => import("./catalog.test.ts")],
] as const)("over the engine: %s", async (_name, load) => {
  await load();
});
