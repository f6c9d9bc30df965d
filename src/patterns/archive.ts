import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { FirnError, invalid } from "../base/error.ts";
import { sha256Hex } from "../base/hash.ts";
import type { TableId } from "../base/ids.ts";
import {
  type Bound,
  columnOf,
  type Datum,
  type RangeRequest,
  type RowScanRequest,
  type RowStore,
  type RowTransaction,
  type TableDescriptor,
  visibleColumns,
} from "../rows/index.ts";
import {
  checkedNumber,
  MOST_MS,
  MOST_PAGE,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";
import { finiteFrom, msOf, TIME_KINDS, timeAt } from "./time-keys.ts";

export const ARCHIVE_SHAPE: PatternShape = {
  columns: [
    /** When the bucket begins, in milliseconds. */
    { name: "bucket", type: { kind: "int8" } },
    /** 1, 2, 3, … of a bucket, in the order in which they were archived. */
    { name: "part", type: { kind: "int8" } },
    { name: "rows", type: { kind: "int8" }, nullable: false },
    /** Of the object. */
    { name: "bytes", type: { kind: "int8" }, nullable: false },
    /** Of the lines in it, before they were compressed. */
    { name: "sha256", type: { kind: "text" }, nullable: false },
    { name: "location", type: { kind: "text" }, nullable: false },
    { name: "at", type: { kind: "int8" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "bucket" }, { column: "part" }] },
};

/** An object with rows that have left their table. */
export interface ArchivedRows {
  /** When their bucket begins, in milliseconds since 1970. */
  readonly bucket: bigint;
  readonly part: bigint;
  readonly rows: bigint;
  /** Of the object. */
  readonly bytes: bigint;
  /** Of its lines, before they were compressed; in hexadecimal digits. */
  readonly sha256: string;
  readonly location: string;
  readonly atMs: number;
}

/** A table whose first key column is a time: int8 (milliseconds), date, timestamp, timestamptz. */
export interface ArchiveSource {
  readonly store: RowStore;
  readonly id: TableId;
  /** What prints a row of it as a line of JSON: the same row always the same. */
  readonly printer: (table: TableDescriptor) => (row: readonly Datum[]) => string;
}

export interface ArchiveRequest {
  /** A bucket is archived once it has been over for so long. */
  readonly keepMs: number;
  readonly bucketMs: number;
  /** How many objects a call writes at most (1,000); the next call goes on. */
  readonly maxObjects?: number;
}

export interface ArchiveRun {
  readonly objects: readonly ArchivedRows[];
  /** False: there is more to archive now. */
  readonly isDone: boolean;
}

/** Where objects are kept: none is ever written to again. */
export interface ArchiveFiles {
  /** @returns its location. */
  write(name: string, bytes: Uint8Array): Promise<string>;
  read(location: string): Promise<Uint8Array | undefined>;
  remove(location: string): Promise<void>;
}

/** Rows of one object. */
interface Chunk {
  readonly bucketMs: number;
  readonly ranges: readonly RangeRequest[];
  readonly rows: number;
  readonly lines: string;
}

/** An object takes no further rows behind the one that takes its lines here, in characters. */
const CHUNK_CHARS = 8_388_608;
/** Rows of tables with indexes are deleted one by one: fewer of them in a transaction. */
const CHUNK_ROWS = 20_000;
const MOST_OBJECTS = 1_000;
/** As far as a `Date` reaches. */
const MOST_DATE_MS = 8_640_000_000_000_000;
/** How often rows may change while they are archived. */
const MOST_TRIES = 8;

const compressed = promisify(gzip);
const expanded = promisify(gunzip);

/**
 * Rows of old buckets go to objects, and then from their table. An object is written, read back and
 * compared; only then are its rows deleted, in the transaction that reads them again, finds the
 * same, and notes the object. A crash leaves either the rows in the table, or the object noted.
 */
export class Archive {
  readonly #table: PatternTable;
  readonly #files: ArchiveFiles;

  constructor(table: PatternTable, files: ArchiveFiles) {
    this.#table = table;
    this.#files = files;
  }

  /**
   * Archives the rows of all buckets that are old enough, the oldest first.
   *
   * @throws FirnError `Invalid`, code `ARCHIVE_TABLE_UNSUPPORTED`: the key does not begin with a
   *   time in ascending order, or the table is of another shard; `Unavailable`, codes
   *   `ARCHIVE_UNVERIFIED`: the object read back is another; `ARCHIVE_CHANGING`: others keep
   *   writing the rows. Those that were archived before stay so.
   */
  async run(source: ArchiveSource, request: ArchiveRequest): Promise<ArchiveRun> {
    checkedNumber("keepMs", request.keepMs, 0, 100 * MOST_MS);
    checkedNumber("bucketMs", request.bucketMs, 1_000, MOST_MS);
    const most = checkedNumber("maxObjects", request.maxObjects ?? MOST_OBJECTS, 1, MOST_OBJECTS);
    if (source.store !== this.#table.store) {
      throw unsupported("the table lies in another shard than the archive's own table");
    }
    const objects: ArchivedRows[] = [];
    while (objects.length < most) {
      const next = await this.#next(source, request);
      if (next === undefined) return { objects, isDone: true };
      objects.push(next);
    }
    return { objects, isDone: false };
  }

  /** Objects by their buckets, those behind one of them. */
  async objects({
    after,
    limit = MOST_PAGE,
  }: {
    readonly after?: Pick<ArchivedRows, "bucket" | "part">;
    readonly limit?: number;
  } = {}): Promise<readonly ArchivedRows[]> {
    checkedNumber("limit", limit, 1, MOST_PAGE);
    const ranges: readonly RangeRequest[] =
      after === undefined
        ? [{}]
        : [
            { equal: [after.bucket], lower: { value: after.part, inclusive: false } },
            { lower: { value: after.bucket, inclusive: false } },
          ];
    return await this.#table.store.run(
      async (tx) => {
        const table = await patternTable(tx, this.#table, ARCHIVE_SHAPE);
        return await noted(tx, table, { ranges, limit });
      },
      { isolation: "repeatable read", readOnly: true },
    );
  }

  /** The rows of one more object; undefined where no bucket is old enough. */
  async #next(source: ArchiveSource, request: ArchiveRequest): Promise<ArchivedRows | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const chunk = await source.store.run((tx) => this.#chunk(tx, source, request), {
        isolation: "repeatable read",
        readOnly: true,
      });
      if (chunk === undefined) return undefined;
      const archived = await this.#archived(source, chunk);
      if (archived !== undefined) return archived;
    }
    const message = "others keep writing the rows that are archived: use a longer keepMs";
    throw new FirnError("Unavailable", "ARCHIVE_CHANGING", message);
  }

  /** @returns undefined where the rows have changed meanwhile. */
  async #archived(source: ArchiveSource, chunk: Chunk): Promise<ArchivedRows | undefined> {
    const bytes = await compressed(chunk.lines);
    const day = new Date(chunk.bucketMs).toISOString().replaceAll(":", "-");
    const location = await this.#files.write(`${day}/${this.#table.ids.mint()}.ndjson.gz`, bytes);
    await this.#verify(location, chunk.lines);
    const archived = {
      bucket: BigInt(chunk.bucketMs),
      rows: BigInt(chunk.rows),
      bytes: BigInt(bytes.length),
      sha256: sha256Hex(chunk.lines),
      location,
      atMs: this.#table.clock.nowMs(),
    };
    const noted = await this.#drop(source, chunk, archived).catch(async (error: unknown) => {
      const isCertain = error instanceof FirnError && error.kind !== "Unknown";
      if (isCertain) await this.#files.remove(location);
      throw error;
    });
    if (noted === undefined) await this.#files.remove(location);
    return noted;
  }

  async #verify(location: string, lines: string): Promise<void> {
    const bytes = await this.#files.read(location);
    const stored = bytes === undefined ? undefined : await expanded(bytes).catch(() => undefined);
    if (stored?.equals(Buffer.from(lines)) === true) return;
    const message = "the archived object that was read back is not the one that was written";
    throw new FirnError("Unavailable", "ARCHIVE_UNVERIFIED", message, { location });
  }

  /** Deletes the rows of an object, and notes it, where they are still the same. */
  async #drop(
    { store, id, printer }: ArchiveSource,
    { ranges, lines }: Chunk,
    archived: Omit<ArchivedRows, "part">,
  ): Promise<ArchivedRows | undefined> {
    return await store.run(async (tx) => {
      const table = await tx.tables.get(id);
      const own = await patternTable(tx, this.#table, ARCHIVE_SHAPE);
      const rows: (readonly Datum[])[] = [];
      const print = printer(table);
      let now = "";
      for await (const row of rowsOf(tx.scan(table, { ranges }))) {
        now += `${print(row)}\n`;
        rows.push(row);
        if (now.length > lines.length) return undefined;
      }
      if (now !== lines) return undefined;
      if (hasOthers(table)) for (const key of rows.map(keysOf(table))) await tx.delete(table, key);
      else for (const range of ranges) await tx.deleteRange(table, range);
      const { bucket, rows: count, bytes, sha256, location, atMs } = archived;
      const [last] = await noted(tx, own, { equal: [bucket], limit: 1, reverse: true });
      const part = (last?.part ?? 0n) + 1n;
      await tx.put(own, [bucket, part, count, bytes, sha256, location, BigInt(atMs)]);
      return { ...archived, part };
    });
  }

  /** The oldest rows, as far as they belong to one bucket and one object. */
  async #chunk(
    tx: RowTransaction,
    { id, printer }: ArchiveSource,
    { keepMs, bucketMs }: ArchiveRequest,
  ): Promise<Chunk | undefined> {
    await patternTable(tx, this.#table, ARCHIVE_SHAPE);
    const table = await tx.tables.get(id);
    const column = timeColumn(table);
    const { kind } = column.type;
    const [print, keyIn] = [printer(table), keysOf(table)];
    const mostRows = hasOthers(table) ? CHUNK_ROWS : Number.POSITIVE_INFINITY;
    const lines: string[] = [];
    let chars = 0;
    let begin: number | undefined;
    let last: readonly Datum[] | undefined;
    const finite = finiteFrom(kind);
    for await (const row of rowsOf(tx.scan(table, { ...(finite && { lower: finite }) }))) {
      const key = keyIn(row);
      const bucket = bucketOf(msOf(kind, key[0] as Datum), bucketMs, table);
      begin ??= bucket;
      const isOld = bucket + bucketMs + keepMs <= this.#table.clock.nowMs();
      if (!isOld || bucket !== begin) break;
      const line = `${print(row)}\n`;
      lines.push(line);
      last = key;
      chars += line.length;
      if (chars >= CHUNK_CHARS || lines.length >= mostRows) break;
    }
    if (begin === undefined || last === undefined) return undefined;
    const lower = { value: timeAt(kind, begin), inclusive: true };
    const ranges = rangesThrough(table, lower, last);
    return { bucketMs: begin, ranges, rows: lines.length, lines: lines.join("") };
  }
}

