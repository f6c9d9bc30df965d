import { ACCOUNT_OPERATIONS, type AccountOperations } from "./account-operations.ts";
import { CATALOG_OPERATIONS, type CatalogOperations } from "./catalog-operations.ts";
import { CONNECTOR_OPERATIONS, type ConnectorOperations } from "./connector-operations.ts";
import { CONSTRAINT_OPERATIONS, type ConstraintOperations } from "./constraint-operations.ts";
import { NAMESPACE_OPERATIONS, type NamespaceOperations } from "./namespace-operations.ts";
import { NODE_OPERATIONS, type NodeOperations } from "./node-operations.ts";
import type { ApiOperation } from "./operation.ts";
import { RELATION_OPERATIONS, type RelationOperations } from "./relation-operations.ts";
import { STATISTICS_OPERATIONS, type StatisticsOperations } from "./statistics-operations.ts";
import { STATUS_OPERATIONS, type StatusOperations } from "./status-operations.ts";

/** What each operation takes and answers, by its name. */
export interface Operations
  extends AccountOperations,
    CatalogOperations,
    ConnectorOperations,
    NamespaceOperations,
    StatusOperations,
    RelationOperations,
    StatisticsOperations,
    ConstraintOperations,
    NodeOperations {}

export type OperationName = keyof Operations;

/**
 * The one table of the native API: routes, checks, the OpenAPI document, the client and the fuzz
 * tests are made of it.
 */
export const OPERATIONS: Readonly<Record<OperationName, ApiOperation>> = {
  ...NODE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...CONNECTOR_OPERATIONS,
  ...NAMESPACE_OPERATIONS,
  ...RELATION_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...CONSTRAINT_OPERATIONS,
};
