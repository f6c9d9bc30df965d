import type { TableId } from "../base/ids.ts";
import type { CompiledTable, TableReader } from "./compiled-table.ts";
import type {
  ConstraintDescriptor,
  ForeignKeyDescriptor,
  Reference,
  TableDescriptor,
} from "./descriptor.ts";
import { rowError, TableReferenced } from "./errors.ts";
import type { ExpressionContext } from "./expressions.ts";
import {
  type ForeignKeyDeferral,
  type ForeignKeySpec,
  foreignKeyOf,
  referencedKey,
} from "./foreign-key-spec.ts";
import { type ForeignKeys, foreignKeysOf } from "./foreign-keys.ts";
import { refuseBadRow } from "./row-checks.ts";
import type { StoredRows } from "./stored-rows.ts";
import type { TransactionTables } from "./tables.ts";
import { isTemporaryId } from "./temporary/marks.ts";

/** Temporary rows end with their session, and no other one sees them. @throws FirnError 42P16. */
function refuseMixed(child: TableDescriptor, parent: TableDescriptor, constraint: string): void {
  const isTemporary = isTemporaryId(child.id);
  if (isTemporary === isTemporaryId(parent.id)) return;
  const kind = isTemporary ? "temporary" : "permanent";
  const message = `constraints on ${kind} tables may reference only ${kind} tables`;
  const place = { table: child.name, constraint };
  throw rowError("Invalid", "ROW_TABLE_INVALID", "42P16", message, place);
}

/** What changes of constraints need of their transaction. */
export interface ConstraintHost {
  readonly tables: TransactionTables;
  readonly foreignKeys: ForeignKeys;
  readonly context: ExpressionContext;
  /** Throws where rows could escape what the change reads. */
  readonly assertSerializable: () => void;
  readonly use: (table: TableDescriptor) => Promise<CompiledTable>;
  readonly storedRows: (compiled: CompiledTable, reader?: TableReader) => StoredRows;
}

/**
 * Constraints that are made and dropped. A foreign key stands in the table that has it; the table
 * that it refers to has its name, so that who removes a row there knows where to look.
 */
export class TableConstraints {
  readonly #on: ConstraintHost;

  constructor(on: ConstraintHost) {
    this.#on = on;
  }

  /** A new table with its foreign keys, stored. */
  async create(table: TableDescriptor, specs: readonly ForeignKeySpec[]): Promise<TableDescriptor> {
    let made = table;
    for (const spec of specs) made = await this.#withForeignKey(made, spec);
    await this.#on.tables.put(made, undefined);
    for (const key of foreignKeysOf(made)) await this.#refer(made, key);
    return specs.length === 0 ? made : await this.#on.tables.get(made.id);
  }

  /** @throws FirnError `Conflict`, code `ROW_CHECK_FAILED` (23514): of a row that is there. */
  async addCheck(
    table: TableDescriptor,
    name: string,
    expression: string,
  ): Promise<TableDescriptor> {
    this.#on.assertSerializable();
    const next = withConstraint(table, { kind: "check", name, expression });
    await this.#on.tables.put(next, table);
    const compiled = await this.#on.use(next);
    await this.#eachRow(compiled, async (row) => refuseBadRow(compiled, row, this.#on.context));
    return next;
  }

  /** @throws FirnError `Conflict`, code `ROW_FOREIGN_KEY` (23503): of a row that is there. */
  async addForeignKey(table: TableDescriptor, spec: ForeignKeySpec): Promise<TableDescriptor> {
    this.#on.assertSerializable();
    const keyed = await this.#withForeignKey(table, spec);
    await this.#on.tables.put({ ...keyed, version: table.version + 1 }, table);
    const next = await this.#on.tables.get(table.id);
    const key = foreignKeysOf(next).find(({ name }) => name === spec.name) as ForeignKeyDescriptor;
    await this.#refer(next, key);
    // One that refers to itself has changed once more.
    const made = await this.#on.tables.get(table.id);
    const compiled = await this.#on.use(made);
    await this.#eachRow(compiled, (row) => this.#on.foreignKeys.checkRow(compiled, key, row));
    return made;
  }

