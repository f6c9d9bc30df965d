import type { ArrayDatum, Datum } from "../../../rows/datum.ts";
import {
  type ColumnDescriptor,
  type IndexPart,
  type TableDescriptor,
  type ViewObject,
  visibleColumns,
} from "../../../rows/index.ts";
import { vector } from "../../types/arrays.ts";
import type { SqlContext, ViewStyle } from "../../types/context.ts";
import { OID } from "../../types/oids.ts";
import { aclOf } from "./acl.ts";
import { commentName } from "./comment-names.ts";
import { defaultText } from "./definitions.ts";
import { columnsRead, domainCheckText } from "./expression-columns.ts";
import { lakeType } from "./lake-types.ts";
import { hashedOid } from "./object-oids.ts";
import {
  inheritRows,
  isOfParent,
  parentConstraintOf,
  parentIndexOf,
  partitionedRows,
  partitionsOf,
  relationBound,
} from "./partitions.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import { HILBERT, systemShapes } from "./shapes.ts";
import {
  type CatalogSnapshot,
  OWNER_OID,
  rowTypeOid,
  type SnapshotConstraint,
  type SnapshotIndex,
  type SnapshotRelation,
} from "./snapshot.ts";

const HEAP = 2;
const BTREE = 403;
const GIN = 2742;

/** Numbers of an `int2vector` or `oidvector`, from index 0. */
export function zeroVector(elements: readonly Datum[]): ArrayDatum {
  return { dimensions: [elements.length], lowerBounds: [0], elements };
}

function* classRows({ snapshot, types }: ProviderContext): Generator<Named> {
  const checks = countBy(snapshot.constraints, ({ descriptor }) => descriptor.kind === "check");
  const indexed = new Set(snapshot.indexes.map(({ of }) => of.oid));
  const related = relatedByForeignKeys(snapshot);
  for (const relation of snapshot.relations) {
    const { oid, name, schema, kind, isSystem, held, view } = relation;
    const isHeap = kind === "r" || kind === "m";
    const owner = snapshot.ownerName(held);
    const isParted = kind === "p" || kind === "I";
    yield {
      oid,
      relname: name,
      relnamespace: schema.oid,
      reltype: rowTypeOid(relation),
      reloftype: 0,
      relowner: isSystem ? OWNER_OID : snapshot.ownerOf(held),
      relam: kind === "i" || kind === "I" ? accessMethodOf(relation) : isHeap ? HEAP : 0,
      relfilenode: isHeap || kind === "i" ? oid : 0,
      reltablespace: 0,
      relpages: 0,
      reltuples: -1,
      relallvisible: 0,
      reltoastrelid: 0,
      relhasindex: indexed.has(oid),
      relisshared: false,
      relpersistence: schema.name === snapshot.temporary ? "t" : "p",
      relkind: kind,
      relnatts: attributeCount(relation),
      relchecks: checks.get(oid) ?? 0,
      relhasrules: kind === "v" || kind === "m",
      relhastriggers: related.has(oid),
      relhassubclass: isParted && hasParts(snapshot, relation),
      relrowsecurity: false,
      relforcerowsecurity: false,
      relpartbound: relationBound(snapshot, types, relation),
      relispopulated: view?.materialized?.isPopulated ?? true,
      relreplident: !(isHeap || kind === "p") || isSystem ? "n" : "d",
      relispartition: isPartition(snapshot, relation),
      relrewrite: 0,
      relfrozenxid: 0,
      relminmxid: 0,
      reloptions:
        view?.checkOption === undefined ? null : vector([`check_option=${view.checkOption}`]),
      relacl:
        kind === "i" || kind === "I" || kind === "c"
          ? null
          : aclOf(snapshot.roles, aclKind(kind), held, owner),
    };
  }
}

function hasParts(snapshot: CatalogSnapshot, { index, ...relation }: SnapshotRelation): boolean {
  return partitionsOf(snapshot, index?.of ?? relation).length > 0;
}

