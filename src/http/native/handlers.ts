import { ACCOUNT_HANDLERS } from "./account-handlers.ts";
import type { Handlers } from "./call.ts";
import { CATALOG_HANDLERS } from "./catalog-handlers.ts";
import { CONNECTOR_HANDLERS } from "./connector-handlers.ts";
import { CONSTRAINT_HANDLERS } from "./constraint-handlers.ts";
import { NAMESPACE_HANDLERS } from "./namespace-handlers.ts";
import { NODE_HANDLERS } from "./node-handlers.ts";
import { RELATION_HANDLERS } from "./relation-handlers.ts";
import { STATISTICS_HANDLERS } from "./statistics-handlers.ts";
import { STATUS_HANDLERS } from "./status-handlers.ts";

/** What serves each operation of the table. One that is missing does not compile. */
export const HANDLERS: Handlers = {
  ...NODE_HANDLERS,
  ...ACCOUNT_HANDLERS,
  ...STATUS_HANDLERS,
  ...CATALOG_HANDLERS,
  ...CONNECTOR_HANDLERS,
  ...NAMESPACE_HANDLERS,
  ...RELATION_HANDLERS,
  ...STATISTICS_HANDLERS,
  ...CONSTRAINT_HANDLERS,
};
