import type { Partitioned, TableDescriptor } from "../../../rows/index.ts";
import { isSameConstraint } from "../../plan/ddl/same-constraint.ts";
import { boundText, type PlainKind } from "../../plan/partitions/bound-text.ts";
import { partName, partType } from "../../plan/partitions/key-parts.ts";
import { quoteIdentifier } from "../../types/identifier.ts";
import { OID } from "../../types/oids.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import type { Named, ProviderContext } from "./provider.ts";
import { systemShapes } from "./shapes.ts";
import type {
  CatalogSnapshot,
  SnapshotConstraint,
  SnapshotIndex,
  SnapshotRelation,
} from "./snapshot.ts";

const STRATEGIES = { range: "r", list: "l", hash: "h" } as const;

/** The table that a relation is a partition of. */
export function parentOf(
  { tableById }: CatalogSnapshot,
  { table }: Pick<SnapshotRelation, "table">,
): SnapshotRelation | undefined {
  const parent = table?.partitionOf?.parent;
  return parent === undefined ? undefined : tableById.get(parent);
}

/** The partitions of a table, in the order of their list. */
export function partitionsOf(
  { tableById }: CatalogSnapshot,
  { table }: Pick<SnapshotRelation, "table">,
): readonly SnapshotRelation[] {
  return (table?.partitioned?.members ?? []).flatMap((one) => tableById.get(one.table) ?? []);
}

/** The index of a partitioned table that an index is a part of. */
export function parentIndexOf(
  snapshot: CatalogSnapshot,
  { of, descriptor, isPrimary }: SnapshotIndex,
): SnapshotIndex | undefined {
  const parent = parentOf(snapshot, of);
  if (parent === undefined) return undefined;
  const { partOf } = descriptor ?? {};
  if (!isPrimary && partOf === undefined) return undefined;
  return snapshot.indexes.find(
    (index) =>
      index.of === parent && (isPrimary ? index.isPrimary : index.descriptor?.id === partOf),
  );
}

const KINDS: Readonly<Record<number, PlainKind>> = {
  [OID.int4]: "integer",
  [OID.numeric]: "numeric",
  [OID.bool]: "bool",
};

/** As `pg_get_expr` of `relpartbound`; null of a table that is by itself. */
export function relationBound(
  snapshot: CatalogSnapshot,
  types: TypeRegistry,
  relation: SnapshotRelation,
): string | null {
  const bound = relation.table?.partitionOf?.bound;
  const parent = parentOf(snapshot, relation)?.table;
  if (bound === undefined || parent === undefined) return null;
  const parts = parent.partitioned?.parts ?? [];
  const kinds = parts.map(
    (part) => KINDS[types.baseOf(types.fromColumnType(partType(parent, part)).oid)],
  );
  return boundText(bound, kinds);
}

/** As `pg_get_partkeydef`. */
export function partitionKeyText({ partitioned, ...table }: TableDescriptor): string | null {
  if (partitioned === undefined) return null;
  const parts = partitioned.parts.map((part) => {
    const name = partName(table, part);
    if ("columnId" in part) return quoteIdentifier(name);
    return name.startsWith("(") ? `(${name})` : name;
  });
  return `${partitioned.strategy.toUpperCase()} (${parts.join(", ")})`;
}

export function* partitionedRows({ snapshot, types }: ProviderContext): Generator<Named> {
  for (const relation of snapshot.relations) {
    const { oid, table } = relation;
    const { partitioned } = table ?? {};
    if (table === undefined || partitioned === undefined) continue;
    const { strategy, parts, members } = partitioned;
    const fallback = members.find(({ bound }) => bound.kind === "default");
    const oids = parts.map((part) => types.fromColumnType(partType(table, part)).oid);
    const vectorOf = (elements: readonly number[]) => {
      return { dimensions: [elements.length], lowerBounds: [0], elements };
    };
    const computed = parts.flatMap((part) => ("expression" in part ? [part.expression] : []));
    yield {
      partrelid: oid,
      partstrat: STRATEGIES[strategy],
      partnatts: parts.length,
      partdefid: (fallback && snapshot.tableById.get(fallback.table)?.oid) ?? 0,
      partattrs: vectorOf(parts.map((part) => ("columnId" in part ? part.columnId : 0))),
      partclass: vectorOf(oids.map((each) => keyClass(strategy, each))),
      partcollation: vectorOf(oids.map((each) => types.find(each)?.collation ?? 0)),
      partexprs: computed.length === 0 ? null : computed.join(", "),
    };
  }
}