function isPartition(snapshot: CatalogSnapshot, relation: SnapshotRelation): boolean {
  const { index } = relation;
  if (index !== undefined) return parentIndexOf(snapshot, index) !== undefined;
  return relation.table?.partitionOf !== undefined;
}

/** Tables at either end of a foreign key, which PostgreSQL enforces by triggers. */
function relatedByForeignKeys({ constraints, relations }: CatalogSnapshot): ReadonlySet<number> {
  const found = new Set<number>();
  const targets = new Set<string>();
  for (const { of, descriptor } of constraints) {
    if (descriptor.kind !== "foreign key") continue;
    found.add(of.oid);
    targets.add(descriptor.references.table);
  }
  for (const { oid, table } of relations) {
    if (table !== undefined && targets.has(table.id)) found.add(oid);
  }
  return found;
}

function aclKind(kind: SnapshotRelation["kind"]): "sequence" | "table" {
  return kind === "S" ? "sequence" : "table";
}

function countBy(
  constraints: readonly SnapshotConstraint[],
  counts: (constraint: SnapshotConstraint) => boolean,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const constraint of constraints) {
    const { oid } = constraint.of;
    if (counts(constraint)) found.set(oid, (found.get(oid) ?? 0) + 1);
  }
  return found;
}

function attributeCount({
  table,
  columns,
  index,
  view,
  composite,
  isSystem,
  schema,
  name,
}: SnapshotRelation): number {
  if (view !== undefined) return view.columns.length;
  if (composite !== undefined) {
    return Math.max(0, ...(composite.type.fields ?? []).map(({ id }) => id));
  }
  if (table !== undefined) return Math.max(0, ...visibleColumns(table).map(({ id }) => id));
  if (index !== undefined) return partsOf(index).length + (index.descriptor?.include.length ?? 0);
  if (!isSystem) return columns?.length ?? 0;
  return systemShapes().byName.get(`${schema.name}.${name}`)?.columns.length ?? 0;
}

export function partsOf(index: SnapshotIndex): readonly IndexPart[] {
  return index.descriptor?.parts ?? (index.of.table as TableDescriptor).primaryKey;
}

/** One column, as `pg_attribute` has it. */
interface Attribute {
  readonly name: string;
  readonly number: number;
  readonly oid: number;
  readonly typmod: number;
  readonly notNull: boolean;
  readonly column?: ColumnDescriptor;
}

function* attributeRows(context: ProviderContext): Generator<Named> {
  const { snapshot, types, equal } = context;
  const wanted = equal.get("attrelid");
  const relations =
    wanted === undefined
      ? snapshot.relations
      : wanted.flatMap((oid) => snapshot.relationByOid.get(oid as number) ?? []);
  for (const relation of relations) {
    for (const { name, number, oid, typmod, notNull, column } of attributesOf(context, relation)) {
      const type = types.find(oid);
      const { identity, generated } = column ?? {};
      const hasDefault =
        column !== undefined && defaultText(types, column, context.sql) !== undefined;
      yield {
        attrelid: relation.oid,
        attname: name,
        atttypid: oid,
        attstattarget: -1,
        attlen: type?.length ?? -1,
        attnum: number,
        attndims: types.isArray(oid) ? 1 : 0,
        attcacheoff: -1,
        atttypmod: typmod,
        attbyval: type?.isByValue ?? false,
        attalign: type?.alignment ?? "i",
        attstorage: type?.storage ?? "p",
        attcompression: "",
        attnotnull: notNull,
        atthasdef: hasDefault,
        atthasmissing: false,
        attidentity: identity === undefined ? "" : identity === "always" ? "a" : "d",
        attgenerated: generated === undefined ? "" : "s",
        attisdropped: false,
        attislocal: relation.table?.partitionOf === undefined,
        attinhcount: relation.table?.partitionOf === undefined ? 0 : 1,
        attcollation: type?.collation ?? 0,
      };
    }
  }
}

