import { bytesEqual } from "../base/bytes.ts";
import { idFromBytes, idToBytes, type TableId } from "../base/ids.ts";
import { LruMap } from "../base/lru.ts";
import { rangeOfPrefix } from "../keys/index.ts";
import { refuseWhileClosing, ShardClosing } from "./closing.ts";
import { sequenceOf, type TableDescriptor } from "./descriptor.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { decodeDescriptor, encodeDescriptor } from "./descriptor-json.ts";
import { rowError } from "./errors.ts";
import { type MoveNote, moveNotes, noteMarks, refuseWhileMoving } from "./moving.ts";
import { SystemKeys, systemPrefix } from "./system-prefix.ts";
import { isTemporaryId } from "./temporary/marks.ts";
import {
  noteChange,
  notePublished,
  type UnpublishedTable,
  unpublishedTables,
} from "./unpublished.ts";

/** The descriptors of a shard: by id, and by name. */
const byId = new SystemKeys([{ type: "uuid" }], "descriptors");
const byName = new SystemKeys([{ type: "path" }, { type: "text" }], "descriptors", 1);

const KEPT_KEYS = 10_000;

/** Descriptors that were decoded: bytes that did not change are not decoded again. */
export class DescriptorCache {
  readonly #known = new Map<TableId, { readonly bytes: Uint8Array; table: TableDescriptor }>();
  /** Where descriptors lie: each transaction reads those of its tables. */
  readonly #keys = new LruMap<TableId, Uint8Array>(KEPT_KEYS);

  keyOf(id: TableId): Uint8Array {
    let key = this.#keys.get(id);
    if (key === undefined) {
      key = byId.encode([id], isTemporaryId(id));
      this.#keys.set(id, key);
    }
    return key;
  }

  of(id: TableId, bytes: Uint8Array): TableDescriptor {
    const known = this.#known.get(id);
    if (known !== undefined && bytesEqual(known.bytes, bytes)) return known.table;
    const table = decodeDescriptor(bytes);
    // A copy: what a read gives may be a part of a large block.
    this.#known.set(id, { bytes: new Uint8Array(bytes), table });
    return table;
  }

  forget(id: TableId): void {
    this.#known.delete(id);
  }
}

/** The temporary tables of a session. */
export interface TemporaryTables {
  readonly cache: DescriptorCache;
  /** Undefined while there is none. */
  readonly schema: string | undefined;
}

/** The tables of a shard, as a transaction sees them. Each that it asks for is in its read set. */
export class TransactionTables {
  readonly closing: ShardClosing;
  readonly #access: DescriptorAccess;
  readonly #cache: DescriptorCache;
  readonly #temporary: TemporaryTables | undefined;
  readonly #onFound: (table: TableDescriptor) => void;
  #hasUnpublished = false;
  #all: Promise<readonly TableDescriptor[]> | undefined;

  /**
   * @param onFound told of each descriptor that was read, as it is in this transaction.
   */
  constructor(
    access: DescriptorAccess,
    cache: DescriptorCache,
    onFound: (table: TableDescriptor) => void,
    temporary?: TemporaryTables,
  ) {
    this.closing = new ShardClosing(access);
    this.#access = access;
    this.#cache = cache;
    this.#temporary = temporary;
    this.#onFound = onFound;
  }

  #cacheOf(id: TableId): DescriptorCache {
    return (isTemporaryId(id) ? this.#temporary?.cache : undefined) ?? this.#cache;
  }

  /** @throws FirnError `Corrupt`, code `ROW_DESCRIPTOR_CORRUPT`. */
  async find(id: TableId): Promise<TableDescriptor | undefined> {
    const cache = this.#cacheOf(id);
    const bytes = await this.#access.get(cache.keyOf(id));
    if (bytes === undefined) return undefined;
    const table = cache.of(id, bytes);
    this.#onFound(table);
    return table;
  }

  /** @throws FirnError `NotFound`, code `ROW_TABLE_NOT_FOUND`. */
  async get(id: TableId): Promise<TableDescriptor> {
    const table = await this.find(id);
    if (table !== undefined) return table;
    throw rowError("NotFound", "ROW_TABLE_NOT_FOUND", "42P01", "the shard has no such table", {
      table: id,
    });
  }

  async byName(namespace: readonly string[], name: string): Promise<TableDescriptor | undefined> {
    return await this.#named(byName.encode([namespace, name], false));
  }

  /** A temporary table of the session. */
  async temporary(
    namespace: readonly string[],
    name: string,
  ): Promise<TableDescriptor | undefined> {
    return await this.#named(byName.encode([namespace, name], true));
  }

