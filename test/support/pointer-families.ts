import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { KeyFamily } from "../../src/pointer/key.ts";

/** A small grammar of its own for the suites of pointer stores: listed, unlisted, nested. */
export const TEST_FAMILIES: readonly KeyFamily[] = [
  { name: "entity", pattern: "/test/{space}/entities/by-id/{id}", listed: false },
  { name: "name", pattern: "/test/{space}/entities/by-name/{name}", listed: true },
  { name: "path", pattern: "/test/{space}/paths/{path...}", listed: true },
  { name: "part", pattern: "/test/{space}/entities/{id}/parts/{part}", listed: true },
  { name: "guard", pattern: "/test/{space}/guards/{guard}", listed: false },
  {
    name: "record",
    pattern: "/test/{space}/records/{record}",
    listed: true,
    summaryBytes: CATALOG_LIMITS.changeRecordBytes,
  },
  { name: "receipt", pattern: "/test/{space}/receipts/{operation}/{key}", listed: false },
];