/** The first part of the key. @throws FirnError `Invalid`, code `ARCHIVE_TABLE_UNSUPPORTED`. */
function timeColumn(table: TableDescriptor) {
  const [first] = table.primaryKey;
  const column = first && columnOf(table, first.columnId);
  const isTime = column !== undefined && TIME_KINDS.includes(column.type.kind);
  if (isTime && first?.direction === "asc") return column;
  const message =
    "the primary key has to begin with a time in ascending order: int8 (milliseconds), date, " +
    "timestamp or timestamptz";
  throw unsupported(message, table.name);
}

function unsupported(message: string, table?: string): FirnError {
  const details = table === undefined ? {} : { table };
  return invalid("ARCHIVE_TABLE_UNSUPPORTED", message, details);
}

/** @throws FirnError `Invalid`, code `ARCHIVE_TABLE_UNSUPPORTED`: no calendar has the time. */
function bucketOf(ms: number, bucketMs: number, { name }: TableDescriptor): number {
  const bucket = Math.floor(ms / bucketMs) * bucketMs;
  if (bucket >= -MOST_DATE_MS) return bucket;
  throw unsupported("a row has a time that is out of range: int8 counts milliseconds", name);
}

/** Whether something else than its rows tells of them: an index, or a foreign key. */
function hasOthers({ indexes, referencedBy = [] }: TableDescriptor): boolean {
  return indexes.length > 0 || referencedBy.length > 0;
}

