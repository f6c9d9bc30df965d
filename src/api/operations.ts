import { ACCESS_OPERATIONS, type AccessOperations } from "./access-operations.ts";
import { ACCOUNT_OPERATIONS, type AccountOperations } from "./account-operations.ts";
import { AUDIT_OPERATIONS, type AuditOperations } from "./audit-operations.ts";
import { CATALOG_OPERATIONS, type CatalogOperations } from "./catalog-operations.ts";
import { CONNECTOR_OPERATIONS, type ConnectorOperations } from "./connector-operations.ts";
import { CONSTRAINT_OPERATIONS, type ConstraintOperations } from "./constraint-operations.ts";
import { IMPORT_OPERATIONS, type ImportOperations } from "./import-operations.ts";
import { LAYOUT_OPERATIONS, type LayoutOperations } from "./layout-operations.ts";
import { NAMESPACE_OPERATIONS, type NamespaceOperations } from "./namespace-operations.ts";
import { NODE_OPERATIONS, type NodeOperations } from "./node-operations.ts";
import type { ApiOperation } from "./operation.ts";
import { PAGE_OPERATIONS, type PageOperations } from "./page-operations.ts";
import { PATTERN_OPERATIONS, type PatternOperations } from "./pattern-operations.ts";
import { RELATION_OPERATIONS, type RelationOperations } from "./relation-operations.ts";
import { ROW_OPERATIONS, type RowOperations } from "./row-operations.ts";
import { SQL_OPERATIONS, type SqlOperations } from "./sql-operations.ts";
import { STATISTICS_OPERATIONS, type StatisticsOperations } from "./statistics-operations.ts";
import { STATUS_OPERATIONS, type StatusOperations } from "./status-operations.ts";
import { STORAGE_OPERATIONS, type StorageOperations } from "./storage-operations.ts";

/** What each operation takes and answers, by its name. */
export interface Operations
  extends AccessOperations,
    AccountOperations,
    AuditOperations,
    CatalogOperations,
    ConnectorOperations,
    ImportOperations,
    NamespaceOperations,
    StatusOperations,
    RelationOperations,
    LayoutOperations,
    StatisticsOperations,
    RowOperations,
    PatternOperations,
    ConstraintOperations,
    PageOperations,
    NodeOperations,
    SqlOperations,
    StorageOperations {}

export type OperationName = keyof Operations;

/**
 * The one table of the native API: routes, checks, the OpenAPI document, the client and the fuzz
 * tests are made of it.
 */
export const OPERATIONS: Readonly<Record<OperationName, ApiOperation>> = {
  ...NODE_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...CATALOG_OPERATIONS,
  ...CONNECTOR_OPERATIONS,
  ...IMPORT_OPERATIONS,
  ...NAMESPACE_OPERATIONS,
  ...RELATION_OPERATIONS,
  ...LAYOUT_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...ROW_OPERATIONS,
  ...PATTERN_OPERATIONS,
  ...CONSTRAINT_OPERATIONS,
  ...PAGE_OPERATIONS,
  ...SQL_OPERATIONS,
  ...STORAGE_OPERATIONS,
};
