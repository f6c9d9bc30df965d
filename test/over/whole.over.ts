import { describe } from "vitest";
import { useWhole } from "../support/pointer-kind.ts";

/* Every order of calls and every fault at every call, over the reference model. */
useWhole();

describe.each([
  ["schedules", () => import("../catalog/schedules.test.ts")],
  ["faults", () => import("../catalog/faults.test.ts")],
  ["faults of a backup", () => import("../service/backup-faults.test.ts")],
] as const)("over the model: %s", async (_name, load) => {
  await load();
});
