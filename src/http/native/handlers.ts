import { ACCESS_HANDLERS } from "./access-handlers.ts";
import { ACCOUNT_HANDLERS } from "./account-handlers.ts";
import { AUDIT_HANDLERS } from "./audit-handlers.ts";
import type { Handlers } from "./call.ts";
import { CATALOG_HANDLERS } from "./catalog-handlers.ts";
import { CONNECTOR_HANDLERS } from "./connector-handlers.ts";
import { CONSTRAINT_HANDLERS } from "./constraint-handlers.ts";
import { IMPORT_HANDLERS } from "./import-handlers.ts";
import { LAYOUT_HANDLERS } from "./layout-handlers.ts";
import { NAMESPACE_HANDLERS } from "./namespace-handlers.ts";
import { NODE_HANDLERS } from "./node-handlers.ts";
import { PAGE_HANDLERS } from "./page-handlers.ts";
import { PATTERN_HANDLERS } from "./pattern-handlers.ts";
import { RELATION_HANDLERS } from "./relation-handlers.ts";
import { ROW_HANDLERS } from "./row-handlers.ts";
import { SQL_HANDLERS } from "./sql-handlers.ts";
import { STATISTICS_HANDLERS } from "./statistics-handlers.ts";
import { STATUS_HANDLERS } from "./status-handlers.ts";
import { STORAGE_HANDLERS } from "./storage-handlers.ts";

/** What serves each operation of the table. One that is missing does not compile. */
export const HANDLERS: Handlers = {
  ...NODE_HANDLERS,
  ...ACCESS_HANDLERS,
  ...ACCOUNT_HANDLERS,
  ...AUDIT_HANDLERS,
  ...STATUS_HANDLERS,
  ...CATALOG_HANDLERS,
  ...CONNECTOR_HANDLERS,
  ...STORAGE_HANDLERS,
  ...IMPORT_HANDLERS,
  ...NAMESPACE_HANDLERS,
  ...RELATION_HANDLERS,
  ...LAYOUT_HANDLERS,
  ...STATISTICS_HANDLERS,
  ...CONSTRAINT_HANDLERS,
  ...PAGE_HANDLERS,
  ...ROW_HANDLERS,
  ...PATTERN_HANDLERS,
  ...SQL_HANDLERS,
};
