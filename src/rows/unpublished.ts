import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { KeySchema, rangeOfPrefix } from "../keys/index.ts";
import { type TableDescriptor, visibleColumns } from "./descriptor.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { systemPrefix } from "./system-prefix.ts";

/*
 * Tables of a shard whose columns the catalog may not show yet, by id. Written with the
 * change, and removed once the catalog has it. JSON: {"id": "…", "version": 7}.
 */
const prefix = systemPrefix("unpublished");
const keys = new KeySchema([{ type: "uuid" }], prefix);

/** A table whose change is committed, and due to be shown by the catalog. */
export interface UnpublishedTable {
  readonly id: TableId;
  /** Of the descriptor that the change made. */
  readonly version: number;
}

/** Notes a change of what the catalog shows of a table: its columns. */
export function noteChange(
  access: DescriptorAccess,
  before: TableDescriptor,
  { id, version, ...table }: TableDescriptor,
): boolean {
  if (shownOf(before) === shownOf({ id, version, ...table })) return false;
  access.put(keys.encode([id]), utf8(JSON.stringify({ id, version })));
  return true;
}

/** @throws FirnError `Corrupt`, code `ROW_DESCRIPTOR_CORRUPT`. */
export async function unpublishedTables(
  access: DescriptorAccess,
): Promise<readonly UnpublishedTable[]> {
  const { from, to } = rangeOfPrefix(prefix);
  const stored = await access.values(from, to as Uint8Array);
  try {
    return stored.map((bytes) => JSON.parse(utf8Text(bytes)) as UnpublishedTable);
  } catch (error) {
    const context = { sqlState: "XX001" };
    const message = "damaged note of a change: not JSON";
    throw new FirnError("Corrupt", "ROW_DESCRIPTOR_CORRUPT", message, context, error);
  }
}

/** The catalog shows a version: nothing is due, unless the table has changed again. */
export async function notePublished(
  access: DescriptorAccess,
  { id, version }: UnpublishedTable,
): Promise<void> {
  const key = keys.encode([id]);
  const stored = await access.get(key);
  if (stored === undefined) return;
  const due = JSON.parse(utf8Text(stored)) as UnpublishedTable;
  if (due.version === version) access.delete(key);
}

function shownOf(table: TableDescriptor): string {
  const columns = visibleColumns(table);
  return JSON.stringify(columns.map(({ id, name, type, nullable }) => [id, name, type, nullable]));
}