export function attributesOf(
  { types }: Pick<ProviderContext, "types">,
  relation: SnapshotRelation,
): readonly Attribute[] {
  const { table, columns, index, view, composite, isSystem, schema, name: own } = relation;
  if (table !== undefined) {
    const keys = new Set(table.primaryKey.map(({ columnId }) => columnId));
    return visibleColumns(table).map((column) => {
      const { oid, typmod } = types.fromColumnType(column.type);
      const notNull = !column.nullable || keys.has(column.id);
      return { name: column.name, number: column.id, oid, typmod, notNull, column };
    });
  }
  if (composite !== undefined) {
    return (composite.type.fields ?? []).map(({ id, name, type }) => {
      return { name, number: id, ...types.fromColumnType(type), notNull: false };
    });
  }
  if (index !== undefined) return indexAttributes(types, index);
  if (view !== undefined) {
    return view.columns.map((column, i) => ({ ...column, number: i + 1, notNull: false }));
  }
  if (isSystem) {
    const shape = systemShapes().byName.get(`${schema.name}.${own}`);
    return (shape?.columns ?? []).map((column, i) => ({ ...column, number: i + 1 }));
  }
  return (columns ?? []).map(({ name, type, nullable }, i) => {
    const { oid, typmod } = lakeType(types, type);
    return { name, number: i + 1, oid, typmod, notNull: !nullable };
  });
}

function indexAttributes(
  types: ProviderContext["types"],
  index: SnapshotIndex,
): readonly Attribute[] {
  const table = index.of.table as TableDescriptor;
  const included = (index.descriptor?.include ?? []).map((columnId) => ({ columnId }));
  return [...partsOf(index), ...included].map((part, i) => {
    const column =
      "columnId" in part ? table.columns.find(({ id }) => id === part.columnId) : undefined;
    const type = column?.type ?? ("type" in part ? part.type : { kind: "text" as const });
    const name = column?.name ?? (i === 0 ? "expr" : `expr${i}`);
    const stored = types.fromColumnType(type);
    const key = index.descriptor?.method === "gin" ? termType(types, stored.oid, part) : stored;
    return { name, number: i + 1, ...key, notNull: false };
  });
}

/** The type of what an inverted index has of a part: what its operator class stores. */
function termType(
  types: ProviderContext["types"],
  oid: number,
  { operatorClass }: Partial<IndexPart>,
): { readonly oid: number; readonly typmod: number } {
  if (types.isArray(oid)) return { oid: types.elementOf(oid), typmod: -1 };
  return { oid: operatorClass === "jsonb_path_ops" ? OID.int4 : OID.text, typmod: -1 };
}

function* indexRows({ snapshot, types }: ProviderContext): Generator<Named> {
  for (const index of snapshot.indexes) {
    const { descriptor, of, isPrimary } = index;
    const parts = partsOf(index);
    const include = descriptor?.include ?? [];
    const numbers = [...parts.map((part) => ("columnId" in part ? part.columnId : 0)), ...include];
    const attributes = indexAttributes(types, index).slice(0, parts.length);
    const isLive =
      (descriptor === undefined || descriptor.state === "public") && isWhole(snapshot, index);
    yield {
      indexrelid: index.oid,
      indrelid: of.oid,
      indnatts: numbers.length,
      indnkeyatts: parts.length,
      indisunique: isPrimary || descriptor?.unique === true,
      indnullsnotdistinct: descriptor?.nullsNotDistinct ?? false,
      indisprimary: isPrimary,
      indisexclusion: false,
      indimmediate: true,
      indisclustered: false,
      indisvalid: isLive,
      indcheckxmin: false,
      indisready: descriptor?.state !== "dropping",
      indislive: descriptor?.state !== "dropping",
      indisreplident: false,
      indkey: zeroVector(numbers),
      indcollation: zeroVector(attributes.map(({ oid }) => types.find(oid)?.collation ?? 0)),
      indclass: zeroVector(
        attributes.map(({ oid }, i) =>
          descriptor?.method === "gin"
            ? invertedClass(index, parts[i] as IndexPart)
            : defaultClass(oid),
        ),
      ),
      indoption: zeroVector(parts.map(optionsOf)),
      indexprs: parts.some((part) => "expression" in part)
        ? parts.flatMap((part) => ("expression" in part ? [part.expression] : [])).join(", ")
        : null,
      indpred: descriptor?.predicate ?? null,
    };
  }
}

