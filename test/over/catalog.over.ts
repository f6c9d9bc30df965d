import { describe } from "vitest";
import { useEngine } from "../support/pointer-kind.ts";

/* Orders of calls and faults at every call, with the catalog's pointers in the engine. */
useEngine();

describe.each([
  ["schedules", () => import("../catalog/schedules.test.ts")],
  ["faults", () => import("../catalog/faults.test.ts")],
] as const)("over the engine: %s", async (_name, load) => {
  await load();
});
