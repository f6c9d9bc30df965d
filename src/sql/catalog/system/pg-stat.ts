import type { Named, Provider, ProviderContext } from "./provider.ts";
import type { SnapshotRelation } from "./snapshot.ts";

/*
 * Tables and indexes as PostgreSQL's views of statistics list them. Firn does not count scans and
 * changes of each: those columns are NULL.
 */

/** Tables, and materialized views. */
const KINDS: ReadonlySet<string> = new Set(["r", "m"]);

type Whose = "all" | "user" | "sys";

function isAmong(whose: Whose, { isSystem }: SnapshotRelation): boolean {
  return whose === "all" || isSystem === (whose === "sys");
}

function tables(whose: Whose): Provider {
  return function* rows({ snapshot }: ProviderContext): Generator<Named> {
    for (const relation of snapshot.relations) {
      if (!KINDS.has(relation.kind) || !isAmong(whose, relation)) continue;
      const { oid, name, schema } = relation;
      yield { relid: oid, schemaname: schema.name, relname: name };
    }
  };
}

function indexes(whose: Whose): Provider {
  return function* rows({ snapshot }: ProviderContext): Generator<Named> {
    for (const { oid, name, of } of snapshot.indexes) {
      if (!isAmong(whose, of)) continue;
      yield {
        relid: of.oid,
        indexrelid: oid,
        schemaname: of.schema.name,
        relname: of.name,
        indexrelname: name,
      };
    }
  };
}

export const STATISTICS_PROVIDERS: Readonly<Record<string, Provider>> = Object.fromEntries(
  (["all", "user", "sys"] as const).flatMap((whose) => [
    [`pg_stat_${whose}_tables`, tables(whose)],
    [`pg_statio_${whose}_tables`, tables(whose)],
    [`pg_stat_${whose}_indexes`, indexes(whose)],
    [`pg_statio_${whose}_indexes`, indexes(whose)],
  ]),
);
