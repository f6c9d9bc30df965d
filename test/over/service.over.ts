import { describe } from "vitest";
import { useEngine } from "../support/pointer-kind.ts";

/* The service's tests, with the catalog's pointers in the engine. */
useEngine();

describe.each([
  ["after a commit", () => import("../service/after-commit.test.ts")],
  ["contention", () => import("../service/contention.test.ts")],
  ["dropped", () => import("../service/dropped.test.ts")],
  ["dry run", () => import("../service/dry-run.test.ts")],
  ["idempotency", () => import("../service/idempotency.test.ts")],
  ["metrics reports", () => import("../service/metrics-reports.test.ts")],
  ["overlaps", () => import("../service/overlaps.test.ts")],
  ["overlaps, raced", () => import("../service/overlap-races.test.ts")],
  ["paging", () => import("../service/paging.test.ts")],
  ["purge", () => import("../service/purge.test.ts")],
  ["purge, killed", () => import("../service/purge-crash.over.ts")],
  ["snapshots", () => import("../service/snapshots.test.ts")],
  ["tables", () => import("../service/tables.test.ts")],
  ["transactions", () => import("../service/transactions.test.ts")],
  ["views", () => import("../service/views.test.ts")],
] as const)("over the engine: %s", async (_name, load) => {
  await load();
});