  /** @throws FirnError `Invalid`, code `ROW_TABLE_INVALID` (42809): no foreign key of that name. */
  async alterForeignKey(
    table: TableDescriptor,
    { name, deferrable, initiallyDeferred }: ForeignKeyDeferral,
  ): Promise<TableDescriptor> {
    const key = foreignKeysOf(table).find((one) => one.name === name);
    if (key === undefined) {
      const message = `"${name}" is not a foreign key`;
      const place = { table: table.name, constraint: name };
      throw rowError("Invalid", "ROW_TABLE_INVALID", "42809", message, place);
    }
    const constraints = table.constraints.map((one) =>
      one === key ? { ...key, deferrable, initiallyDeferred } : one,
    );
    const next = { ...table, version: table.version + 1, constraints };
    await this.#on.tables.put(next, table);
    return next;
  }

  /** @throws FirnError `Invalid`, code `ROW_TABLE_INVALID` (42704). */
  async drop(table: TableDescriptor, name: string): Promise<TableDescriptor> {
    const constraint = table.constraints.find((one) => one.name === name);
    if (constraint?.kind !== "check" && constraint?.kind !== "foreign key") {
      const what = constraint === undefined ? "unknown constraint" : "drop its index instead";
      throw rowError("Invalid", "ROW_TABLE_INVALID", "42704", `invalid change: ${what}`, {
        table: table.name,
        constraint: name,
      });
    }
    await this.#refusePending(table, constraint);
    const next = withoutConstraint(table, constraint);
    await this.#on.tables.put(next, table);
    if (constraint.kind === "check") return next;
    await this.#forget(table.id, constraint);
    return await this.#on.tables.get(table.id);
  }

  /**
   * Before a table is dropped.
   *
   * @throws FirnError `Conflict`, code `ROW_TABLE_REFERENCED` (2BP01).
   */
  async dropTable(table: TableDescriptor, isCascade: boolean): Promise<void> {
    for (const { table: id, constraint } of othersOf(table)) {
      const child = await this.#on.tables.find(id);
      if (child === undefined) continue;
      if (!isCascade) throw referenced(table, child, constraint, "2BP01", "cannot drop");
      const key = foreignKeysOf(child).find(({ name }) => name === constraint);
      if (key !== undefined) await this.#on.tables.put(withoutConstraint(child, key), child);
    }
    for (const key of foreignKeysOf(table)) {
      if (key.references.table !== table.id) await this.#forget(table.id, key);
    }
  }

  /** @throws FirnError `Conflict`, code `ROW_TABLE_REFERENCED` (0A000). */
  async refuseTruncate(table: TableDescriptor, together: readonly TableId[]): Promise<void> {
    for (const { table: id, constraint } of othersOf(table)) {
      if (together.includes(id)) continue;
      const child = await this.#on.tables.find(id);
      if (child !== undefined)
        throw referenced(table, child, constraint, "0A000", "cannot truncate");
    }
  }

  /**
   * Before the primary key (`rows`) or a unique index is dropped: drops the foreign keys that find
   * rows by it.
   *
   * @returns the table without them.
   * @throws FirnError `Conflict`, code `ROW_TABLE_REFERENCED` (2BP01), where that is not wanted.
   */
  async dropReferences(
    table: TableDescriptor,
    from: "rows" | number,
    isCascade: boolean,
  ): Promise<TableDescriptor> {
    for (const { child, key } of await referringTo(this.#on.tables, table, from)) {
      if (!isCascade) {
        const what = from === "rows" ? "the primary key" : "a unique index";
        throw referenced(table, child, key.name, "2BP01", `cannot drop ${what} of`);
      }
      await this.drop(await this.#on.tables.get(child.id), key.name);
    }
    return await this.#on.tables.get(table.id);
  }

  /** @throws FirnError `Conflict`, code `ROW_TABLE_IN_USE` (55006): a check of it waits. */
  async #refusePending(table: TableDescriptor, constraint: ConstraintDescriptor): Promise<void> {
    const parents = constraint.kind === "foreign key" ? [constraint.references.table] : [];
    for (const id of [table.id, ...parents]) {
      if (!this.#on.foreignKeys.isPending(id)) continue;
      const { name } = await this.#on.tables.get(id);
      const message = `cannot ALTER TABLE "${name}" because it has pending trigger events`;
      throw rowError("Conflict", "ROW_TABLE_IN_USE", "55006", message, { table: name });
    }
  }

  async #withForeignKey(table: TableDescriptor, spec: ForeignKeySpec): Promise<TableDescriptor> {
    const { table: id } = spec.references;
    const parent = id === table.id ? table : await this.#on.tables.get(id);
    refuseMixed(table, parent, spec.name);
    const key = foreignKeyOf(table, parent, spec);
    return { ...withConstraint(table, key), version: table.version };
  }

  /** The table that a foreign key refers to learns of it. */
  async #refer({ id, name: child }: TableDescriptor, key: ForeignKeyDescriptor): Promise<void> {
    const parent = await this.#on.tables.get(key.references.table);
    const reference: Reference = { table: id, constraint: key.name };
    const { referencedBy = [], version } = parent;
    if (referencedBy.length >= MOST_REFERENCES) {
      const message = `more than ${MOST_REFERENCES} foreign keys refer to table "${parent.name}"`;
      const place = { table: child, constraint: key.name };
      throw rowError("Invalid", "ROW_TABLE_INVALID", "54000", message, place);
    }
    const next = { ...parent, version: version + 1, referencedBy: [...referencedBy, reference] };
    await this.#on.tables.put(next, parent);
  }