const METHODS = { range: "403", list: "403", hash: "405" } as const;

/** The operator class that a strategy compares or hashes values of a type by. */
function keyClass(strategy: Partitioned["strategy"], type: number): number {
  const own = String(type === OID.varchar ? OID.text : type);
  const rows = systemShapes().fixed["pg_opclass"] ?? [];
  const isOwn = (row: readonly (string | null)[]): boolean =>
    row[1] === METHODS[strategy] && row[6] === own && row[7] === "t";
  return Number(rows.find(isOwn)?.[0] ?? 0);
}

export function* inheritRows({ snapshot }: ProviderContext): Generator<Named> {
  const row = (inhrelid: number, inhparent: number): Named => {
    return { inhrelid, inhparent, inhseqno: 1, inhdetachpending: false };
  };
  for (const relation of snapshot.relations) {
    const parent = parentOf(snapshot, relation);
    if (parent !== undefined) yield row(relation.oid, parent.oid);
  }
  for (const index of snapshot.indexes) {
    const parent = parentIndexOf(snapshot, index);
    if (parent !== undefined) yield row(index.oid, parent.oid);
  }
}

/** The relation above a table or an index. */
function above(
  snapshot: CatalogSnapshot,
  relation: SnapshotRelation,
): SnapshotRelation | undefined {
  if (relation.index === undefined) return parentOf(snapshot, relation);
  const parent = parentIndexOf(snapshot, relation.index);
  return parent && snapshot.relationByOid.get(parent.oid);
}

/** A relation and all above it, if it is partitioned or a partition. */
export function ancestorsOf(snapshot: CatalogSnapshot, oid: number): readonly SnapshotRelation[] {
  let relation = snapshot.relationByOid.get(oid);
  const isPart = relation && (isParted(relation) || above(snapshot, relation) !== undefined);
  if (isPart !== true) return [];
  const all: SnapshotRelation[] = [];
  for (; relation !== undefined; relation = above(snapshot, relation)) all.push(relation);
  return all;
}

function isParted({ kind }: SnapshotRelation): boolean {
  return kind === "p" || kind === "I";
}

/** Rows of `pg_partition_tree`. */
export function treeRows(
  snapshot: CatalogSnapshot,
  oid: number,
): readonly (readonly [number, number | null, boolean, number])[] {
  const [top, parent] = ancestorsOf(snapshot, oid);
  if (top === undefined) return [];
  const rows: (readonly [number, number | null, boolean, number])[] = [];
  let level: (readonly [SnapshotRelation, number | null])[] = [[top, parent?.oid ?? null]];
  for (let depth = 0; level.length > 0; depth++) {
    for (const [one, from] of level) rows.push([one.oid, from, !isParted(one), depth]);
    level = level.flatMap(([one]) =>
      below(snapshot, one).map((each): readonly [SnapshotRelation, number] => [each, one.oid]),
    );
  }
  return rows;
}

function below(snapshot: CatalogSnapshot, relation: SnapshotRelation): readonly SnapshotRelation[] {
  const { index } = relation;
  if (index === undefined) return partitionsOf(snapshot, relation);
  return snapshot.indexes.flatMap((each) =>
    parentIndexOf(snapshot, each) === index ? (snapshot.relationByOid.get(each.oid) ?? []) : [],
  );
}

/** The constraint of a partitioned table that a key or a foreign key is a part of. */
export function parentConstraintOf(
  snapshot: CatalogSnapshot,
  { of, descriptor, index }: SnapshotConstraint,
): SnapshotConstraint | undefined {
  const parent = parentOf(snapshot, of);
  if (parent === undefined || descriptor.kind === "check") return undefined;
  const above = index && parentIndexOf(snapshot, index);
  return snapshot.constraints.find((one) => {
    if (one.of !== parent) return false;
    if (above !== undefined) return one.index === above;
    if (parent.table === undefined || of.table === undefined) return false;
    return isSameConstraint(parent.table, one.descriptor, of.table, descriptor);
  });
}

/** Whether the partitioned table has the same check. */
export function isOfParent(
  snapshot: CatalogSnapshot,
  { of, descriptor }: SnapshotConstraint,
): boolean {
  const parent = parentOf(snapshot, of)?.table;
  return (
    descriptor.kind === "check" &&
    parent?.constraints.some(({ kind, name }) => kind === "check" && name === descriptor.name) ===
      true
  );
}