/** Whether each partition has its part of an index of a partitioned table. */
function isWhole(snapshot: CatalogSnapshot, index: SnapshotIndex): boolean {
  return partitionsOf(snapshot, index.of).every(({ oid }) =>
    snapshot.indexes.some(
      (one) =>
        one.of.oid === oid && parentIndexOf(snapshot, one) === index && isWhole(snapshot, one),
    ),
  );
}

function accessMethodOf({ index }: SnapshotRelation): number {
  switch (index?.descriptor?.method) {
    case "gin":
      return GIN;
    case "hilbert":
      return HILBERT;
    default:
      return BTREE;
  }
}

/** The operator class of a part of an inverted index. */
function invertedClass({ of }: SnapshotIndex, part: IndexPart): number {
  const column =
    "columnId" in part ? of.table?.columns.find(({ id }) => id === part.columnId) : undefined;
  const type = column?.type ?? ("type" in part ? part.type : undefined);
  const usual = type?.kind === "array" ? "array_ops" : "jsonb_ops";
  const name = part.operatorClass ?? usual;
  const rows = systemShapes().fixed["pg_opclass"] ?? [];
  return Number(rows.find((row) => row[1] === String(GIN) && row[2] === name)?.[0] ?? 0);
}

/** Bit 0: descending; bit 1: NULL first. */
function optionsOf({ direction, nulls }: IndexPart): number {
  return (direction === "desc" ? 1 : 0) + (nulls === "first" ? 2 : 0);
}

let classes: ReadonlyMap<number, number> | undefined;

/** The operator class that btree indexes of a type have by default. */
function defaultClass(type: number): number {
  classes ??= new Map(
    (systemShapes().fixed["pg_opclass"] ?? [])
      .filter((row) => row[1] === String(BTREE) && row[7] === "t")
      .map((row) => [Number(row[6]), Number(row[0])]),
  );
  const TEXT_LIKE = new Map([[1043, 25]]);
  return classes.get(TEXT_LIKE.get(type) ?? type) ?? 0;
}

const CONSTRAINT_TYPES = {
  "primary key": "p",
  unique: "u",
  check: "c",
  "foreign key": "f",
} as const;
const ACTIONS = {
  "no action": "a",
  restrict: "r",
  cascade: "c",
  "set null": "n",
  "set default": "d",
} as const;

function* constraintRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const constraint of snapshot.constraints) {
    const { oid, of, descriptor, index } = constraint;
    const foreign = descriptor.kind === "foreign key" ? descriptor : undefined;
    const target =
      foreign && snapshot.relations.find(({ table }) => table?.id === foreign.references.table);
    const columns = columnsOfConstraint(constraint);
    const above = parentConstraintOf(snapshot, constraint);
    const isInherited = above !== undefined || isOfParent(snapshot, constraint);
    yield {
      oid,
      conname: descriptor.name,
      connamespace: of.schema.oid,
      contype: CONSTRAINT_TYPES[descriptor.kind],
      condeferrable: foreign?.deferrable ?? false,
      condeferred: foreign?.initiallyDeferred ?? false,
      convalidated: true,
      conrelid: of.oid,
      contypid: 0,
      conindid: index?.oid ?? referencedIndex(snapshot, target)?.oid ?? 0,
      conparentid: above?.oid ?? 0,
      confrelid: target?.oid ?? 0,
      confupdtype: foreign === undefined ? " " : ACTIONS[foreign.onUpdate],
      confdeltype: foreign === undefined ? " " : ACTIONS[foreign.onDelete],
      confmatchtype: foreign === undefined ? " " : foreign.match === "full" ? "f" : "s",
      conislocal: !isInherited,
      coninhcount: isInherited ? 1 : 0,
      connoinherit: descriptor.kind !== "check" && !isInherited,
      conkey: columns.length === 0 ? null : vector(columns),
      confkey: foreign === undefined ? null : vector(foreign.references.columns),
      confdelsetcols: foreign?.onDeleteColumns ? vector(foreign.onDeleteColumns) : null,
      conbin: descriptor.kind === "check" ? descriptor.expression : null,
    };
  }
  for (const { oid, name, schema, typeId, expression } of snapshot.domainChecks) {
    yield {
      oid,
      conname: name,
      connamespace: schema.oid,
      contype: "c",
      condeferrable: false,
      condeferred: false,
      convalidated: true,
      conrelid: 0,
      contypid: typeId,
      conindid: 0,
      conparentid: 0,
      confrelid: 0,
      confupdtype: " ",
      confdeltype: " ",
      confmatchtype: " ",
      conislocal: true,
      coninhcount: 0,
      connoinherit: false,
      conbin: domainCheckText(expression),
    };
  }
}

