import { DYNAMO_SUITE } from "./catalog/dynamo.ts";
import { CATALOG_SUITE } from "./catalog/suite.ts";
import type { Suite } from "./harness/sim.ts";
import { LSM_S3_SUITE } from "./lsm/s3.ts";
import { LSM_SUITE } from "./lsm/suite.ts";
import { ROWS_SUITE } from "./rows/suite.ts";
import { SQL_SUITE } from "./sql/suite.ts";

/** What can be simulated. */
export const SUITES: readonly Suite[] = [
  CATALOG_SUITE,
  DYNAMO_SUITE,
  LSM_SUITE,
  LSM_S3_SUITE,
  ROWS_SUITE,
  SQL_SUITE,
];
