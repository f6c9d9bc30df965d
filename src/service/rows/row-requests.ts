import type {
  CheckedIndexes,
  CheckRows,
  GetRows,
  MoveTable,
  RequiredFence,
  RowWrite,
  ScanRows,
  WriteRows,
} from "../../api/row-operations.ts";
import type { Clock } from "../../base/clock.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import type { Job, Table } from "../../catalog/model.ts";
import { requireFence } from "../../patterns/index.ts";
import {
  type ColumnDescriptor,
  type Datum,
  type IndexDescriptor,
  type RangeRequest,
  type RowScan,
  type RowTransaction,
  RowViolation,
  rowAt,
  rowError,
  type TableDescriptor,
} from "../../rows/index.ts";
import { hiddenError } from "../../sql/session/shown-errors.ts";
import type { Actor } from "../actor.ts";
import type { PageTokens } from "../page-token.ts";
import type { RelationResources } from "../resources/relations.ts";
import type { RelationPlace } from "../resources/resource.ts";
import type { JsonRows } from "./json-rows.ts";
import type { CursorPage, RowCursor, RowCursors } from "./row-cursors.ts";
import type { RowIndexes } from "./row-indexes.ts";
import type { RowMoves } from "./row-moves.ts";
import type { OpenRowTable, RowTables } from "./row-tables.ts";
import { listed, NO_ROW, requireVersion, type ShownRow, shownRows } from "./shown-rows.ts";

const PAGE_ROWS = 100;
const MOST_PAGE_ROWS = 1_000;
/** A page ends behind the row that takes it here, so that wide rows fit too. */
const PAGE_CHARS = 4_194_304;
/** Longer than others hold a row, unless they are stuck. */
const LOCK_WAIT_MS = 30_000;
const SCAN_MS = 600_000;

export interface RowRequestParts {
  readonly clock: Clock;
  readonly tokens: PageTokens;
  readonly rows: RowTables;
  readonly tables: RelationResources<Table>;
  readonly cursors: RowCursors;
  readonly indexes: RowIndexes;
  readonly moves: Pick<RowMoves, "begin">;
  readonly newId: () => string;
  /** Loaded with the first request: it brings the types of SQL along. */
  readonly json: () => Promise<JsonRows>;
}

/** Rows over HTTP. Each request is one transaction, and its answer is JSON text. */
export class RowRequests {
  readonly #parts: RowRequestParts;

  constructor(parts: RowRequestParts) {
    this.#parts = parts;
  }

  /**
   * @throws FirnError `TABLE_NOT_FOUND`, `FORMAT_UNSUPPORTED`, `ROW_KEY_INVALID`,
   *   `ROW_VALUE_INVALID`.
   */
  async get(
    actor: Actor,
    place: RelationPlace,
    { keys, columns, versions = false }: GetRows,
  ): Promise<string> {
    const { store, id } = await this.#open(actor, place);
    const json = await this.#parts.json();
    return await store.run(
      async (tx) => {
        const table = await tx.tables.get(id);
        const shown = shownRows(json, table, columns, versions);
        const asked = keys.map((key) => json.key(table, key));
        const found = await tx.getMany(table, asked, { columns: shown.ids });
        const rows = found.map((row) => (row === undefined ? NO_ROW : shown.write(row)));
        return `{${listed(rows, versions)}}`;
      },
      { isolation: "repeatable read", readOnly: true },
    );
  }

  /**
   * A page of a range. All pages of a scan are of one state.
   *
   * @throws FirnError `PAGE_TOKEN_INVALID` for a token of another scan; `ROW_PAGE_GONE` for one
   *   that is not kept any more; and as `get`.
   */
  async scan(actor: Actor, place: RelationPlace, request: ScanRows): Promise<string> {
    const { rows, newId, tokens, cursors } = this.#parts;
    const { pageToken, pageSize = PAGE_ROWS, ...range } = request;
    const { store, id } = await this.#open(actor, place);
    const bound = JSON.stringify(["rows", actor.account, actor.principal, id, pageSize, range]);
    let cursor: string = newId();
    let page = 0;
    let read: CursorPage;
    if (pageToken === undefined) {
      const opened = await this.#begin({ store, id }, range, Math.min(pageSize, MOST_PAGE_ROWS));
      try {
        read = await opened.next();
      } catch (error) {
        opened.close();
        throw error;
      }
      if (read.hasMore) cursors.keep(cursor, opened, read);
    } else {
      const [known = "", number] = tokens.open(bound, pageToken).split(" ");
      cursor = known;
      page = Number(number);
      read = await cursors.page(cursor, page);
    }
    await rows.confirm(actor, store);
    if (!read.hasMore) return `{${read.text}}`;
    const next = tokens.seal(bound, `${cursor} ${page + 1}`);
    return `{${read.text},"nextPageToken":${JSON.stringify(next)}}`;
  }

