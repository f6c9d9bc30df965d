import { assert } from "../base/assert.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { encodeSegment } from "../base/key-text.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Item, Live } from "../pointer/port.ts";
import { type BatchBuilder, never } from "./batch.ts";
import type { CatalogContext } from "./context.ts";
import { directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Entity, Relation, Table } from "./model.ts";

/*
 * Two indexes of the tables of an account tell which tables share files, without a scan. By uuid:
 * tables that grew out of the same metadata have the same uuid. By metadata directory: tables whose
 * current metadata file lies outside their own location. The key of an entry says everything. An
 * entry lives as long as its table, dropped or not: a dropped table can come back.
 *
 * COMPLETE. Every batch that creates, changes or ends a table keeps its entries. Versions before
 * the indexes wrote none, so an account is indexed only while its marker is there. A new account is
 * created with it. In an older one each mark of garbage collection adds what is missing. A mark
 * that misses nothing, and that begins the grace after a whole mark, puts the marker: then no older
 * version has created a table in between. A mark that finds a table without its entries deletes the
 * marker. Without the marker a purge reads all tables.
 *
 * ONE UUID. A staged create comes with a uuid that a client chose. It lists the entries of that
 * uuid, and is refused if there is one. No batch can prove that a directory is empty. So every
 * request that brings a uuid, a register too, deletes the fence of the uuid, at the version that it
 * read before it listed. Nothing is ever stored there: the delete leaves a tombstone of a higher
 * version. Of two concurrent requests the second one fails, plans again, and finds the first.
 */

/** The marker's name, should there be more indexes one day. */
const TABLES = "tables";
/** Characters of an entity's id: the end of a leaf. */
const ID_LENGTH = 36;
/** Most tables have no other's metadata in their location: then one is asked for in vain. */
const ENTRIES_A_PAGE = 2;
/** What of a metadata directory is kept in a key, encoded. */
const PATH_BYTES = CATALOG_LIMITS.locationBytes - ID_LENGTH;

/** The key that stands where both indexes of an account are complete. */
export function tableIndexKey(account: AccountId): string {
  return keyOf(FAMILIES.tableIndex, account, TABLES);
}

/** Deleted, and never alive, by each request that brings a uuid. */
export function fenceKey(account: AccountId, uuid: string): string {
  return keyOf(FAMILIES.uuidFence, account, uuid.toLowerCase());
}

function uuidDirectory(account: AccountId, uuid: string): string {
  return directoryOf(FAMILIES.tableByUuid, account, uuid.toLowerCase());
}

/** Where an entry by directory begins, for all directories at a path or below it. */
function pathPrefix(path: string): string {
  let prefix = "";
  for (const char of `${path}/`) {
    // Alone a tilde would stand for a hash: inside a segment it never does.
    const encoded = char === "~" ? char : encodeSegment(char);
    if (prefix.length + encoded.length > PATH_BYTES) break;
    prefix += encoded;
  }
  return prefix;
}

/** Whether a metadata file lies inside the location of its table. */
function isWithin(location: string, file: string): boolean {
  return file[location.length] === "/" && file.startsWith(location);
}

/** The index entries of a table. */
export function tableIndexKeys(
  account: AccountId,
  { id, location, iceberg }: Pick<Table, "id" | "location" | "iceberg">,
): readonly string[] {
  if (iceberg === undefined) return [];
  assert(id.length === ID_LENGTH, "an entry ends with an id of fixed length");
  const { tableUuid, metadataLocation } = iceberg;
  const keys: string[] = [];
  if (tableUuid !== undefined) {
    keys.push(keyOf(FAMILIES.tableByUuid, account, tableUuid.toLowerCase(), id));
  }
  if (!isWithin(location, metadataLocation)) {
    const directory = metadataLocation.slice(0, Math.max(0, metadataLocation.lastIndexOf("/")));
    keys.push(`${directoryOf(FAMILIES.tableByMetadata, account)}/${pathPrefix(directory)}${id}`);
  }
  return keys;
}

/** As `tableIndexKeys`, of any entity. */
export function indexKeysOf(account: AccountId, entity: Entity): readonly string[] {
  return entity.type === "table" ? tableIndexKeys(account, entity) : [];
}

/** The table that an index entry is of. */
export function tableOfEntry(key: string): TableId {
  const id = key.slice(-ID_LENGTH);
  assert(!id.includes("/"), "an entry ends with the id of its table");
  return id as TableId;
}

/** What a change of a table does to its entries, and to the fence of a uuid that it brings. */
export interface IndexChange {
  readonly puts: readonly Item[];
  readonly deletes: readonly Item[];
  readonly fence?: Item;
}