  async #named(key: Uint8Array): Promise<TableDescriptor | undefined> {
    const bytes = await this.#access.get(key);
    return bytes === undefined ? undefined : await this.find(idFromBytes(bytes));
  }

  /**
   * The tables of a name, also those whose names the catalog keeps. For a state that stands
   * still: it reads all descriptors, once.
   */
  async called(namespace: readonly string[], name: string): Promise<readonly TableDescriptor[]> {
    this.#all ??= this.#list(false);
    const nameOf = (path: readonly string[], last: string): string => [...path, last].join("\0");
    const wanted = nameOf(namespace, name);
    return (await this.#all).filter((table) => nameOf(table.namespace, table.name) === wanted);
  }

  /** All of the shard by id, and then the temporary ones of the session. */
  async list(): Promise<readonly TableDescriptor[]> {
    return [...(await this.#list(false)), ...(await this.listTemporary())];
  }

  /** All temporary tables of the session, by id. */
  async listTemporary(): Promise<readonly TableDescriptor[]> {
    return this.#temporary?.schema === undefined ? [] : await this.#list(true);
  }

  async #list(isTemporary: boolean): Promise<readonly TableDescriptor[]> {
    const prefix = systemPrefix("descriptors", 0, isTemporary);
    const { from, to } = rangeOfPrefix(prefix);
    const stored = await this.#access.values(from, to as Uint8Array);
    return stored.map((bytes) => {
      const table = decodeDescriptor(bytes);
      return this.#cacheOf(table.id).of(table.id, bytes);
    });
  }

  /** Tables that a move has marked. */
  async moves(): Promise<readonly MoveNote[]> {
    return await moveNotes(this.#access);
  }

  /** As `put`, by the move of a table. */
  async mark(table: TableDescriptor, before: TableDescriptor | undefined): Promise<void> {
    await this.#put(table, before);
    noteMarks(this.#access, table);
  }

  /**
   * Stores a descriptor, in place of the one before.
   *
   * @throws as `claimName`; FirnError `Unavailable`, code `ROW_TABLE_MOVING` (40001).
   */
  async put(table: TableDescriptor, before: TableDescriptor | undefined): Promise<void> {
    if (before !== undefined) refuseWhileMoving("write", before);
    await this.#put(table, before);
  }

  async #put(table: TableDescriptor, before: TableDescriptor | undefined): Promise<void> {
    refuseTemporarySequences(table);
    const isNew = before === undefined && !isTemporaryId(table.id);
    if (isNew) await refuseWhileClosing(this.#access);
    if (table.unnamed !== true && (before === undefined || !isSameName(before, table))) {
      await this.#claimName(table);
      if (before !== undefined) this.#access.delete(nameKey(before));
    }
    this.#access.put(this.#cacheOf(table.id).keyOf(table.id), encodeDescriptor(table));
    // Who keeps the name shows the columns too.
    if (before === undefined || table.unnamed !== true) return;
    if (noteChange(this.#access, before, table)) this.#hasUnpublished = true;
  }

  /** Whether it changed what the catalog shows. */
  get hasUnpublished(): boolean {
    return this.#hasUnpublished;
  }

  /** Tables whose change the catalog may not show yet. */
  async unpublished(): Promise<readonly UnpublishedTable[]> {
    return await unpublishedTables(this.#access);
  }

  /** The catalog shows a table as this version has it. */
  async published(table: UnpublishedTable): Promise<void> {
    await notePublished(this.#access, table);
  }

  /** @throws FirnError `Unavailable`, code `ROW_TABLE_MOVING` (40001). */
  remove(table: TableDescriptor): void {
    refuseWhileMoving("write", table);
    if (table.moving !== undefined) noteMarks(this.#access, { id: table.id });
    this.#access.delete(this.#cacheOf(table.id).keyOf(table.id));
    if (table.unnamed !== true) this.#access.delete(nameKey(table));
  }

  /** @throws FirnError `AlreadyExists`, code `ROW_TABLE_EXISTS`. */
  async #claimName(table: TableDescriptor): Promise<void> {
    const key = nameKey(table);
    if ((await this.#access.get(key)) !== undefined) {
      const message = "a table of that name exists in the shard";
      throw rowError("AlreadyExists", "ROW_TABLE_EXISTS", "42P07", message, { table: table.name });
    }
    this.#access.put(key, idToBytes(table.id));
  }
}

/** The sequence ends with its session. @throws FirnError `ROW_TABLE_INVALID` (0A000). */
function refuseTemporarySequences({ id, name: table, columns }: TableDescriptor): void {
  if (isTemporaryId(id)) return;
  const column = columns.find((one) => isTemporaryId(sequenceOf(one) ?? ""));
  if (column === undefined) return;
  const message = "a column of a permanent table cannot take numbers of a temporary sequence";
  const place = { table, column: column.name };
  throw rowError("Invalid", "ROW_TABLE_INVALID", "0A000", message, place);
}

function nameKey({ id, namespace, name }: TableDescriptor): Uint8Array {
  return byName.encode([namespace, name], isTemporaryId(id));
}

function isSameName(a: TableDescriptor, b: TableDescriptor): boolean {
  return Buffer.compare(nameKey(a), nameKey(b)) === 0;
}