/** The columns of a key, in its order; those that a CHECK reads, in the order of their use. */
export function columnsOfConstraint({
  of,
  descriptor,
  index,
}: SnapshotConstraint): readonly number[] {
  if (descriptor.kind === "foreign key") return descriptor.columns;
  if (descriptor.kind === "check") {
    return of.table === undefined ? [] : columnsRead(of.table, descriptor.expression);
  }
  if (index === undefined) return [];
  return partsOf(index).flatMap((part) => ("columnId" in part ? [part.columnId] : []));
}

function referencedIndex(
  { indexes }: CatalogSnapshot,
  target: SnapshotRelation | undefined,
): SnapshotIndex | undefined {
  return indexes.find(({ of, isPrimary }) => of === target && isPrimary);
}

function* defaultRows({ snapshot, types, sql }: ProviderContext): Generator<Named> {
  for (const { oid, table } of snapshot.relations) {
    if (table === undefined) continue;
    for (const column of visibleColumns(table)) {
      const text = defaultText(types, column, sql);
      if (text === undefined) continue;
      yield {
        oid: hashedOid("default", table.id, column.id),
        adrelid: oid,
        adnum: column.id,
        adbin: text,
      };
    }
  }
}

export const CLASS_OID = 1259;
export const TYPE_CLASS_OID = 1247;
export const CONSTRAINT_CLASS_OID = 2606;
export const NAMESPACE_CLASS_OID = 2615;

/** What COMMENT ON said of a schema, a type or a constraint. */
export function objectComment(snapshot: CatalogSnapshot, classOid: number, oid: number): string {
  const { comments } = snapshot;
  const textOf = (name: string): string => comments.get(name) ?? "";
  if (classOid === NAMESPACE_CLASS_OID) {
    const schema = snapshot.schemaByOid.get(oid);
    if (schema === undefined) return "";
    const text = textOf(commentName("schema", schema.name));
    return text === "" && schema.name === "public" ? "standard public schema" : text;
  }
  if (classOid === TYPE_CLASS_OID) {
    const id = snapshot.typeIds.get(oid);
    return id === undefined ? "" : textOf(commentName("type", id));
  }
  const constraint = snapshot.constraintByOid.get(oid);
  const table = constraint?.of.table;
  if (constraint === undefined || table === undefined) return "";
  return textOf(commentName("constraint", table.id, constraint.descriptor.name));
}

function* viewRows({ snapshot, sql }: ProviderContext): Generator<Named> {
  for (const { name, schema, view } of snapshot.relations) {
    if (view === undefined) continue;
    yield {
      schemaname: schema.name,
      viewname: name,
      viewowner: sql.session.user,
      definition: viewText(view, sql),
    };
  }
}

const PLAIN_STYLE: ViewStyle = { isPretty: false, wrap: 0 };

/** As `pg_get_viewdef` gives it: as it is stored where it cannot be printed. */
export function viewText(
  view: ViewObject,
  sql: SqlContext,
  style: ViewStyle = PLAIN_STYLE,
): string {
  return sql.views?.text(view, style, sql) ?? ` ${view.query};`;
}

function* descriptionRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const relation of snapshot.relations) {
    if (relation.isSystem) continue;
    const { oid, table, view, columns = [] } = relation;
    const of = { objoid: oid, classoid: CLASS_OID };
    const comment = snapshot.commentOf(relation);
    if (comment !== "") yield { ...of, objsubid: 0, description: comment };
    const numbers =
      table === undefined
        ? (view?.columns ?? columns).map((_, i) => i + 1)
        : visibleColumns(table).map(({ id }) => id);
    for (const number of numbers) {
      const text = snapshot.columnComment(relation, number);
      if (text !== "") yield { ...of, objsubid: number, description: text };
    }
  }
  const others: readonly (readonly [number, readonly { readonly oid: number }[]])[] = [
    [NAMESPACE_CLASS_OID, snapshot.schemas],
    [CONSTRAINT_CLASS_OID, snapshot.constraints],
    [TYPE_CLASS_OID, [...snapshot.typeIds.keys()].map((oid) => ({ oid }))],
  ];
  for (const [classoid, all] of others) {
    for (const { oid } of all) {
      const text = objectComment(snapshot, classoid, oid);
      if (text !== "") yield { objoid: oid, classoid, objsubid: 0, description: text };
    }
  }
}

function* tablesRows({ snapshot }: ProviderContext): Generator<Named> {
  const indexed = new Set(snapshot.indexes.map(({ of }) => of.oid));
  const related = relatedByForeignKeys(snapshot);
  for (const { oid, name, schema, kind, held } of snapshot.relations) {
    if (kind !== "r" && kind !== "p") continue;
    yield {
      schemaname: schema.name,
      tablename: name,
      tableowner: snapshot.ownerName(held),
      hasindexes: indexed.has(oid),
      hasrules: false,
      hastriggers: related.has(oid),
      rowsecurity: false,
    };
  }
}

function* materializedRows({ snapshot, sql }: ProviderContext): Generator<Named> {
  const indexed = new Set(snapshot.indexes.map(({ of }) => of.oid));
  for (const { oid, name, schema, kind, held, view } of snapshot.relations) {
    if (kind !== "m" || view === undefined) continue;
    yield {
      schemaname: schema.name,
      matviewname: name,
      matviewowner: snapshot.ownerName(held),
      hasindexes: indexed.has(oid),
      ispopulated: view.materialized?.isPopulated === true,
      definition: viewText(view, sql),
    };
  }
}

const SEQUENCE_TYPES = { int2: OID.int2, int4: OID.int4, int8: OID.int8 };

function* sequenceRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, sequence } of snapshot.relations) {
    if (sequence === undefined) continue;
    yield {
      seqrelid: oid,
      seqtypid: SEQUENCE_TYPES[sequence.type],
      seqstart: sequence.start,
      seqincrement: sequence.increment,
      seqmax: sequence.max,
      seqmin: sequence.min,
      seqcache: BigInt(sequence.cache),
      seqcycle: sequence.cycle,
    };
  }
}

function* sequencesRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { name, schema, sequence, last } of snapshot.relations) {
    if (sequence === undefined) continue;
    yield {
      schemaname: schema.name,
      sequencename: name,
      sequenceowner: snapshot.user,
      data_type: SEQUENCE_TYPES[sequence.type],
      start_value: sequence.start,
      min_value: sequence.min,
      max_value: sequence.max,
      increment_by: sequence.increment,
      cycle: sequence.cycle,
      cache_size: BigInt(sequence.cache),
      last_value: last ?? null,
    };
  }
}

export const RELATION_PROVIDERS: Readonly<Record<string, Provider>> = {
  pg_class: classRows,
  pg_partitioned_table: partitionedRows,
  pg_inherits: inheritRows,
  pg_attribute: attributeRows,
  pg_index: indexRows,
  pg_constraint: constraintRows,
  pg_attrdef: defaultRows,
  pg_description: descriptionRows,
  pg_tables: tablesRows,
  pg_views: viewRows,
  pg_matviews: materializedRows,
  pg_sequence: sequenceRows,
  pg_sequences: sequencesRows,
};
