import type { Actor, CatalogContext } from "./context.ts";
import { FAMILIES } from "./keys.ts";
import type { Table } from "./model.ts";
import { type RelationDraft, type RelationRef, Relations } from "./relations.ts";
import type { Resolver } from "./resolve.ts";
import type { Expect } from "./revise.ts";
import type { RevisedEntity } from "./revised-entity.ts";

/** A table by name. */
export type TableRef = RelationRef;

export type TableDraft = RelationDraft<Table>;

/** The tables of one account. */
export class Tables extends Relations<Table> {
  constructor(context: CatalogContext, resolver: Resolver) {
    super(context, resolver, {
      type: "table",
      listing: FAMILIES.tableByName,
      make: (common, id) => ({ ...common, type: "table", id, format: "ICEBERG" }),
    });
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
