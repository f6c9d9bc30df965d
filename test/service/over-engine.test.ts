import { describe } from "vitest";
import { useEngine } from "../support/pointer-kind.ts";

/* The service's tests, with the catalog's pointers in the engine. */
useEngine();

describe.each([
  ["after a commit", () => import("./after-commit.test.ts")],
  ["contention", () => import("./contention.test.ts")],
  ["dropped", () => import("./dropped.test.ts")],
  ["dry run", () => import("./dry-run.test.ts")],
  ["idempotency", () => import("./idempotency.test.ts")],
  ["metrics reports", () => import("./metrics-reports.test.ts")],
  ["overlaps", () => import("./overlaps.test.ts")],
  ["paging", () => import("./paging.test.ts")],
  ["purge", () => import("./purge.test.ts")],
  ["purge, killed", () => import("./purge-crash.test.ts")],
  ["snapshots", () => import("./snapshots.test.ts")],
  ["tables", () => import("./tables.test.ts")],
  ["transactions", () => import("./transactions.test.ts")],
  ["views", () => import("./views.test.ts")],
] as const)("over the engine: %s", async (_name, load) => {
  await load();
});
