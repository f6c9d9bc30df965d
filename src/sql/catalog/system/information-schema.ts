import type { ColumnDescriptor } from "../../../rows/index.ts";
import { signatures } from "../../signatures/tables.ts";
import { defaultText } from "./definitions.ts";
import { GRANT_PROVIDERS } from "./information-grants.ts";
import { typeColumns, USER_TYPE_PROVIDERS } from "./information-types.ts";
import { attributesOf, columnsOfConstraint, partsOf, viewText } from "./pg-relations.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import {
  type CatalogSnapshot,
  NO_TABLES,
  type SnapshotConstraint,
  type SnapshotRelation,
} from "./snapshot.ts";

function* schemataRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { name } of snapshot.schemas) {
    yield { catalog_name: snapshot.database, schema_name: name, schema_owner: snapshot.user };
  }
}

const TABLE_TYPES: Partial<Readonly<Record<SnapshotRelation["kind"], string>>> = {
  p: "BASE TABLE",
  r: "BASE TABLE",
  v: "VIEW",
  f: "FOREIGN",
};

function* tablesRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { name, schema, kind } of snapshot.relations) {
    const type = TABLE_TYPES[kind];
    if (type === undefined) continue;
    const isTemporary = schema.name === snapshot.temporary;
    yield {
      table_catalog: snapshot.database,
      table_schema: schema.name,
      table_name: name,
      table_type: isTemporary ? "LOCAL TEMPORARY" : type,
      is_insertable_into: yesNo(kind === "r" || kind === "p"),
      is_typed: "NO",
    };
  }
}

function* viewsRows({ snapshot, sql }: ProviderContext): Generator<Named> {
  for (const { name, schema, kind, view } of snapshot.relations) {
    if (kind !== "v") continue;
    yield {
      view_definition: view === undefined ? null : viewText(view, sql),
      table_catalog: snapshot.database,
      table_schema: schema.name,
      table_name: name,
      check_option: view?.checkOption?.toUpperCase() ?? "NONE",
      is_updatable: "NO",
      is_insertable_into: "NO",
      is_trigger_updatable: "NO",
      is_trigger_deletable: "NO",
      is_trigger_insertable_into: "NO",
    };
  }
}

const yesNo = (is: boolean): string => (is ? "YES" : "NO");

function* columnsRows(context: ProviderContext): Generator<Named> {
  const { snapshot, types, equal, sql } = context;
  const names = equal.get("table_name");
  for (const relation of snapshot.relations) {
    if (NO_TABLES.has(relation.kind)) continue;
    if (names !== undefined && !names.includes(relation.name)) continue;
    for (const attribute of attributesOf(context, relation)) {
      const { name, number, notNull, column } = attribute;
      const type = types.find(attribute.oid);
      const { oid, typmod } = type?.base ?? attribute;
      const isGenerated = column?.generated !== undefined;
      const own = types.isOwn(oid);
      yield {
        table_catalog: snapshot.database,
        table_schema: relation.schema.name,
        table_name: relation.name,
        column_name: name,
        ordinal_position: number,
        column_default:
          column === undefined || isGenerated ? null : (defaultText(types, column, sql) ?? null),
        is_nullable: yesNo(!notNull),
        ...typeColumns(types, { oid, typmod }),
        udt_catalog: snapshot.database,
        ...(type?.base !== undefined && {
          domain_catalog: snapshot.database,
          domain_schema: type.schema ?? null,
          domain_name: type.name,
        }),
        udt_schema: own && type?.base === undefined ? (type?.schema ?? "public") : "pg_catalog",
        udt_name: (type?.base === undefined ? type : types.find(type.base.oid))?.name ?? null,
        dtd_identifier: String(number),
        is_self_referencing: "NO",
        is_identity: yesNo(column?.identity !== undefined),
        identity_generation: column?.identity?.toUpperCase() ?? null,
        ...identityOf(snapshot, column),
        is_generated: isGenerated ? "ALWAYS" : "NEVER",
        generation_expression: column?.generated ?? null,
        is_updatable: yesNo(relation.kind === "r" || relation.kind === "p"),
      };
    }
  }
}

/** The numbers of an identity column's sequence. */
function identityOf({ relations }: CatalogSnapshot, column: ColumnDescriptor | undefined): Named {
  const id = column?.identity === undefined ? undefined : column.sequence;
  const sequence =
    id === undefined ? undefined : relations.find((one) => one.sequence?.id === id)?.sequence;
  if (sequence === undefined) return { identity_cycle: "NO" };
  return {
    identity_start: String(sequence.start),
    identity_increment: String(sequence.increment),
    identity_maximum: String(sequence.max),
    identity_minimum: String(sequence.min),
    identity_cycle: yesNo(sequence.cycle),
  };
}

const CONSTRAINT_TYPES = {
  "primary key": "PRIMARY KEY",
  unique: "UNIQUE",
  check: "CHECK",
  "foreign key": "FOREIGN KEY",
} as const;

function constraintNames(
  { snapshot }: ProviderContext,
  { of, descriptor }: SnapshotConstraint,
): Named {
  return {
    constraint_catalog: snapshot.database,
    constraint_schema: of.schema.name,
    constraint_name: descriptor.name,
  };
}

function tableNames({ snapshot }: ProviderContext, { schema, name }: SnapshotRelation): Named {
  return { table_catalog: snapshot.database, table_schema: schema.name, table_name: name };
}