  /**
   * Writes in one transaction, which is durable when this resolves.
   *
   * @throws FirnError `ROW_DUPLICATE`, `ROW_NULL`, `ROW_CHECK_FAILED`, `ROW_CONFLICT`,
   *   `ROW_CHANGED`, `ROW_LOCK_TIMEOUT`, `LEASE_LOST`, `PATTERN_FENCE_INVALID`; and as `get`.
   */
  async write(
    actor: Actor,
    place: RelationPlace,
    { writes, fences = [], isolation = "serializable", returning = false }: WriteRows,
  ): Promise<string> {
    const { store, id } = await this.#open(actor, place);
    const leases = await this.#leasesOf(actor, place, fences);
    if (leases.some(([, held]) => held.store !== store)) {
      const message =
        "a fence is checked in its own shard: the lease lies in another than the rows";
      throw rowError("Invalid", "ROW_SHARDS_APART", "0A000", message);
    }
    const json = await this.#parts.json();
    const done = store.run(
      async (tx) =>
        await this.#inTime(tx, async () => {
          for (const [{ name, fence }, held] of leases) {
            await requireFence(tx, held, name, BigInt(fence));
          }
          const table = await tx.tables.get(id);
          const { write } = shownRows(json, table, undefined, false);
          const results: string[] = [];
          for (const [at, one] of writes.entries()) {
            await tx.statement();
            await requireVersion({ json, tx, table }, one, at);
            const { row, changed } = await applied(json, tx, table, one);
            const shown = returning && row !== undefined ? `,"row":${write(row).text}` : "";
            results.push(`{"changed":${changed}${shown}}`);
          }
          return `{"results":[${results.join(",")}]}`;
        }),
      { isolation },
    );
    return await done.catch(async (error) => {
      throw error instanceof RowViolation ? await this.#told(actor, place, error) : error;
    });
  }

  /** A refusal of a row, without the names of tables that the actor may not see. */
  async #told(actor: Actor, place: RelationPlace, error: RowViolation): Promise<FirnError> {
    for (const { namespace: path, name } of error.named) {
      const named = { ...place, namespace: { path }, relation: { name } };
      const found = await this.#parts.tables.get(actor, named).catch(() => undefined);
      if (found === undefined) return hiddenError(error);
    }
    return error;
  }

  /**
   * Compares indexes with the rows, and mends them where that is asked for.
   *
   * @throws FirnError `ROW_INDEX_NOT_FOUND`, `ROW_DUPLICATE`; and as `get`.
   */
  async check(
    actor: Actor,
    place: RelationPlace,
    asked: CheckRows & { readonly repair: boolean },
  ): Promise<CheckedIndexes> {
    const indexes = await this.#parts.indexes.check(actor, await this.#open(actor, place), asked);
    const agrees = indexes.every(({ missing, extra, wrong }) => missing + extra + wrong === 0);
    return { indexes, agrees };
  }

  /**
   * Makes the job that moves a table to another shard of its catalog.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, `FORMAT_UNSUPPORTED`, `ROW_SHARD_NOT_FOUND`; `Invalid`
   *   `ROW_SHARD_SAME`: it is there; as `TableMove.check`.
   */
  async move(actor: Actor, place: RelationPlace, { shard }: MoveTable): Promise<Job> {
    const { id: table } = await this.#open(actor, place);
    const job = await this.#parts.moves.begin(actor, { table, shard });
    if (job !== undefined) return job;
    throw invalid("ROW_SHARD_SAME", "the table is in that shard already", { shard });
  }

  async #leasesOf(
    actor: Actor,
    place: RelationPlace,
    fences: readonly RequiredFence[],
  ): Promise<readonly (readonly [RequiredFence, OpenRowTable])[]> {
    const leases: (readonly [RequiredFence, OpenRowTable])[] = [];
    for (const one of fences) {
      leases.push([one, await this.#open(actor, { ...place, relation: { name: one.table } })]);
    }
    return leases;
  }

  async #open(actor: Actor, place: RelationPlace): Promise<OpenRowTable> {
    const { entity } = await this.#parts.tables.get(actor, place);
    return await this.#parts.rows.of(actor, entity);
  }

  async #begin(
    { store, id }: OpenRowTable,
    asked: Omit<ScanRows, "pageSize" | "pageToken">,
    pageRows: number,
  ): Promise<RowCursor> {
    const json = await this.#parts.json();
    const tx = await store.begin({
      isolation: "repeatable read",
      readOnly: true,
      maxAgeMs: SCAN_MS,
    });
    try {
      const table = await tx.tables.get(id);
      const index = indexOf(table, asked.index);
      const withVersions = asked.versions === true;
      const { ids, write } = shownRows(json, table, asked.columns, withVersions);
      const scan = tx.scan(table, {
        ...rangeOf(json, table, index, asked),
        index: index?.id ?? 0,
        reverse: asked.reverse === true,
        columns: ids,
      });
      return new PagedScan({ tx, scan, write, pageRows, withVersions });
    } catch (error) {
      tx.rollback();
      throw error;
    }
  }

  /** Ends the waits of a transaction for rows that others hold for too long. */
  async #inTime<T>(tx: RowTransaction, work: () => Promise<T>): Promise<T> {
    const done = new AbortController();
    const wait = async (): Promise<void> => {
      await this.#parts.clock.sleep(LOCK_WAIT_MS, done.signal);
      if (done.signal.aborted) return;
      const message = "others hold a row for too long: try again";
      tx.stopWaiting(rowError("Conflict", "ROW_LOCK_TIMEOUT", "55P03", message));
    };
    void wait().catch(() => undefined);
    try {
      return await work();
    } finally {
      done.abort();
    }
  }
}

