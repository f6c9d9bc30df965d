import { notIceberg } from "../catalog/errors.ts";
import type { Summary, Table } from "../catalog/model.ts";
import type { RelationRef } from "../catalog/relations.ts";

/**
 * Refuses a table of another format, which Iceberg clients neither see nor change.
 *
 * @throws FirnError `NotFound` `TABLE_NOT_ICEBERG`.
 */
export function assertIceberg(
  { format = "ICEBERG" }: Pick<Summary, "format"> | Pick<Table, "format">,
  { path, name }: RelationRef,
): void {
  if (format !== "ICEBERG") throw notIceberg(path, name, format);
}
