import type { Privilege } from "../../api/privileges.ts";
import { type SequenceDescriptor, visibleColumns } from "../../rows/index.ts";
import { assertHeld } from "../catalog/held.ts";
import { notSupported, SqlError } from "../error.ts";
import type { SqlContext, SqlSequences } from "../types/context.ts";
import { quoteIdentifier } from "../types/identifier.ts";
import { relationNamed } from "../types/reg-objects.ts";
import { advisoryLockFamily } from "./advisory-locks.ts";
import type { Family } from "./implementation.ts";

/**
 * Functions of sequences whose answer must be waited for: they give promises. So do those that tell
 * what was given before, since waiting for another evaluates them again.
 */
const WAITING: readonly string[] = [
  "nextval_oid",
  "currval_oid",
  "lastval",
  "setval_oid",
  "setval3_oid",
  "pg_sequence_last_value",
];

const WAITS: ReadonlySet<string> = new Set([...WAITING, ...Object.keys(advisoryLockFamily)]);

/** Whether a function gives a promise: by PostgreSQL's name for its work, or by its own. */
export function waitsFor({ source, name }: { source: string; name: string }): boolean {
  return WAITS.has(source) || SLEEPS.has(name);
}

const SLEEPS: ReadonlySet<string> = new Set(["pg_sleep_for", "pg_sleep_until"]);

function sequencesOf({ sequences }: SqlContext): SqlSequences {
  if (sequences !== undefined) return sequences;
  throw notSupported("a sequence in this place");
}

/** @throws SqlError 42501: it may not be read, or not be counted on. */
function sequenceAt(oid: number, at: SqlContext, privilege: Privilege): SequenceDescriptor {
  const relation = at.catalog?.relationByOid.get(oid);
  if (relation === undefined)
    throw new SqlError("XX000", `could not open relation with OID ${oid}`);
  if (relation.sequence !== undefined) {
    assertHeld(relation.held, [privilege], "sequence", relation.name);
    return relation.sequence;
  }
  throw new SqlError("42809", `"${relation.name}" is not a sequence`);
}

/** The sequence that numbers a column: its name, for `nextval`. */
function serialSequence(table: string, column: string, at: SqlContext): string | null {
  const relation = relationNamed(table, at);
  if (relation === undefined) throw new SqlError("42P01", `relation "${table}" does not exist`);
  // No sequence is of a column of a view.
  if (relation.view?.columns.some(({ name }) => name === column) === true) return null;
  const columns = relation.table === undefined ? [] : visibleColumns(relation.table);
  const found = columns.find(({ name }) => name === column);
  if (found === undefined) {
    const message = `column "${column}" of relation "${relation.name}" does not exist`;
    throw new SqlError("42703", message);
  }
  const sequence = at.catalog?.relations.find(({ sequence: one }) => {
    const owner = one?.ownedBy;
    return owner?.table === relation.table?.id && owner?.column === found.id;
  });
  if (sequence === undefined) return null;
  return `${quoteIdentifier(sequence.schema.name)}.${quoteIdentifier(sequence.name)}`;
}

/** Functions of sequences. */
export const sequenceFamily: Family = {
  nextval_oid: (oid: number, at: SqlContext) =>
    sequencesOf(at).next(sequenceAt(oid, at, "write-data")),
  currval_oid: async (oid: number, at: SqlContext) =>
    sequencesOf(at).current(sequenceAt(oid, at, "read-data")),
  lastval: async (at: SqlContext) => sequencesOf(at).latest(),
  setval_oid: (oid: number, value: bigint, at: SqlContext) =>
    sequencesOf(at).set(sequenceAt(oid, at, "write-data"), value, true),
  setval3_oid: (oid: number, value: bigint, isCalled: boolean, at: SqlContext) =>
    sequencesOf(at).set(sequenceAt(oid, at, "write-data"), value, isCalled),
  async pg_sequence_last_value(oid: number, at: SqlContext) {
    const { last, isCalled } = await sequencesOf(at).state(sequenceAt(oid, at, "read-data"));
    return isCalled ? last : null;
  },
  pg_get_serial_sequence: serialSequence,
};
