import type { TableId } from "../../../base/ids.ts";
import type { AccountCatalog } from "../../../catalog/catalog.ts";
import type { RowTransaction } from "../../../rows/index.ts";
import type { Held } from "../../../sql/catalog/held.ts";
import type { ListedRelation } from "../../../sql/catalog/listing.ts";
import { SYSTEM_SCHEMA } from "../../../sql/catalog/reserved.ts";
import type { SqlRoles } from "../../../sql/catalog/roles.ts";
import type { CatalogView, Claim } from "../../../sql/catalog/view.ts";
import { SYSTEM_DATABASE, type VirtualRelations } from "../../../sql/catalog/virtual.ts";
import { SqlError } from "../../../sql/error.ts";
import { databasesOf } from "../listing.ts";
import type { SessionAccess } from "../session-access.ts";
import { idOf, SYSTEM_TABLES } from "./definitions.ts";

/** What everybody may do with the system's own objects beside reading them: nothing. */
const READ_ONLY: Held = {
  name: SYSTEM_DATABASE,
  missing: (needs) => needs.filter((need) => !["see", "read-metadata", "read-data"].includes(need)),
  isAny: true,
  isFresh: true,
};

function readOnly(): SqlError {
  return new SqlError("25006", `the database ${SYSTEM_DATABASE} is read-only`);
}

async function refuse(): Promise<never> {
  throw readOnly();
}

async function none(): Promise<readonly never[]> {
  return [];
}

/** A transaction of a database that has no row tables: nothing is there, and nothing is made. */
function noRows(): RowTransaction {
  const nothing = {
    isolation: "serializable",
    tables: { find: async () => undefined, list: none, listTemporary: none },
    sequences: {
      byName: async () => undefined,
      list: none,
      create: refuse,
      get: refuse,
    },
    objects: {
      byName: async () => undefined,
      find: async () => undefined,
      list: none,
      newNumber: refuse,
      create: refuse,
      replace: refuse,
    },
    takeTurn: async () => undefined,
    isFresh: true,
    assertWritable: () => {
      throw readOnly();
    },
    restart: refuse,
    statement: async () => undefined,
    endStatement: async () => undefined,
    stopWaiting: () => undefined,
    setConstraints: async () => undefined,
    savepoint: () => undefined,
    rollbackTo: () => undefined,
    release: () => undefined,
    commit: async () => undefined,
    rollback: () => undefined,
    createTable: refuse,
    alter: refuse,
    discardTemporary: async () => undefined,
    endTemporary: async () => undefined,
  };
  // Whatever needs a table finds none before it asks for anything else.
  return nothing as unknown as RowTransaction;
}

/** The database `_system`: one schema, which holds the system tables. */
export function systemView(
  catalog: AccountCatalog,
  access: SessionAccess,
  virtual: VirtualRelations,
  roles: SqlRoles,
): CatalogView {
  const isSchema = (path: readonly string[]) => path.length === 1 && path[0] === SYSTEM_SCHEMA;
  const refuseClaim = refuse as () => Promise<Claim>;
  return {
    virtual,
    roles,
    begin: async () => noRows(),
    list: async () => ({
      databases: await databasesOf(catalog, access),
      held: READ_ONLY,
      namespaces: [{ path: [SYSTEM_SCHEMA], held: READ_ONLY }],
      relations: SYSTEM_TABLES.map(
        (table): ListedRelation => ({
          id: idOf(table),
          path: [SYSTEM_SCHEMA],
          name: table.name,
          kind: "system",
          comment: table.holds,
          held: READ_ONLY,
          columns: table.columns.map(([name, type, comment]) => ({
            name,
            type,
            nullable: true,
            comment,
          })),
        }),
      ),
    }),
    hasNamespace: async (path) => isSchema(path),
    heldOn: async (path) => (path.length === 0 || isSchema(path) ? READ_ONLY : undefined),
    entry: async () => undefined,
    contentOf: async () => ({ tables: [], other: "the system tables" }),
    newTableId: () => catalog.context.ids.mint<TableId>(),
    claimNamespace: refuseClaim,
    claimTable: refuseClaim,
    renameTable: refuseClaim,
    dropNamespace: refuse,
    releaseTable: refuse,
    buildIndex: refuse,
    moveTable: refuse,
  };
}
