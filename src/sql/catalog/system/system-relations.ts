import type { Datum } from "../../../rows/index.ts";
import type { SqlContext } from "../../types/context.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import type { VirtualRelation, VirtualRelations } from "../virtual.ts";
import { indexDefinition } from "./definitions.ts";
import { INFORMATION_PROVIDERS } from "./information-schema.ts";
import { CLUSTER_PROVIDERS } from "./pg-cluster.ts";
import { dependRows, ruleRows } from "./pg-depend.ts";
import { RELATION_PROVIDERS } from "./pg-relations.ts";
import { STATISTICS_PROVIDERS } from "./pg-stat.ts";
import { TYPE_PROVIDERS } from "./pg-types.ts";
import type { ListedStatement, Named, Provider, ProviderContext } from "./provider.ts";
import { type Shape, systemShapes } from "./shapes.ts";
import type { CatalogSnapshot } from "./snapshot.ts";

export interface SystemParts {
  readonly types: TypeRegistry;
  /** What the statement sees. */
  readonly snapshotOf: (sql: SqlContext) => CatalogSnapshot;
  readonly settings: () => readonly (readonly [string, string])[];
  readonly prepared: () => readonly ListedStatement[];
}

function* indexesRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const index of snapshot.indexes) {
    yield {
      schemaname: index.of.schema.name,
      tablename: index.of.name,
      indexname: index.name,
      indexdef: indexDefinition(index, true),
    };
  }
}

const CATALOG_PROVIDERS: Readonly<Record<string, Provider>> = {
  ...RELATION_PROVIDERS,
  ...TYPE_PROVIDERS,
  ...CLUSTER_PROVIDERS,
  pg_indexes: indexesRows,
  pg_depend: dependRows,
  pg_rewrite: ruleRows,
  ...STATISTICS_PROVIDERS,
};

const BATCH_ROWS = 500;

/** PostgreSQL's own relations. Those that no provider fills are there, and empty. */
export function systemRelations(parts: SystemParts): VirtualRelations {
  const made = new Map<Shape, VirtualRelation>();
  return {
    find: (schema, name) => {
      const shape = systemShapes().byName.get(`${schema}.${name}`);
      if (shape === undefined) return undefined;
      const known = made.get(shape) ?? relationOf(shape, parts);
      made.set(shape, known);
      return known;
    },
  };
}

function relationOf(shape: Shape, parts: SystemParts): VirtualRelation {
  const { schema, name, oid, columns } = shape;
  const providers = schema === "pg_catalog" ? CATALOG_PROVIDERS : INFORMATION_PROVIDERS;
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  return {
    schema,
    name,
    oid,
    columns,
    scan: ({ sql, equal: places }) => {
      const fixed = systemShapes().fixed[name];
      if (schema === "pg_catalog" && fixed !== undefined)
        return [fixedRows(shape, fixed, parts, sql)];
      if (provider === undefined) return [];
      const equal = new Map(
        [...places].map(([place, values]) => [columns[place]?.name ?? "", values]),
      );
      const context: ProviderContext = {
        snapshot: parts.snapshotOf(sql),
        types: parts.types,
        sql,
        equal,
        settings: parts.settings(),
        prepared: parts.prepared(),
      };
      return batchesOf(shape, provider(context));
    },
  };
}

function* batchesOf({ columns }: Shape, rows: Iterable<Named>): Generator<readonly Datum[][]> {
  let batch: Datum[][] = [];
  for (const row of rows) {
    batch.push(columns.map(({ name }) => row[name] ?? null));
    if (batch.length === BATCH_ROWS) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function fixedRows(
  { columns }: Shape,
  rows: readonly (readonly (string | null)[])[],
  { types }: SystemParts,
  sql: SqlContext,
): readonly Datum[][] {
  return rows.map((row) =>
    columns.map(({ oid }, i) => {
      const text = row[i] ?? null;
      return text === null ? null : types.get(oid).codec.input(text, -1, sql);
    }),
  );
}