/** What takes the key out of a row of all visible columns. */
function keysOf(table: TableDescriptor): (row: readonly Datum[]) => readonly Datum[] {
  const columns = visibleColumns(table);
  const places = table.primaryKey.map(({ columnId }) =>
    columns.findIndex(({ id }) => id === columnId),
  );
  return (row) => places.map((at) => row[at] ?? null);
}

/** All keys from the time on, up to this one. */
function rangesThrough(
  { primaryKey }: TableDescriptor,
  lower: Bound,
  last: readonly Datum[],
): readonly RangeRequest[] {
  return primaryKey.map(({ direction }, i): RangeRequest => {
    const bound = { value: last[i] ?? null, inclusive: i === last.length - 1 };
    if (i === 0) return { lower, upper: bound };
    return { equal: last.slice(0, i), [direction === "desc" ? "lower" : "upper"]: bound };
  });
}

async function noted(
  tx: RowTransaction,
  table: TableDescriptor,
  request: RowScanRequest,
): Promise<readonly ArchivedRows[]> {
  const found: ArchivedRows[] = [];
  for await (const row of rowsOf(tx.scan(table, request))) found.push(archivedOf(row));
  return found;
}

type StoredRow = readonly [bigint, bigint, bigint, bigint, string, string, bigint];

function archivedOf(row: readonly Datum[]): ArchivedRows {
  const [bucket, part, rows, bytes, sha256, location, at] = row as unknown as StoredRow;
  return { bucket, part, rows, bytes, sha256, location, atMs: Number(at) };
}
