import type { AccountCatalog } from "../../../catalog/catalog.ts";
import type { Datum } from "../../../rows/datum.ts";
import { denied } from "../../../sql/catalog/held.ts";
import { SYSTEM_SCHEMA } from "../../../sql/catalog/reserved.ts";
import {
  SYSTEM_DATABASE,
  type VirtualRelation,
  type VirtualRelations,
  type VirtualScan,
} from "../../../sql/catalog/virtual.ts";
import type { SessionAccess } from "../session-access.ts";
import { changeRows, jobRows } from "./account-rows.ts";
import { columnsOf, oidOf, SYSTEM_TABLES, type SystemTable } from "./definitions.ts";
import { datasetRows, pointerRows, projectRows, tableRows, uuidRows } from "./entity-rows.ts";
import { type Named, SystemScan } from "./scan.ts";
import {
  indexRows,
  relationRows,
  snapshotRows,
  statsRows,
  type TableSources,
} from "./table-rows.ts";
import { CatalogWalk } from "./walk.ts";

export interface SystemSources extends Omit<TableSources, "actor"> {
  readonly catalog: AccountCatalog;
  readonly historyRetentionMs: number;
}

/**
 * The system tables: the catalog of an account as rows, read-only, computed as they are read. They
 * show what the session may see.
 */
export function systemTables(
  sources: SystemSources,
  access: SessionAccess,
  database: string,
): VirtualRelations {
  const own = database === SYSTEM_DATABASE ? SYSTEM_SCHEMA : undefined;
  const elsewhere = `${SYSTEM_DATABASE}.${SYSTEM_SCHEMA}`;
  const made = new Map<string, VirtualRelation>();
  return {
    find: (schema, name) => {
      if (schema !== own && schema !== elsewhere) return undefined;
      const table = SYSTEM_TABLES.find((each) => each.name === name);
      if (table === undefined) return undefined;
      const known = made.get(name) ?? relationOf(table, sources, access);
      made.set(name, known);
      return known;
    },
  };
}

function relationOf(
  table: SystemTable,
  sources: SystemSources,
  access: SessionAccess,
): VirtualRelation {
  const columns = columnsOf(table);
  const names = columns.map(({ name }) => name);
  return {
    schema: SYSTEM_SCHEMA,
    name: table.name,
    oid: oidOf(table),
    columns,
    estimatedRows: 1_000,
    async *scan(given: VirtualScan) {
      if (table.needs !== undefined) {
        const missing = access.on("the account", []).missing([table.needs]);
        if (missing.length > 0) throw denied(missing, "table", table.name, "the account");
      }
      const scan = new SystemScan(new CatalogWalk(sources.catalog, access), columns, given);
      for await (const rows of rowsOf(table.name, scan, sources, access)) {
        given.signal.throwIfAborted();
        yield rows.map((row) => names.map((name): Datum => row[name] ?? null));
      }
    },
  };
}

function rowsOf(
  name: string,
  scan: SystemScan,
  sources: SystemSources,
  access: SessionAccess,
): AsyncGenerator<readonly Named[]> {
  const ofTables = { ...sources, actor: () => access.actor };
  switch (name) {
    case "_uuids":
      return uuidRows(scan);
    case "_projects":
      return projectRows(scan);
    case "_datasets":
      return datasetRows(scan);
    case "_tables":
      return tableRows(scan);
    case "_pointers":
      return pointerRows(scan);
    case "_relations":
      return relationRows(scan, ofTables);
    case "_indexes":
      return indexRows(scan, ofTables);
    case "_jobs":
      return jobRows(sources.catalog);
    case "_stats":
      return statsRows(scan, ofTables);
    case "_snapshots":
      return snapshotRows(scan, ofTables);
    default:
      return changeRows(scan, sources.catalog, sources.historyRetentionMs);
  }
}