interface PagedScanParts {
  readonly tx: RowTransaction;
  readonly scan: RowScan;
  readonly write: (row: readonly Datum[]) => ShownRow;
  readonly pageRows: number;
  readonly withVersions: boolean;
}

/** A scan, page by page. Its transaction ends with its last row. */
class PagedScan implements RowCursor {
  readonly #parts: PagedScanParts;
  /** Of a batch that a page has ended in. */
  #left: readonly ShownRow[] = [];
  #isOver = false;

  constructor(parts: PagedScanParts) {
    this.#parts = parts;
  }

  async next(): Promise<CursorPage> {
    const { pageRows, withVersions } = this.#parts;
    const page: ShownRow[] = [];
    let length = 0;
    for (;;) {
      for (const [at, row] of this.#left.entries()) {
        if (page.length === pageRows || (page.length > 0 && length >= PAGE_CHARS)) {
          this.#left = this.#left.slice(at);
          return { text: listed(page, withVersions), hasMore: true };
        }
        page.push(row);
        length += row.text.length;
      }
      this.#left = await this.#batch();
      if (this.#left.length === 0) return { text: listed(page, withVersions), hasMore: false };
    }
  }

  close(): void {
    this.#isOver = true;
    this.#parts.scan.close();
    this.#parts.tx.rollback();
  }

  async #batch(): Promise<readonly ShownRow[]> {
    if (this.#isOver) return [];
    const { scan, write } = this.#parts;
    const batch = await scan.nextBatch();
    if (batch === undefined) {
      this.close();
      return [];
    }
    return Array.from({ length: batch.count }, (_, i) => write(rowAt(batch, i)));
  }
}

/** @throws FirnError `NotFound`, code `ROW_INDEX_NOT_FOUND`. */
function indexOf(table: TableDescriptor, name: string | undefined): IndexDescriptor | undefined {
  if (name === undefined) return undefined;
  const index = table.indexes.find((one) => one.name === name);
  if (index !== undefined) return index;
  const message = "the table has no such index";
  const place = { table: table.name, index: name };
  throw rowError("NotFound", "ROW_INDEX_NOT_FOUND", "42704", message, place);
}

function rangeOf(
  json: JsonRows,
  table: TableDescriptor,
  index: IndexDescriptor | undefined,
  { equal = [], lower, upper }: Pick<ScanRows, "equal" | "lower" | "upper">,
): RangeRequest {
  const value = (at: number, given: unknown): Datum => json.part(table, index, at, given);
  const end = equal.length;
  return {
    equal: equal.map((one, at) => value(at, one)),
    ...(lower && { lower: { value: value(end, lower.value), inclusive: lower.inclusive ?? true } }),
    ...(upper && {
      upper: { value: value(end, upper.value), inclusive: upper.inclusive ?? false },
    }),
  };
}

interface Applied {
  readonly changed: boolean;
  readonly row: readonly Datum[] | undefined;
}

async function applied(
  json: JsonRows,
  tx: RowTransaction,
  table: TableDescriptor,
  write: RowWrite,
): Promise<Applied> {
  switch (write.op) {
    case "insert": {
      const [columns, values] = split(json.fields(table, write.row));
      const { onConflict = "error" } = write;
      const [inserted] = await tx.insert(table, [values], { columns, onConflict });
      const changed = inserted?.conflict === undefined;
      return { changed, row: changed ? inserted?.row : undefined };
    }
    case "put": {
      const [columns, values] = split(json.fields(table, write.row));
      return { changed: true, row: await tx.put(table, values, { columns }) };
    }
    case "update": {
      const changes = json.fields(table, write.set);
      const set = new Map(changes.map(([{ id }, value]) => [id, value]));
      const row = await tx.update(table, json.key(table, write.key), set);
      return { changed: row !== undefined, row };
    }
    case "delete": {
      const row = await tx.delete(table, json.key(table, write.key));
      return { changed: row !== undefined, row };
    }
  }
}

function split(
  fields: readonly (readonly [ColumnDescriptor, Datum])[],
): readonly [columns: readonly number[], values: readonly Datum[]] {
  return [fields.map(([{ id }]) => id), fields.map(([, value]) => value)];
}
