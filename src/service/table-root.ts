import type { AccountCatalog } from "../catalog/catalog.ts";
import { relationNotFound } from "../catalog/errors.ts";
import type { TableVersion } from "../catalog/snapshot-puts.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Live } from "../pointer/port.ts";
import { assertIceberg } from "./iceberg-only.ts";
import type { MetadataFile, MetadataFiles } from "./metadata-files.ts";
import { headOf } from "./relation-commits.ts";
import { ofRelation } from "./relation-missing.ts";
import type { TableRef } from "./requests.ts";

/** The root of one look at a table: the metadata, and the pointer that led to it. */
export interface TableRoot {
  readonly metadata: TableMetadata;
  readonly file: MetadataFile<TableMetadata>;
  readonly item: Live;
  readonly table: TableVersion;
}

/**
 * The current metadata of an Iceberg table. Warm: one batch read.
 *
 * @throws FirnError `TABLE_NOT_FOUND`, `TABLE_NOT_ICEBERG`; as `MetadataFiles.load`.
 */
export async function tableRoot(
  { tables }: AccountCatalog,
  files: MetadataFiles<TableMetadata>,
  ref: TableRef,
): Promise<TableRoot> {
  const name = { catalog: ref.catalog, path: ref.namespace, name: ref.table };
  const stored = await ofRelation("table", name, () => tables.get(name));
  assertIceberg(stored.entity, name);
  const head = headOf(stored);
  if (head === undefined) throw relationNotFound("table", ref.namespace, ref.table);
  const file = await files.load(head);
  const { item } = stored;
  const table = { id: stored.entity.id, version: head.version };
  return { metadata: file.metadata, file, item, table };
}
