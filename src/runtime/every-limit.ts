import { assertLimits } from "../base/limits.ts";
import { assertCatalogLimits } from "../catalog/limits.ts";
import { assertHttpLimits } from "../http/limits.ts";
import { assertIcebergLimits } from "../iceberg/limits.ts";
import { assertServiceLimits } from "../service/limits.ts";

/**
 * Refuses a start whose limits contradict each other. The engine asserts its own at each open, the
 * server as it is made.
 */
export function assertEveryLimit(): void {
  assertLimits();
  assertCatalogLimits();
  assertIcebergLimits();
  assertServiceLimits();
  assertHttpLimits();
}
