import type { Node } from "libpg-query";
import type { ColumnDescriptor, RowTransaction, TableDescriptor } from "../../../rows/index.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import { identityOf, identityOptions } from "./sequence-options.ts";
import { sequenceChange } from "./sequences.ts";

/** ALTER COLUMN … ADD GENERATED … AS IDENTITY. @throws SqlError. */
export async function addIdentity(
  rows: RowTransaction,
  table: TableDescriptor,
  column: string,
  { options = [], generated_when: when }: NodeOf<"Constraint">,
): Promise<TableDescriptor> {
  const sequence = identityOptions(options, table.namespace);
  const identity = identityOf(when);
  return await rows.alter(table.id, { kind: "add identity", column, identity, sequence });
}

/** ALTER COLUMN … SET GENERATED, and SET with options of its sequence. @throws SqlError. */
export async function setIdentity(
  rows: RowTransaction,
  table: TableDescriptor,
  { name: column, sequence }: ColumnDescriptor,
  options: readonly Node[],
): Promise<TableDescriptor> {
  const isGenerated = (node: Node): boolean => contentOf(node, "DefElem")?.defname === "generated";
  const change = sequenceChange(options.filter((node) => !isGenerated(node)));
  const [given] = options.filter(isGenerated).map((node) => contentOf(node, "DefElem")?.arg);
  if (sequence !== undefined) await change(rows, await rows.sequences.get(sequence));
  if (given === undefined) return table;
  const identity = identityOf(String.fromCharCode(contentOf(given, "Integer")?.ival ?? 0));
  return await rows.alter(table.id, { kind: "set identity", column, identity });
}