  async #forget(child: TableId, key: ForeignKeyDescriptor): Promise<void> {
    const parent = await this.#on.tables.find(key.references.table);
    if (parent === undefined) return;
    const { referencedBy = [], version } = parent;
    const left = referencedBy.filter(
      ({ table, constraint }) => table !== child || constraint !== key.name,
    );
    await this.#on.tables.put({ ...parent, version: version + 1, referencedBy: left }, parent);
  }

  async #eachRow(
    compiled: CompiledTable,
    check: (row: ReturnType<CompiledTable["rows"]["row"]>) => Promise<void>,
  ): Promise<void> {
    const rows = this.#on.storedRows(compiled);
    try {
      for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
        for (const { key, value } of batch) await check(compiled.rows.row(key, value));
      }
    } finally {
      rows.close();
    }
  }
}

/** The foreign keys that find rows of a table by its primary key (`rows`) or an index. */
export async function referringTo(
  tables: Pick<TransactionTables, "find">,
  table: TableDescriptor,
  from: "rows" | number,
): Promise<readonly { readonly child: TableDescriptor; readonly key: ForeignKeyDescriptor }[]> {
  const found: { child: TableDescriptor; key: ForeignKeyDescriptor }[] = [];
  for (const { table: id, constraint } of table.referencedBy ?? []) {
    const child = id === table.id ? table : await tables.find(id);
    const key = child && foreignKeysOf(child).find(({ name }) => name === constraint);
    const by = key && referencedKey(table, key);
    if (child === undefined || key === undefined || by === undefined) continue;
    if ((by === "rows" ? by : by.id) === from) found.push({ child, key });
  }
  return found;
}

/** Each removal of a row looks at all of them. */
const MOST_REFERENCES = 1_000;

function othersOf({ id, referencedBy = [] }: TableDescriptor): readonly Reference[] {
  return referencedBy.filter(({ table }) => table !== id);
}

/** @throws FirnError `AlreadyExists`, code `ROW_CONSTRAINT_EXISTS` (42710). */
function withConstraint(table: TableDescriptor, constraint: ConstraintDescriptor): TableDescriptor {
  const { name } = constraint;
  if (table.constraints.some((one) => one.name === name)) {
    const message = `constraint "${name}" for relation "${table.name}" already exists`;
    const place = { table: table.name, constraint: name };
    throw rowError("AlreadyExists", "ROW_CONSTRAINT_EXISTS", "42710", message, place);
  }
  return { ...table, version: table.version + 1, constraints: [...table.constraints, constraint] };
}

function withoutConstraint(
  table: TableDescriptor,
  constraint: ConstraintDescriptor,
): TableDescriptor {
  const constraints = table.constraints.filter((one) => one.name !== constraint.name);
  return { ...table, version: table.version + 1, constraints };
}

function referenced(
  table: TableDescriptor,
  child: TableDescriptor,
  constraint: string,
  sqlState: string,
  what: string,
): Error {
  const key = `a foreign key of table "${child.name}"`;
  const message = `${what} table "${table.name}": ${key} refers to it`;
  const detail = `constraint ${constraint} on table ${child.name} depends on table ${table.name}`;
  const place = { table: table.name, constraint, detail };
  const error = rowError("Conflict", "ROW_TABLE_REFERENCED", sqlState, message, place);
  return new TableReferenced(error, [child]);
}
