import type { Live } from "../pointer/port.ts";
import { formatIn } from "./codec/summary.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { FAMILIES } from "./keys.ts";
import type { Table } from "./model.ts";
import type { NamespaceRef } from "./namespaces.ts";
import type { Page, PageRequest } from "./pages.ts";
import { type RelationDraft, type RelationRef, Relations } from "./relations.ts";
import type { Resolver } from "./resolve.ts";
import type { Expect } from "./revise.ts";
import type { RevisedEntity } from "./revised-entity.ts";

/** A table by name. */
export type TableRef = RelationRef;

export type TableDraft = RelationDraft<Table>;

/** Whether an entry of a list is an Iceberg table, by its summary. */
function isIceberg({ summary }: Live): boolean {
  return summary === undefined || formatIn(summary) === 0;
}

/** The tables of one account. */
export class Tables extends Relations<Table> {
  constructor(context: CatalogContext, resolver: Resolver) {
    super(context, resolver, {
      type: "table",
      listing: FAMILIES.tableByName,
      make: (common, id) => ({ ...common, type: "table", id, format: "ICEBERG" }),
    });
  }

  /** Names of the Iceberg tables of a namespace: a page may be shorter than was asked for. */
  listIceberg(ref: NamespaceRef, request: PageRequest): Promise<Page<string>> {
    return this.list(ref, request, isIceberg);
  }

  /**
   * Drops a table: its names and claims are free at once, its pointer stays for the retention.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `PROTECTED`.
   */
  async drop(
    actor: Actor,
    ref: TableRef,
    { purgeRequested }: { readonly purgeRequested: boolean },
    expect?: Expect<Table>,
  ): Promise<void> {
    const mark = async (table: Table): Promise<Table> => {
      const { iceberg } = table;
      return iceberg === undefined ? table : { ...table, iceberg: { ...iceberg, purgeRequested } };
    };
    await this.dropMarked(actor, "drop-table", ref, mark, expect);
  }

  /**
   * Lets a table go whose files stay for another catalog, and answers it as every commit before
   * left it: none comes after. `check` looks at it first.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `PROTECTED`, and what `check` throws.
   */
  unregister(
    actor: Actor,
    ref: TableRef,
    check: (table: Table) => Promise<void>,
  ): Promise<RevisedEntity<Table>> {
    return this.dropMarked(actor, "unregister-table", ref, async (table) => {
      await check(table);
      return table;
    });
  }
}