function* tableConstraintsRows(context: ProviderContext): Generator<Named> {
  for (const constraint of context.snapshot.constraints) {
    const { descriptor, of, index } = constraint;
    const foreign = descriptor.kind === "foreign key" ? descriptor : undefined;
    yield {
      ...constraintNames(context, constraint),
      ...tableNames(context, of),
      constraint_type: CONSTRAINT_TYPES[descriptor.kind],
      is_deferrable: yesNo(foreign?.deferrable ?? false),
      initially_deferred: yesNo(foreign?.initiallyDeferred ?? false),
      enforced: "YES",
      nulls_distinct:
        descriptor.kind === "unique" ? yesNo(index?.descriptor?.nullsNotDistinct !== true) : null,
    };
  }
}

/** The columns of a key, in its order. */
function keyColumns({ descriptor, index }: SnapshotConstraint): readonly number[] {
  if (descriptor.kind === "foreign key") return descriptor.columns;
  if (index === undefined) return [];
  return partsOf(index).flatMap((part) => ("columnId" in part ? [part.columnId] : []));
}

function nameOfColumn({ table }: SnapshotRelation, id: number): string | null {
  return table?.columns.find((column) => column.id === id)?.name ?? null;
}

function* keyColumnUsageRows(context: ProviderContext): Generator<Named> {
  for (const constraint of context.snapshot.constraints) {
    const { of, descriptor } = constraint;
    for (const [i, id] of keyColumns(constraint).entries()) {
      yield {
        ...constraintNames(context, constraint),
        ...tableNames(context, of),
        column_name: nameOfColumn(of, id),
        ordinal_position: i + 1,
        position_in_unique_constraint: descriptor.kind === "foreign key" ? i + 1 : null,
      };
    }
  }
}

function* constraintColumnUsageRows(context: ProviderContext): Generator<Named> {
  for (const constraint of context.snapshot.constraints) {
    const { descriptor, of } = constraint;
    const foreign = descriptor.kind === "foreign key" ? descriptor : undefined;
    const target = foreign === undefined ? of : targetOf(context, foreign.references.table);
    if (target === undefined) continue;
    for (const id of foreign?.references.columns ?? columnsOfConstraint(constraint)) {
      const column_name = nameOfColumn(target, id);
      yield {
        ...tableNames(context, target),
        column_name,
        ...constraintNames(context, constraint),
      };
    }
  }
}

function targetOf({ snapshot }: ProviderContext, id: string): SnapshotRelation | undefined {
  return snapshot.relations.find(({ table }) => table?.id === id);
}

function* referentialRows(context: ProviderContext): Generator<Named> {
  for (const constraint of context.snapshot.constraints) {
    const { descriptor } = constraint;
    if (descriptor.kind !== "foreign key") continue;
    const target = targetOf(context, descriptor.references.table);
    const unique = context.snapshot.constraints.find(
      (each) => each.of === target && each.descriptor.kind === "primary key",
    );
    yield {
      ...constraintNames(context, constraint),
      unique_constraint_catalog: unique === undefined ? null : context.snapshot.database,
      unique_constraint_schema: unique?.of.schema.name ?? null,
      unique_constraint_name: unique?.descriptor.name ?? null,
      match_option: descriptor.match === "full" ? "FULL" : "NONE",
      update_rule: descriptor.onUpdate.toUpperCase(),
      delete_rule: descriptor.onDelete.toUpperCase(),
    };
  }
}

function* checkRows(context: ProviderContext): Generator<Named> {
  for (const constraint of context.snapshot.constraints) {
    const { descriptor } = constraint;
    if (descriptor.kind !== "check") continue;
    yield { ...constraintNames(context, constraint), check_clause: `(${descriptor.expression})` };
  }
}

function* catalogNameRows({ snapshot }: ProviderContext): Generator<Named> {
  yield { catalog_name: snapshot.database };
}

function* routinesRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, name, kind } of signatures().procedures) {
    if (kind !== "f") continue;
    yield {
      specific_catalog: snapshot.database,
      specific_schema: "pg_catalog",
      specific_name: `${name}_${oid}`,
      routine_catalog: snapshot.database,
      routine_schema: "pg_catalog",
      routine_name: name,
      routine_type: "FUNCTION",
    };
  }
}

const SEQUENCE_TYPES = {
  int2: { data_type: "smallint", numeric_precision: 16 },
  int4: { data_type: "integer", numeric_precision: 32 },
  int8: { data_type: "bigint", numeric_precision: 64 },
};

/** Those of identity columns are told with their columns. */
function* sequencesRows({ snapshot }: ProviderContext): Generator<Named> {
  const ofIdentities = new Set(
    snapshot.relations.flatMap(({ table }) =>
      (table?.columns ?? []).flatMap(({ sequence }) => sequence ?? []),
    ),
  );
  for (const { name, schema, sequence } of snapshot.relations) {
    if (sequence === undefined || ofIdentities.has(sequence.id)) continue;
    yield {
      sequence_catalog: snapshot.database,
      sequence_schema: schema.name,
      sequence_name: name,
      ...SEQUENCE_TYPES[sequence.type],
      numeric_precision_radix: 2,
      numeric_scale: 0,
      start_value: String(sequence.start),
      minimum_value: String(sequence.min),
      maximum_value: String(sequence.max),
      increment: String(sequence.increment),
      cycle_option: yesNo(sequence.cycle),
    };
  }
}

export const INFORMATION_PROVIDERS: Readonly<Record<string, Provider>> = {
  schemata: schemataRows,
  ...GRANT_PROVIDERS,
  ...USER_TYPE_PROVIDERS,
  tables: tablesRows,
  views: viewsRows,
  columns: columnsRows,
  table_constraints: tableConstraintsRows,
  key_column_usage: keyColumnUsageRows,
  constraint_column_usage: constraintColumnUsageRows,
  referential_constraints: referentialRows,
  check_constraints: checkRows,
  information_schema_catalog_name: catalogNameRows,
  routines: routinesRows,
  sequences: sequencesRows,
};
