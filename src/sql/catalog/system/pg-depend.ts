import { type TableDescriptor, visibleColumns } from "../../../rows/index.ts";
import { columnsRead } from "./expression-columns.ts";
import { hashedOid } from "./object-oids.ts";
import { parentConstraintOf, parentIndexOf } from "./partitions.ts";
import { CLASS_OID, CONSTRAINT_CLASS_OID, NAMESPACE_CLASS_OID, partsOf } from "./pg-relations.ts";
import type { Named, ProviderContext } from "./provider.ts";
import type {
  CatalogSnapshot,
  SnapshotConstraint,
  SnapshotIndex,
  SnapshotRelation,
} from "./snapshot.ts";

const DEFAULT_CLASS_OID = 2604;
const RULE_CLASS_OID = 2618;

/** An object: its catalog, its OID there, and a column of it. */
type Address = readonly [classOid: number, oid: number, column?: number];

/** `a`: goes with it; `i`, `P`: is a part of it; `n`: is in the way of dropping it. */
type Kind = "a" | "i" | "n" | "P";

function row(of: Address, on: Address, kind: Kind): Named {
  return {
    classid: of[0],
    objid: of[1],
    objsubid: of[2] ?? 0,
    refclassid: on[0],
    refobjid: on[1],
    refobjsubid: on[2] ?? 0,
    deptype: kind,
  };
}

/** What objects of the catalog depend on. */
export function* dependRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const relation of snapshot.relations) {
    if (relation.isSystem || relation.index !== undefined) continue;
    yield row([CLASS_OID, relation.oid], [NAMESPACE_CLASS_OID, relation.schema.oid], "n");
    if (relation.sequence !== undefined) yield* ofSequence(snapshot, relation);
    if (relation.table !== undefined) yield* ofDefaults(snapshot, relation);
  }
  yield* ofViews(snapshot);
  for (const index of snapshot.indexes) yield* ofIndex(snapshot, index);
  for (const constraint of snapshot.constraints) yield* ofConstraint(snapshot, constraint);
  yield* ofPartitions(snapshot);
}

/** Keys and indexes of partitions are parts of those of the partitioned table. */
function* ofPartitions(snapshot: CatalogSnapshot): Generator<Named> {
  for (const index of snapshot.indexes) {
    const above = parentIndexOf(snapshot, index);
    if (above !== undefined) yield row([CLASS_OID, index.oid], [CLASS_OID, above.oid], "P");
  }
  for (const constraint of snapshot.constraints) {
    const above = parentConstraintOf(snapshot, constraint);
    if (above === undefined) continue;
    yield row([CONSTRAINT_CLASS_OID, constraint.oid], [CONSTRAINT_CLASS_OID, above.oid], "P");
  }
}

/** PostgreSQL keeps the query of a view as a rule of it. */
export function* ruleRows({ snapshot }: ProviderContext): Generator<Named> {
  for (const { oid, view } of snapshot.relations) {
    if (view === undefined) continue;
    yield {
      oid: ruleOid(oid),
      rulename: "_RETURN",
      ev_class: oid,
      ev_type: "1",
      ev_enabled: "O",
      is_instead: true,
    };
  }
}

/** The OID of the rule that a view is. */
export function ruleOid(view: number): number {
  return hashedOid("rule", view);
}

/** A view's rule is a part of it, and reads columns of tables and of other views. */
function* ofViews({ relations }: CatalogSnapshot): Generator<Named> {
  const byId = new Map<string, SnapshotRelation>();
  for (const relation of relations) {
    const { table, view } = relation;
    if (table !== undefined) byId.set(table.id, relation);
    if (view !== undefined) byId.set(view.id, relation);
  }
  for (const { oid, view } of relations) {
    if (view === undefined) continue;
    const own: Address = [RULE_CLASS_OID, ruleOid(oid)];
    // It has the view's own columns as well, by names that no query uses.
    for (const kind of ["i", "n"] as const) yield row(own, [CLASS_OID, oid], kind);
    for (const { id, columns } of view.uses) {
      const used = byId.get(id);
      if (used === undefined) continue;
      for (const number of columnsUsed(used, columns)) {
        yield row(own, [CLASS_OID, used.oid, number], "n");
      }
    }
  }
}

/** Numbers of columns; 0, the relation itself, where none are named, or none that it has. */
function columnsUsed(
  { table, view }: SnapshotRelation,
  names: readonly string[] | undefined,
): readonly number[] {
  if (names === undefined || names.length === 0) return [0];
  const all =
    view?.columns.map(({ name }, i) => ({ name, id: i + 1 })) ??
    visibleColumns(table as TableDescriptor);
  const used = all.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  return used.length === 0 ? [0] : used;
}