/** Adds the change to a batch. One operation for each entry that comes or goes, and the fence. */
export function joinIndex(batch: BatchBuilder, { puts, deletes, fence }: IndexChange): void {
  for (const item of puts) batch.derive(item, {});
  for (const item of deletes) if (item.state === "live") batch.deriveDelete(item);
  if (fence === undefined) return;
  assert(fence.state === "absent", "nothing is ever stored at a fence");
  batch.deriveDelete(fence);
}

/** The entries of a table that is made. No request: its id is new. */
export function newIndex(account: AccountId, entity: Entity): IndexChange {
  return { puts: indexKeysOf(account, entity).map(never), deletes: [] };
}

const NO_CHANGE: IndexChange = { puts: [], deletes: [] };

/** What most commits leave as it is, told without making keys. */
function hasSameEntries(was: Entity, entity: Entity): boolean {
  if (was.type !== "table" || entity.type !== "table") return was.type === entity.type;
  assert(was.id === entity.id, "a table keeps its id");
  if (was.iceberg === undefined || entity.iceberg === undefined) return false;
  return (
    was.iceberg.tableUuid === entity.iceberg.tableUuid &&
    was.location === entity.location &&
    isWithin(entity.location, was.iceberg.metadataLocation) &&
    isWithin(entity.location, entity.iceberg.metadataLocation)
  );
}

/** What changes as a table becomes another. One batch read, where anything does. */
export async function changedIndex(
  { account, pointers }: CatalogContext,
  was: Entity,
  entity: Entity,
): Promise<IndexChange> {
  if (hasSameEntries(was, entity)) return NO_CHANGE;
  const before = indexKeysOf(account, was);
  const after = indexKeysOf(account, entity);
  const gone = before.filter((key) => !after.includes(key));
  const come = after.filter((key) => !before.includes(key));
  if (gone.length + come.length === 0) return NO_CHANGE;
  const uuid = entity.type === "table" ? entity.iceberg?.tableUuid?.toLowerCase() : undefined;
  const had = was.type === "table" ? was.iceberg?.tableUuid?.toLowerCase() : undefined;
  const fences = uuid === undefined || uuid === had ? [] : [fenceKey(account, uuid)];
  const keys = [...gone, ...come, ...fences];
  const items = await pointers.getMany(keys);
  assert(items.length === keys.length, "a read answers every key");
  const [fence] = items.slice(gone.length + come.length);
  return {
    deletes: items.slice(0, gone.length),
    puts: items.slice(gone.length, gone.length + come.length),
    ...(fence === undefined ? {} : { fence }),
  };
}

/** An entry of a uuid that is not this table's. One list. */
export async function otherOfUuid(
  { account, pointers }: Pick<CatalogContext, "account" | "pointers">,
  uuid: string,
  own: TableId,
): Promise<Live | undefined> {
  const page = await pointers.list(uuidDirectory(account, uuid), { limit: 2 });
  return page.find(({ key }) => tableOfEntry(key) !== own);
}

/** Entries of other tables whose metadata lies below a location. One list for each page. */
export async function* metadataWithin(
  { account, pointers }: Pick<CatalogContext, "account" | "pointers">,
  { id, location }: Pick<Relation, "id" | "location">,
): AsyncGenerator<Live> {
  const directory = directoryOf(FAMILIES.tableByMetadata, account);
  const prefix = pathPrefix(location);
  for (let after = prefix; ; ) {
    const page = await pointers.list(directory, { after, limit: ENTRIES_A_PAGE });
    for (const item of page) {
      if (!item.key.startsWith(`${directory}/${prefix}`)) return;
      if (tableOfEntry(item.key) !== id) yield item;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key.slice(directory.length + 1);
  }
}

/**
 * Whether another table shares the files of this one: one of the same uuid, or one whose current
 * metadata lies in its location. Dropped ones count. One read and two lists, side by side.
 *
 * @returns undefined where the indexes are not complete.
 */
export async function sharedByIndex(
  context: Pick<CatalogContext, "account" | "pointers">,
  table: Table,
): Promise<boolean | undefined> {
  const uuid = table.iceberg?.tableUuid;
  const [marker, twin, guest] = await settleAll([
    context.pointers.get(tableIndexKey(context.account)),
    uuid === undefined ? undefined : otherOfUuid(context, uuid, table.id),
    metadataWithin(context, table).next(),
  ]);
  if (marker.state === "absent") return undefined;
  return twin !== undefined || guest.done !== true;
}
