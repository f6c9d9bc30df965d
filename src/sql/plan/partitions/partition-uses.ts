import type { Node } from "libpg-query";
import type { RowTransaction, TableDescriptor } from "../../../rows/index.ts";
import { tableOid } from "../../catalog/system/object-oids.ts";
import { contentOf } from "../../parse/statement.ts";
import type { PartitionsUse, TableUse } from "../table-use.ts";

/** What the partitions of a table are found by. */
export interface PartitionPorts {
  /** The tree of a statement. */
  readonly parse: (text: string) => Promise<Node>;
  /** Told of each partition. */
  readonly onFound: (table: TableDescriptor) => Promise<unknown> | unknown;
}

/** The partitions of a table as plans use them, of all levels; undefined of one that has none. */
export async function partitionsUse(
  rows: RowTransaction,
  { partitioned }: TableDescriptor,
  ports: PartitionPorts,
): Promise<PartitionsUse | undefined> {
  if (partitioned === undefined) return undefined;
  const expressions: (Node | undefined)[] = [];
  for (const part of partitioned.parts) {
    expressions.push("expression" in part ? await parsed(ports, part.expression) : undefined);
  }
  const members: PartitionsUse["members"][0][] = [];
  for (const { table, bound } of partitioned.members) {
    const descriptor = await rows.tables.get(table);
    await ports.onFound(descriptor);
    const partitions = await partitionsUse(rows, descriptor, ports);
    const count = partitions === undefined ? (await rows.estimate(descriptor, 0)).rows : 0;
    const oid = tableOid(descriptor.relation);
    const use: TableUse = { descriptor, oid, rows: count, partitions };
    members.push({ use, bound });
  }
  return { members, expressions };
}

async function parsed({ parse }: PartitionPorts, expression: string): Promise<Node | undefined> {
  const select = contentOf(await parse(`SELECT ${expression}`), "SelectStmt");
  return contentOf(select?.targetList?.[0], "ResTarget")?.val;
}