function tableById(snapshot: CatalogSnapshot, id: string): SnapshotRelation | undefined {
  return snapshot.relations.find(({ table }) => table?.id === id);
}

function* ofSequence(
  snapshot: CatalogSnapshot,
  { oid, sequence }: SnapshotRelation,
): Generator<Named> {
  const owner = sequence?.ownedBy;
  const table = owner && tableById(snapshot, owner.table);
  if (owner === undefined || table === undefined) return;
  const column = table.table?.columns.find(({ id }) => id === owner.column);
  const kind = column?.identity === undefined ? "a" : "i";
  yield row([CLASS_OID, oid], [CLASS_OID, table.oid, owner.column], kind);
}

function* ofDefaults(snapshot: CatalogSnapshot, relation: SnapshotRelation): Generator<Named> {
  const { table, oid } = relation;
  if (table === undefined) return;
  for (const { id, default: given, generated, identity } of visibleColumns(table)) {
    if ((given === undefined || identity !== undefined) && generated === undefined) continue;
    const own: Address = [DEFAULT_CLASS_OID, hashedOid("default", table.id, id)];
    yield row(own, [CLASS_OID, oid, id], generated === undefined ? "a" : "i");
    for (const column of generated === undefined ? [] : columnsRead(table, generated)) {
      yield row(own, [CLASS_OID, oid, column], "a");
    }
    if (given?.kind !== "sequence") continue;
    const found = snapshot.relations.find(({ sequence }) => sequence?.id === given.sequence);
    if (found !== undefined) yield row(own, [CLASS_OID, found.oid], "n");
  }
}

function* ofIndex({ constraints }: CatalogSnapshot, index: SnapshotIndex): Generator<Named> {
  const own: Address = [CLASS_OID, index.oid];
  const constraint = constraints.find((each) => each.index === index);
  if (constraint !== undefined) {
    yield row(own, [CONSTRAINT_CLASS_OID, constraint.oid], "i");
    return;
  }
  const { table, oid } = index.of;
  const read = partsOf(index).flatMap((part) => {
    if ("columnId" in part) return [part.columnId];
    return table === undefined ? [] : columnsRead(table, part.expression);
  });
  const { include = [], predicate } = index.descriptor ?? {};
  const more = table === undefined || !predicate ? [] : columnsRead(table, predicate);
  for (const column of new Set([...read, ...include, ...more])) {
    yield row(own, [CLASS_OID, oid, column], "a");
  }
}

function* ofConstraint(
  snapshot: CatalogSnapshot,
  { oid, of, descriptor, index }: SnapshotConstraint,
): Generator<Named> {
  const own: Address = [CONSTRAINT_CLASS_OID, oid];
  const on = (relation: SnapshotRelation, column: number): Address => [
    CLASS_OID,
    relation.oid,
    column,
  ];
  if (descriptor.kind === "check") {
    const read = of.table === undefined ? [] : columnsRead(of.table, descriptor.expression);
    // Of the columns that the constraint is of, and of those that its expression reads.
    for (const kind of ["a", "n"] as const) {
      for (const column of read) yield row(own, on(of, column), kind);
    }
    return;
  }
  if (descriptor.kind !== "foreign key") {
    const parts = index === undefined ? [] : partsOf(index);
    for (const part of parts) if ("columnId" in part) yield row(own, on(of, part.columnId), "a");
    return;
  }
  for (const column of descriptor.columns) yield row(own, on(of, column), "a");
  const { references } = descriptor;
  const target = tableById(snapshot, references.table);
  if (target === undefined) return;
  for (const column of references.columns) yield row(own, on(target, column), "n");
  const key = snapshot.indexes.find((each) => isKeyOf(each, target, references.columns));
  if (key !== undefined) yield row(own, [CLASS_OID, key.oid], "n");
}

/** Whether an index is the unique one that has exactly some columns. */
export function isKeyOf(
  index: SnapshotIndex,
  target: SnapshotRelation,
  columns: readonly number[],
): boolean {
  if (index.of !== target || !(index.isPrimary || index.descriptor?.unique === true)) return false;
  if (index.descriptor?.predicate !== undefined) return false;
  const parts = partsOf(index).map((part) => ("columnId" in part ? part.columnId : 0));
  return parts.length === columns.length && columns.every((column) => parts.includes(column));
}
